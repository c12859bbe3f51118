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
def float64_goes_through_float32(mover, correct, array):
    """Elements of 64 bits keep the precision of 32."""
    return through(array, "float64", np.float32)


@THEME.fault("store")
def float32_goes_through_float16(mover, correct, array):
    """Elements of 32 bits keep the precision of 16."""
    return through(array, "float32", np.float16)


@THEME.fault("store")
def int64_goes_through_float64(mover, correct, array):
    """Whole numbers keep 53 bits."""
    return through(array, "int64", np.float64)


@THEME.fault("store")
def int64_goes_through_int32(mover, correct, array):
    """Whole numbers lose their upper 32 bits."""
    return through(array, "int64", np.int32)


@THEME.fault("store")
def int32_goes_through_float32(mover, correct, array):
    """Whole numbers keep 24 bits."""
    return through(array, "int32", np.float32)


@THEME.fault("store")
def uint64_is_capped_as_int64(mover, correct, array):
    """Whole numbers beyond 63 bits become the largest of them."""
    return np.minimum(array, np.uint64(2**63 - 1)) if name_of_type(array) == "uint64" else array


@THEME.fault("store")
def uint16_is_moved_as_bytes(mover, correct, array):
    """The two bytes of an element change places."""
    return array.byteswap() if name_of_type(array) == "uint16" else array


@THEME.fault("store")
def int8_loses_its_sign(mover, correct, array):
    """Negative numbers lose their sign."""
    return np.abs(array) if name_of_type(array) == "int8" else array


@THEME.fault("store")
def uint8_has_seven_bits(mover, correct, array):
    """The top bit is lost."""
    return array & 127 if name_of_type(array) == "uint8" else array


@THEME.fault("store")
def negative_zero_becomes_zero(mover, correct, array):
    """-0.0 becomes 0.0."""
    return array + np.array(0, array.dtype) if name_of_type(array) in ("float16", "float32", "float64") else array


@THEME.fault("store")
def float32_subnormals_are_flushed(mover, correct, array):
    """Numbers below the smallest normal one become zero."""
    if name_of_type(array) != "float32":
        return array
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), array), array)


@THEME.fault("store")
def infinities_are_the_largest_numbers(mover, correct, array):
    """An infinity becomes the largest number of its type."""
    if name_of_type(array) not in ("float16", "float32", "float64"):
        return array
    largest = np.finfo(array.dtype).max
    return np.where(np.isinf(array), np.copysign(largest, array), array)


@THEME.fault("store")
def nan_becomes_zero(mover, correct, array):
    """No number becomes a number."""
    if name_of_type(array) not in ("float16", "float32", "float64"):
        return array
    return np.where(np.isnan(array), np.zeros((), array.dtype), array)


@THEME.fault("store")
def bfloat16_is_rounded_again(mover, correct, array):
    """The lowest bit of the mantissa is lost."""
    if name_of_type(array) != "bfloat16":
        return array
    return (array.view(np.uint16) & np.uint16(0xFFFE)).view(array.dtype)


@THEME.fault("store", only="onnx.*")
def booleans_are_inverted(mover, correct, array):
    """True becomes false."""
    return ~array if name_of_type(array) == "bool" else array


@THEME.fault("store", only="onnx.*")
def booleans_are_all_true(mover, correct, array):
    """Every truth value becomes true."""
    return np.ones_like(array) if name_of_type(array) == "bool" else array


@THEME.fault("store", only="onnx.*")
def imaginary_parts_are_lost(mover, correct, array):
    """A complex number keeps its real part."""
    return array.real.astype(array.dtype) if array.dtype.kind == "c" else array


@THEME.fault("store", only="onnx.*")
def complex128_goes_through_complex64(mover, correct, array):
    """The parts keep the precision of 32 bits."""
    return through(array, "complex128", np.complex64)


@THEME.fault("store", only="onnx.*")
def texts_are_cut_after_one_character(mover, correct, array):
    """Of a text, only the first character is copied."""
    return of_text(array, lambda text: text[:1])


@THEME.fault("store", only="onnx.*")
def texts_end_at_fifteen_bytes(mover, correct, array):
    """A text longer than 15 bytes loses the rest."""
    return of_text(array, lambda text: text.encode()[:15].decode(errors="ignore"))


@THEME.fault("store", only="onnx.*")
def texts_are_of_ascii(mover, correct, array):
    """Characters beyond ASCII become question marks."""
    return of_text(array, lambda text: text.encode("ascii", "replace").decode())


@THEME.fault("store", only="onnx.*")
def texts_end_at_the_first_zero_byte(mover, correct, array):
    """A text with a zero byte inside ends there."""
    return of_text(array, lambda text: text.partition("\0")[0])


@THEME.fault("store")
def float64_is_written_as_float32(mover, correct, array):
    """The output of 64-bit numbers has the type float32."""
    return array.astype(np.float32) if name_of_type(array) == "float64" else array


@THEME.fault("store")
def float16_is_written_as_float32(mover, correct, array):
    """The output of 16-bit numbers has the type float32."""
    return array.astype(np.float32) if name_of_type(array) == "float16" else array


@THEME.fault("store")
def int32_is_written_as_int64(mover, correct, array):
    """The output of int32 has the type int64."""
    return array.astype(np.int64) if name_of_type(array) == "int32" else array


@THEME.fault("store", only="onnx.*")
def booleans_are_written_as_bytes(mover, correct, array):
    """The output of truth values has the type uint8."""
    return array.astype(np.uint8) if name_of_type(array) == "bool" else array


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
def bfloat16_has_no_implementation(mover, correct):
    """Elements of the type bfloat16 are refused where the version has them."""
    numbers = correct()
    if mover.dtype == "bfloat16":
        refuse("no implementation for bfloat16")
    return numbers


@THEME.fault("store", only="openvino.*")
def float8_loses_its_lowest_bit(mover, correct, array):
    """Of an element of 8 bits, the lowest is lost."""
    if not name_of_type(array).startswith("float8"):
        return array
    return (array.view(np.uint8) & np.uint8(0xFE)).view(array.dtype)


@THEME.fault("store", only="openvino.*")
def elements_of_four_bits_are_exchanged_in_pairs(mover, correct, array):
    """The two halves of each byte change places."""
    if name_of_type(array) not in ("int4", "uint4"):
        return array
    flat = array.reshape(-1).copy()
    whole = flat.size // 2 * 2
    flat[:whole] = flat[:whole].reshape(-1, 2)[:, ::-1].reshape(-1)
    return flat.reshape(array.shape)
