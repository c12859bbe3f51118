from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    mask_unused_bits,
    pack_integers,
    pack_strings,
    packed,
    slices_along,
    tensor_from_array,
    unpack_integers,
    unpack_strings,
    unpacked,
)


def test_elements_are_little_endian_and_row_major() -> None:
    tensor = tensor_from_array(np.array([[1, 2], [3, 4]], np.uint16))
    assert (tensor.dtype, tensor.shape, bytes(tensor.data)) == ("uint16", (2, 2), b"\1\0\2\0\3\0\4\0")


def test_big_endian_array_gives_the_same_tensor() -> None:
    little, big = np.array([1, 515], "<i4"), np.array([1, 515], ">i4")
    assert bytes(tensor_from_array(big).data) == bytes(tensor_from_array(little).data)


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_layout_of_the_array_does_not_matter(order: str) -> None:
    array = np.asarray(np.arange(6, dtype=np.uint8).reshape(2, 3), order=order)  # type: ignore[call-overload]
    assert bytes(tensor_from_array(array).data) == bytes(range(6))


def test_transposed_and_strided_views_are_read_by_index() -> None:
    array = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert bytes(tensor_from_array(array.T[::2]).data) == bytes([0, 4, 8, 2, 6, 10])


def test_contiguous_array_is_not_copied() -> None:
    array = np.arange(1000)
    assert np.shares_memory(array_from_tensor(tensor_from_array(array)), array)


def test_array_over_a_tensor_cannot_be_written() -> None:
    array = array_from_tensor(Tensor("int8", (2,), b"\1\2"))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5


def test_bits_of_signalling_nans_survive() -> None:
    data = bytes.fromhex("0100807f 0000c0ff")
    assert bytes(tensor_from_array(array_from_tensor(Tensor("float32", (2,), data))).data) == data


@pytest.mark.parametrize("dtype", ["nf4", "uint3", "uint6"])
def test_raw_bits_are_records_of_one_byte_with_the_name_of_their_type(dtype: str) -> None:
    given = Tensor(dtype, (2, 2), b"\1\0\2\3")
    array = array_from_tensor(given)
    assert (array.dtype.names, array.view(np.uint8).tolist()) == ((dtype,), [[1, 0], [2, 3]])
    columns = tensor_from_array(np.concatenate([array[:, :1], array[:, :1]], axis=1))
    assert (columns.dtype, bytes(columns.data)) == (dtype, b"\1\1\2\2")


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        *[("M8[s]", "datetime64[s]"), ("m8[ns]", "timedelta64[ns]"), ("V4", "void32")],
        *[([("nf4", "u2")], "void16"), ([("nf4", "u1"), ("uint3", "u1")], "void16"), ([("u7", "u1")], "void8")],
    ],
)
def test_array_of_another_type_is_refused(dtype: str | list[tuple[str, str]], name: str) -> None:
    with pytest.raises(TypeError) as caught:
        tensor_from_array(np.zeros(2, dtype))
    assert str(caught.value) == f"an array of dtype {name!r} has no type of the suite"


@pytest.mark.parametrize("array", [np.array(["a", "éé", ""]), np.array([b"a", "éé".encode(), b""], dtype=object)])
def test_texts_are_packed_as_lengths_and_utf8(array: np.ndarray[tuple[int], np.dtype[np.object_]]) -> None:
    tensor = tensor_from_array(array)
    assert bytes(tensor.data) == b"\1\0\0\0\4\0\0\0\0\0\0\0a\xc3\xa9\xc3\xa9"
    assert array_from_tensor(tensor).tolist() == ["a", "éé", ""]


def test_object_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^an array of objects holds 'float', not only text$"):
        tensor_from_array(np.array(["a", 1.5], dtype=object))


def test_bytes_that_are_not_utf8_are_kept_as_they_came() -> None:
    odd = b"\xff\xfe".decode("utf-8", "surrogateescape")
    assert unpack_strings(tensor_from_array(np.array([odd], dtype=object))) == [b"\xff\xfe"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\1\0\0", "3 bytes cannot hold the lengths of 2 strings"),
        (b"\1\0\0\0\2\0\0\0ab", "the strings' lengths add up to 3 bytes, but 2 follow"),
        (b"\xff\xff\xff\xff\0\0\0\0", "the strings' lengths add up to 4294967295 bytes, but 0 follow"),
    ],
)
def test_lengths_that_do_not_fit_the_bytes_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        unpack_strings(Tensor("string", (2,), data))


@pytest.mark.parametrize(
    ("dtype", "values", "data"),
    [
        ("int4", [-8, -1, 7], b"\x08\x0f\x07"),
        ("uint4", [0, 15], b"\x00\x0f"),
        ("int1", [-1, 0], b"\x01\x00"),
        ("int64", [-1, 1 << 62], b"\xff" * 8 + b"\0\0\0\0\0\0\0\x40"),
        ("uint64", [(1 << 64) - 1], b"\xff" * 8),
    ],
)
def test_integers_are_packed_in_twos_complement(dtype: str, values: list[int], data: bytes) -> None:
    tensor = pack_integers(values, dtype, (len(values),))
    assert bytes(tensor.data) == data
    assert unpack_integers(tensor) == values


def test_integer_beyond_its_type_is_refused() -> None:
    with pytest.raises(OverflowError, match=r"^8 does not fit int4, which holds -8 to 7$"):
        pack_integers([8], "int4", (1,))


def test_unused_bits_do_not_change_an_integer() -> None:
    assert unpack_integers(Tensor("int4", (2,), b"\xff\xf7")) == [-1, 7]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("size", [1, 40])  # 40 x 7 x 40 doubles take the path of large tensors
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_slice_is_the_one_of_numpy(axis: int, size: int, dtype: type[np.generic]) -> None:
    array = np.arange(size * 7 * size).reshape(size, 7, size).astype(dtype)
    length = array.shape[axis]
    for start, stop in [(0, length), (0, 0), (length, length), (0, min(1, length)), (length // 3, length)]:
        part = array_from_tensor(*slices_along(tensor_from_array(array), axis, [(start, stop)]))
        np.testing.assert_array_equal(part, np.take(array, range(start, stop), axis))
        assert part.shape == np.take(array, range(start, stop), axis).shape


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slice_of_strings_is_the_one_of_numpy(axis: int) -> None:
    array = np.array([f"s{number}" * (number % 4) for number in range(24)], dtype=object).reshape(2, 3, 4)
    part = array_from_tensor(*slices_along(tensor_from_array(array), axis, [(1, array.shape[axis])]))
    np.testing.assert_array_equal(part, np.take(array, range(1, array.shape[axis]), axis))


def test_mask_clears_the_high_bits_of_narrow_types_alone() -> None:
    assert bytes(mask_unused_bits(Tensor("uint4", (2,), b"\xf3\x0f"))) == b"\x03\x0f"
    assert bytes(mask_unused_bits(Tensor("float6_e2m3fn", (1,), b"\xff"))) == b"\x3f"
    assert bytes(mask_unused_bits(Tensor("bool", (1,), b"\xff"))) == b"\xff"
    assert bytes(mask_unused_bits(pack_strings([b"\xff"], (1,)))) == b"\1\0\0\0\xff"


def test_scalar_has_one_element_and_an_empty_tensor_none() -> None:
    assert Tensor("int8", (), b"\1").size == 1
    assert Tensor("int8", (3, 0, 5), b"").size == 0
    assert array_from_tensor(Tensor("int8", (3, 0, 5), b"")).shape == (3, 0, 5)


def test_array_of_ml_dtypes_is_known_by_its_name() -> None:
    assert tensor_from_array(np.zeros(2, ml_dtypes.bfloat16)).dtype == "bfloat16"
    assert tensor_from_array(np.zeros(2, ml_dtypes.int4)).dtype == "int4"


@pytest.mark.parametrize(("bits", "raw"), [(4, b"\x21\x03"), (2, b"\x39"), (1, b"\x05")])
def test_elements_of_less_than_a_byte_lie_side_by_side_and_come_back(bits: int, raw: bytes) -> None:
    elements = np.array([1, 2, 3], np.uint8)
    assert packed(elements, bits).tobytes() == raw
    assert unpacked(packed(elements, bits), bits, 3).tolist() == (elements & ((1 << bits) - 1)).tolist()
