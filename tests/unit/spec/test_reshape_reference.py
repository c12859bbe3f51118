from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array

OV = "openvino.Reshape-1"
R1, R5, R13, R14, R19, R21, R25 = (f"onnx.Reshape-{version}" for version in (1, 5, 13, 14, 19, 21, 25))


def t(values: Any, dtype: str = "int64") -> Tensor:
    return tensor_from_array(np.array(values, dtype))


def data(*shape: int, dtype: str = "float32") -> Tensor:
    return tensor_from_array(np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape))


def shape_of(operator: str, arguments: dict[str, Any]) -> tuple[int, ...]:
    (output,) = evaluate(operator, arguments, 1)
    return output.shape


def test_elements_keep_their_row_major_order() -> None:
    (output,) = evaluate(R14, {"data": data(2, 3), "shape": t([3, 2])}, 1)
    assert array_from_tensor(output).tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("shape", "lengths", "output"),
    [
        ((2, 3, 4), [-1], (24,)),
        ((2, 3, 4), [4, -1], (4, 6)),
        ((2, 3, 4), [0, -1], (2, 12)),
        ((2, 3, 4), [-1, 0], (8, 3)),
        ((2, 3, 4), [0, 0, 0], (2, 3, 4)),
        ((), [-1], (1,)),
        ((1, 1), [], ()),
        ((0, 3), [0, 3], (0, 3)),
        ((2, 0), [5, 0], (5, 0)),
        ((0, 3), [5, -1], (5, 0)),
    ],
)
@pytest.mark.parametrize("operator", [R1, R5, R14])
def test_lengths_of_0_are_copied_and_one_of_minus_1_is_inferred(
    operator: str, shape: tuple[int, ...], lengths: list[int], output: tuple[int, ...]
) -> None:
    given = lengths if operator == R1 else t(lengths)
    assert shape_of(operator, {"data": data(*shape), "shape": given}) == output


@pytest.mark.parametrize(
    ("shape", "lengths", "output"),
    [((0, 3), [3, 0], (3, 0)), ((2, 0), [0, 0], (0, 0)), ((0,), [2, 3, 0], (2, 3, 0)), ((2, 3), [-1, 2], (3, 2))],
)
def test_allowzero_makes_0_a_length(shape: tuple[int, ...], lengths: list[int], output: tuple[int, ...]) -> None:
    assert shape_of(R14, {"data": data(*shape), "shape": t(lengths), "allowzero": 1}) == output


@pytest.mark.parametrize(
    ("copies", "shape", "lengths", "output"),
    [
        (True, (2, 5, 5, 24), [0, -1, 4], (2, 150, 4)),
        (True, (2, 2, 3), [0, 0, 1, -1], (2, 2, 1, 3)),
        (True, (3, 1, 1), [-1, 0], (3, 1)),
        (False, (2, 5, 5, 0), [0, 4], (0, 4)),
        (False, (2, 3), [-1], (6,)),
        (False, (1,), [], ()),
    ],
)
def test_special_zero_says_whether_a_0_is_copied(
    *, copies: bool, shape: tuple[int, ...], lengths: list[int], output: tuple[int, ...]
) -> None:
    arguments = {"data": data(*shape), "shape": t(lengths, "int32"), "special_zero": copies}
    assert shape_of(OV, arguments) == output


def test_shape_left_out_in_version_1_is_the_empty_one() -> None:
    assert shape_of(R1, {"data": data(1, 1), "consumed_inputs": [0]}) == ()


@pytest.mark.parametrize(
    ("operator", "dtype"), [(R13, "bfloat16"), (R19, "float8_e4m3fn"), (R21, "int4"), (R25, "uint2")]
)
def test_bits_of_a_type_that_a_version_adds_are_moved(operator: str, dtype: str) -> None:
    given = Tensor(dtype, (2, 2), bytes(range(8))[: 4 * (2 if dtype == "bfloat16" else 1)])
    (output,) = evaluate(operator, {"data": given, "shape": t([4])}, 1)
    assert output == Tensor(dtype, (4,), given.data)


FULL = data(2, 3)


@pytest.mark.parametrize(
    ("operator", "arguments", "clause"),
    [
        (R14, {"shape": t([6])}, "data.required"),
        (R14, {"data": FULL}, "shape.required"),
        (R14, {"data": FULL, "shape": [6]}, "shape.required"),
        (R14, {"data": FULL, "shape": t([6], "int32")}, "shape.type"),
        (R14, {"data": FULL, "shape": t(6)}, "shape.rank"),
        (R14, {"data": FULL, "shape": t([[6]])}, "shape.rank"),
        (R14, {"data": FULL, "shape": t([5])}, "shape.count"),
        (R14, {"data": FULL, "shape": t([4, -1])}, "shape.count"),
        (R14, {"data": FULL, "shape": t([])}, "shape.count"),
        (R14, {"data": data(2, 4), "shape": t([4, 2**62 + 2])}, "shape.count"),
        (R14, {"data": data(0, 3), "shape": t([0, -1])}, "shape.count"),
        (R14, {"data": FULL, "shape": t([-1, 6, -1])}, "shape.minus_one"),
        (R14, {"data": FULL, "shape": t([-2, -3])}, "shape.range"),
        (R14, {"data": FULL, "shape": t([2, 3, 0])}, "shape.zero"),
        (R14, {"data": data(0, 3), "shape": t([0, -1]), "allowzero": 1}, "allowzero.minus_one"),
        (R14, {"data": FULL, "shape": t([0, 3]), "allowzero": 1}, "shape.count"),
        (R14, {"data": FULL, "shape": t([6]), "allowzero": 1.0}, "allowzero.type"),
        (R14, {"data": FULL, "shape": t([6]), "allowzero": t(1)}, "arguments"),
        (R13, {"data": FULL, "shape": t([6]), "allowzero": 0}, "arguments"),
        (R14, {"data": FULL, "shape": t([6]), "axis": 0}, "arguments"),
        (R1, {"data": FULL, "shape": t([6])}, "arguments"),
        (R1, {"data": FULL, "shape": 6}, "shape.type"),
        (R1, {"data": FULL, "shape": [6.0]}, "shape.type"),
        (R1, {"data": data(2, 3, dtype="int32"), "shape": [6]}, "types.T"),
        (R5, {"data": Tensor("bfloat16", (2,), bytes(4)), "shape": t([2])}, "types.T"),
        (OV, {"shape": t([6]), "special_zero": True}, "data.required"),
        (OV, {"data": FULL, "special_zero": True}, "shape.required"),
        (OV, {"data": FULL, "shape": t([6])}, "special_zero.required"),
        (OV, {"data": FULL, "shape": t([6]), "special_zero": 1}, "special_zero.type"),
        (OV, {"data": FULL, "shape": t(6), "special_zero": True}, "shape.rank"),
        (OV, {"data": FULL, "shape": t([6], "float32"), "special_zero": True}, "types.T_SHAPE"),
        (OV, {"data": data(6, dtype="bool"), "shape": t([6]), "special_zero": True}, "types.T"),
        (OV, {"data": FULL, "shape": t([255, 2], "uint8"), "special_zero": True}, "shape.count"),
        (OV, {"data": FULL, "shape": t([0, 6]), "special_zero": True}, "shape.count"),
        (OV, {"data": FULL, "shape": t([0, 3]), "special_zero": False}, "shape.count"),
        (OV, {"data": FULL, "shape": t([2, 3, 0]), "special_zero": True}, "shape.zero"),
        (OV, {"data": FULL, "shape": t([6]), "special_zero": True, "axis": 0}, "arguments"),
        (R19, {"data": Tensor("int4", (2,), bytes(2)), "shape": t([2])}, "types.T"),
    ],
)
def test_broken_clause_is_named(operator: str, arguments: dict[str, Any], clause: str) -> None:
    with pytest.raises(BrokenClauseError) as caught:
        evaluate(operator, arguments, 1)
    assert caught.value.clause == clause
