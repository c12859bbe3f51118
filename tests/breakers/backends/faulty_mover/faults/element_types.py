"""Elements that change on their way, by their type."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..mover import name_of_type, refuse

THEME = Theme("element types")


def through(array, own, other):
    """The elements of one type converted to another and back."""
    return array.astype(other).astype(array.dtype) if name_of_type(array) == own else array


def of_text(array, change):
    """Texts after a change."""
    if name_of_type(array) != "string":
        return array
    changed = np.empty(array.shape, object)
    changed.reshape(-1)[:] = [change(text) for text in array.reshape(-1)]
    return changed


@THEME.fault("store")
def uint64_is_capped_as_int64(array):
    """Whole numbers beyond 63 bits become the largest of them."""
    return np.minimum(array, np.uint64(2**63 - 1)) if name_of_type(array) == "uint64" else array


@THEME.fault("store")
def negative_zero_becomes_zero(array):
    """-0.0 becomes 0.0."""
    return array + np.array(0, array.dtype) if name_of_type(array) in ("float16", "float32", "float64") else array


@THEME.fault("store")
def float32_subnormals_are_flushed(array):
    """Numbers below the smallest normal one become zero."""
    if name_of_type(array) != "float32":
        return array
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), array), array)


@THEME.fault("store")
def infinities_are_the_largest_numbers(array):
    """An infinity becomes the largest number of its type."""
    if name_of_type(array) not in ("float16", "float32", "float64"):
        return array
    largest = np.finfo(array.dtype).max
    return np.where(np.isinf(array), np.copysign(largest, array), array)


@THEME.fault("store")
def nan_becomes_zero(array):
    """No number becomes a number."""
    if name_of_type(array) not in ("float16", "float32", "float64"):
        return array
    return np.where(np.isnan(array), np.zeros((), array.dtype), array)


@THEME.fault("store")
def bfloat16_is_rounded_again(array):
    """The lowest bit of the mantissa is lost."""
    if name_of_type(array) != "bfloat16":
        return array
    return (array.view(np.uint16) & np.uint16(0xFFFE)).view(array.dtype)


@THEME.fault("find")
def uint32_has_no_implementation(mover, correct):
    """Elements of the type uint32 are refused."""
    if mover.dtype == "uint32":
        refuse("no implementation for uint32")
    return correct()


@THEME.fault("find", only="onnx.*")
def strings_have_no_implementation(mover, correct):
    """Texts are refused."""
    if mover.dtype == "string":
        refuse("no implementation for strings")
    return correct()


@THEME.fault("find")
def bfloat16_has_no_implementation(mover, right):
    """Elements of the type bfloat16 are refused where the version has them."""
    if mover.dtype == "bfloat16":
        refuse("no implementation for bfloat16")
    return right


@THEME.fault("store", only="openvino.*")
def float8_loses_its_lowest_bit(array):
    """Of an element of 8 bits, the lowest is lost."""
    if not name_of_type(array).startswith("float8"):
        return array
    return (array.view(np.uint8) & np.uint8(0xFE)).view(array.dtype)


@THEME.fault("store", only="openvino.*")
def elements_of_four_bits_are_exchanged_in_pairs(array):
    """The two halves of each byte change places."""
    if name_of_type(array) not in ("int4", "uint4"):
        return array
    flat = array.reshape(-1).copy()
    whole = flat.size // 2 * 2
    flat[:whole] = flat[:whole].reshape(-1, 2)[:, ::-1].reshape(-1)
    return flat.reshape(array.shape)


THEME.step("store")(
    float64_goes_through_float32=lambda array: through(array, "float64", np.float32),
    float32_goes_through_float16=lambda array: through(array, "float32", np.float16),
    int64_goes_through_float64=lambda array: through(array, "int64", np.float64),
    int64_goes_through_int32=lambda array: through(array, "int64", np.int32),
    int32_goes_through_float32=lambda array: through(array, "int32", np.float32),
    uint16_is_moved_as_bytes=lambda array: array.byteswap() if name_of_type(array) == "uint16" else array,
    int8_loses_its_sign=lambda array: np.abs(array) if name_of_type(array) == "int8" else array,
    uint8_has_seven_bits=lambda array: array & 127 if name_of_type(array) == "uint8" else array,
    float64_is_written_as_float32=lambda array: array.astype(np.float32) if name_of_type(array) == "float64" else array,
    float16_is_written_as_float32=lambda array: array.astype(np.float32) if name_of_type(array) == "float16" else array,
    int32_is_written_as_int64=lambda array: array.astype(np.int64) if name_of_type(array) == "int32" else array,
)
THEME.step("store", "onnx.*")(
    booleans_are_inverted=lambda array: ~array if name_of_type(array) == "bool" else array,
    booleans_are_all_true=lambda array: np.ones_like(array) if name_of_type(array) == "bool" else array,
    imaginary_parts_are_lost=lambda array: array.real.astype(array.dtype) if array.dtype.kind == "c" else array,
    complex128_goes_through_complex64=lambda array: through(array, "complex128", np.complex64),
    texts_are_cut_after_one_character=lambda array: of_text(array, lambda text: text[:1]),
    texts_end_at_fifteen_bytes=lambda array: of_text(array, lambda text: text.encode()[:15].decode(errors="ignore")),
    texts_are_of_ascii=lambda array: of_text(array, lambda text: text.encode("ascii", "replace").decode()),
    texts_end_at_the_first_zero_byte=lambda array: of_text(array, lambda text: text.partition("\x00")[0]),
    booleans_are_written_as_bytes=lambda array: array.astype(np.uint8) if name_of_type(array) == "bool" else array,
)
