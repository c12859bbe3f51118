from __future__ import annotations

import pytest

from conformance.protocol.form import Layout
from conformance.protocol.layout import laid_out
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import Tensor, pack_strings, tensor_from_array


@pytest.mark.parametrize("layout", Layout, ids=lambda layout: layout.value)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "complex128"])
def test_elements_are_the_same_in_every_layout(layout: Layout, dtype: str) -> None:
    tensor = filled(dtype, (2, 3, 4), Fill.SPECIAL)
    array = laid_out(tensor, layout)
    assert bytes(tensor_from_array(array).data) == bytes(tensor.data)
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("layout", "strides"),
    [
        (Layout.CONTIGUOUS, (12, 4)),
        (Layout.STRIDED, (24, 8)),
        (Layout.TRANSPOSED, (4, 8)),
        (Layout.REVERSED, (-12, -4)),
        (Layout.OFFSET, (12, 4)),
    ],
)
def test_layout_decides_the_strides(layout: Layout, strides: tuple[int, ...]) -> None:
    assert laid_out(filled("float32", (2, 3), Fill.DISTINCT), layout).strides == strides


def test_stride_is_zero_where_all_elements_are_equal() -> None:
    assert laid_out(Tensor("int8", (2, 3), b"\1\2\3" * 2), Layout.BROADCAST).strides == (0, 1)
    assert laid_out(pack_strings([b"a", b"a", b"b", b"b"], (2, 2)), Layout.BROADCAST).strides[1] == 0


def test_zeros_of_different_signs_are_not_equal() -> None:
    tensor = Tensor("float16", (2,), b"\0\0\0\x80")
    assert laid_out(tensor, Layout.BROADCAST).strides == (2,)


def test_other_elements_lie_around_an_offset_view() -> None:
    array = laid_out(filled("int8", (4,), Fill.DISTINCT), Layout.OFFSET)
    assert array.base is not None
    assert array.base.reshape(-1).tolist() == [3, 0, 1, 2, 3, 0]


@pytest.mark.parametrize("tensor", [filled("float32", (), Fill.DISTINCT), pack_strings([b"a"], ())])
def test_a_scalar_stays_one_in_every_layout(tensor: Tensor) -> None:
    for layout in Layout:
        assert tensor_from_array(laid_out(tensor, layout)) == tensor


def test_data_without_elements_has_every_layout() -> None:
    for layout in Layout:
        assert laid_out(Tensor("int8", (2, 0), b""), layout).shape == (2, 0)
