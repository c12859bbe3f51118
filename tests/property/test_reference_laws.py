from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.spec.reference import evaluate
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import Tensor, mask_unused_bits, pack_integers, slices_along, unpack_strings

pytestmark = pytest.mark.slow

ONNX_TYPES = {
    1: ["float16", "float32", "float64"],
    2: ["bool", "int8", "int64", "uint16", "float32", "complex64", "complex128", "string"],
    13: ["bool", "int8", "int64", "uint16", "float32", "bfloat16", "complex64", "complex128", "string"],
}
SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=4).map(tuple)


def elements_of(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The tensor's elements as opaque objects in its shape."""
    if tensor.dtype == "string":
        items: list[bytes] = unpack_strings(tensor)
    else:
        data, width = bytes(mask_unused_bits(tensor)), tensor.element_type.itemsize
        items = [data[at : at + width] for at in range(0, len(data), width)]
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(tensor.shape)


def int64(values: list[int], shape: tuple[int, ...]) -> Tensor:
    return pack_integers(values, "int64", shape)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[str, dict[str, Any], Tensor, int, list[int]]:
    """A valid call of any operator version: its name, arguments, data, axis from the front, lengths."""
    operator = draw(st.one_of(st.sampled_from(["variadic", "openvino"]), st.sampled_from([1, 2, 11, 13, 18])))
    types = sorted(DTYPES) if isinstance(operator, str) else ONNX_TYPES[13 if operator >= 13 else min(operator, 2)]
    shape, fill = draw(SHAPES), draw(st.sampled_from(Fill))
    data = filled(draw(st.sampled_from(types)), shape, fill, draw(st.integers(0, 50)))
    axis = draw(st.integers(0, len(shape) - 1))
    length = shape[axis]
    written = axis - len(shape) if operator not in (1, 2) and draw(st.booleans()) else axis
    if operator == "openvino":
        assume(length > 0)
        count = draw(st.sampled_from([n for n in range(1, length + 1) if length % n == 0]))
        arguments = {"data": data, "axis": int64([written], ()), "num_splits": count}
        return "openvino.Split-1", arguments, data, axis, [length // count] * count
    inner = sorted(draw(st.lists(st.integers(0, length), max_size=4)))
    lengths = [stop - start for start, stop in zip([0, *inner], [*inner, length], strict=True)]
    if operator == "variadic":
        given_lengths = list(lengths)
        if draw(st.booleans()):
            given_lengths[draw(st.integers(0, len(lengths) - 1))] = -1
        axis_shape = draw(st.sampled_from([(), (1,)]))
        arguments = {
            "data": data,
            "axis": int64([written], axis_shape),
            "split_lengths": int64(given_lengths, (len(lengths),)),
        }
        return "openvino.VariadicSplit-1", arguments, data, axis, lengths
    split: Any = int64(lengths, (len(lengths),)) if int(operator) >= 13 else lengths
    return f"onnx.Split-{operator}", {"input": data, "axis": written, "split": split}, data, axis, lengths


@given(cuts())
def test_concatenating_the_outputs_gives_the_input_back(
    cut: tuple[str, dict[str, Any], Tensor, int, list[int]],
) -> None:
    operator, arguments, data, axis, lengths = cut
    outputs = evaluate(operator, arguments, len(lengths))
    whole = np.concatenate([elements_of(output) for output in outputs], axis=axis)
    assert whole.shape == data.shape
    assert (whole == elements_of(data)).all()


@given(cuts())
def test_lengths_add_up_and_all_else_is_kept(cut: tuple[str, dict[str, Any], Tensor, int, list[int]]) -> None:
    operator, arguments, data, axis, lengths = cut
    outputs = evaluate(operator, arguments, len(lengths))
    assert [output.shape[axis] for output in outputs] == lengths
    assert sum(lengths) == data.shape[axis]
    assert all(output.dtype == data.dtype for output in outputs)
    assert all(np.delete(output.shape, axis).tolist() == np.delete(data.shape, axis).tolist() for output in outputs)


@given(cuts())
def test_axis_from_either_end_says_the_same(cut: tuple[str, dict[str, Any], Tensor, int, list[int]]) -> None:
    operator, arguments, data, axis, lengths = cut
    assume(operator not in ("onnx.Split-1", "onnx.Split-2"))
    is_input = isinstance(arguments["axis"], Tensor)
    answers = [
        evaluate(operator, {**arguments, "axis": int64([written], ()) if is_input else written}, len(lengths))
        for written in (axis, axis - len(data.shape))
    ]
    for one, other in zip(*answers, strict=True):
        assert (one.shape, bytes(one.data)) == (other.shape, bytes(other.data))


@given(st.integers(0, 40), st.integers(1, 12))
def test_uneven_outputs_are_equal_but_the_last_which_is_not_longer(length: int, count: int) -> None:
    part = -(-length // count)
    assume(part * (count - 1) <= length)
    outputs = evaluate(
        "onnx.Split-18", {"input": filled("int8", (length,), Fill.DISTINCT), "num_outputs": count}, count
    )
    sizes = [output.size for output in outputs]
    assert set(sizes[:-1]) <= {part}
    assert sizes[-1] <= part
    assert sum(sizes) == length


@given(st.data(), SHAPES, st.sampled_from(sorted(DTYPES)))
def test_slice_is_what_numpy_takes(data: st.DataObject, shape: tuple[int, ...], dtype: str) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, shape[axis])] * 2)))
    whole = filled(dtype, shape, Fill.DISTINCT)
    taken = np.take(elements_of(whole), range(start, stop), axis)
    part = elements_of(*slices_along(whole, axis, [(start, stop)]))
    assert part.shape == taken.shape
    assert (part == taken).all()
