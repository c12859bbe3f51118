from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array

VARIADIC, OV_SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"
S1, S2, S11, S13, S18 = (f"onnx.Split-{version}" for version in (1, 2, 11, 13, 18))


def t(values: Any, dtype: str = "int64") -> Tensor:
    return tensor_from_array(np.array(values, dtype))


def data(*shape: int, dtype: str = "float32") -> Tensor:
    return tensor_from_array(np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape))


def shapes(operator: str, arguments: dict[str, Any], declared: int = 1) -> list[tuple[int, ...]]:
    return [output.shape for output in evaluate(operator, arguments, declared)]


def values(operator: str, arguments: dict[str, Any], declared: int = 1) -> list[Any]:
    return [array_from_tensor(output).tolist() for output in evaluate(operator, arguments, declared)]


# The examples of the pages


def test_first_example_of_variadic_split() -> None:
    arguments = {"data": data(6, 12, 10, 24), "axis": t(0), "split_lengths": t([1, 2, 3])}
    assert shapes(VARIADIC, arguments) == [(1, 12, 10, 24), (2, 12, 10, 24), (3, 12, 10, 24)]


def test_second_example_of_variadic_split() -> None:
    arguments = {"data": data(6, 12, 10, 24), "axis": t(0), "split_lengths": t([-1, 2])}
    assert shapes(VARIADIC, arguments) == [(4, 12, 10, 24), (2, 12, 10, 24)]


def test_example_of_openvino_split() -> None:
    arguments = {"data": data(6, 12, 10, 24), "axis": t(1), "num_splits": 3}
    assert shapes(OV_SPLIT, arguments) == [(6, 4, 10, 24)] * 3


# VariadicSplit-1


@pytest.mark.parametrize(
    ("axis", "lengths", "outputs"),
    [
        (t(1), [1, 2], [[[0], [3]], [[1, 2], [4, 5]]]),
        (t(-1), [1, 2], [[[0], [3]], [[1, 2], [4, 5]]]),
        (t([1]), [1, 2], [[[0], [3]], [[1, 2], [4, 5]]]),
        (t(-2), [1, 1], [[[0, 1, 2]], [[3, 4, 5]]]),
        (t(1), [-1, 2], [[[0], [3]], [[1, 2], [4, 5]]]),
        (t(1), [3, -1], [[[0, 1, 2], [3, 4, 5]], [[], []]]),
        (t(1), [0, 3, 0], [[[], []], [[0, 1, 2], [3, 4, 5]], [[], []]]),
        (t(1), [-1], [[[0, 1, 2], [3, 4, 5]]]),
        (t(0, "uint8"), [2], [[[0, 1, 2], [3, 4, 5]]]),
    ],
)
def test_variadic_split_cuts_where_its_lengths_say(axis: Tensor, lengths: list[int], outputs: list[Any]) -> None:
    arguments = {"data": data(2, 3), "axis": axis, "split_lengths": t(lengths)}
    assert values(VARIADIC, arguments) == outputs


@pytest.mark.parametrize(
    ("shape", "axis", "lengths", "expected"),
    [
        ((0, 3), 0, [0, 0], [(0, 3), (0, 3)]),
        ((0, 3), 0, [-1, 0], [(0, 3), (0, 3)]),
        ((0, 3), 1, [1, 2], [(0, 1), (0, 2)]),
        ((2, 0), 1, [-1], [(2, 0)]),
        ((2, 0), 1, [], []),
    ],
)
def test_variadic_split_of_data_without_elements(
    shape: tuple[int, ...], axis: int, lengths: list[int], expected: list[tuple[int, ...]]
) -> None:
    arguments = {"data": data(*shape), "axis": t(axis), "split_lengths": t(lengths)}
    assert shapes(VARIADIC, arguments) == expected


# ONNX Split


@pytest.mark.parametrize("operator", [S2, S11])
def test_lengths_are_an_attribute_before_13(operator: str) -> None:
    assert values(operator, {"input": data(5), "split": [2, 3]}, 2) == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("operator", [S13, S18])
def test_lengths_are_an_input_from_13_on(operator: str) -> None:
    assert values(operator, {"input": data(5), "split": t([2, 3])}, 2) == [[0, 1], [2, 3, 4]]


def test_lengths_of_split_1_may_be_an_attribute_or_an_input_of_its_type() -> None:
    assert values(S1, {"input": data(5), "axis": 0, "split": [2, 3]}, 2) == [[0, 1], [2, 3, 4]]
    assert values(S1, {"input": data(5), "axis": 0, "split": t([2, 3], "float32")}, 2) == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("operator", [S1, S2, S11, S13])
def test_without_lengths_the_declared_outputs_share_equally(operator: str) -> None:
    assert values(operator, {"input": data(2, 4), "axis": 1}, 2) == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


@pytest.mark.parametrize("operator", [S1, S2, S11, S13, S18])
def test_axis_that_is_left_out_is_the_first(operator: str) -> None:
    count = {"num_outputs": 2} if operator == S18 else {}
    assert values(operator, {"input": data(2, 2), **count}, 2) == [[[0, 1]], [[2, 3]]]


@pytest.mark.parametrize("operator", [S11, S13, S18])
def test_axis_counts_from_the_end_from_11_on(operator: str) -> None:
    count = {"num_outputs": 2} if operator == S18 else {}
    assert values(operator, {"input": data(2, 2), "axis": -1, **count}, 2) == [[[0], [2]], [[1], [3]]]


@pytest.mark.parametrize(
    ("length", "count", "lengths"),
    [
        (6, 3, [2, 2, 2]),
        (7, 3, [3, 3, 1]),
        (5, 2, [3, 2]),
        (3, 2, [2, 1]),
        (1, 1, [1]),
        (0, 2, [0, 0]),
        (6, 4, [2, 2, 2, 0]),
    ],
)
def test_last_of_uneven_outputs_takes_the_remainder(length: int, count: int, lengths: list[int]) -> None:
    outputs = shapes(S18, {"input": data(2, length), "axis": 1, "num_outputs": count}, count)
    assert outputs == [(2, part) for part in lengths]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64", "complex128", "string"]
)
def test_elements_of_any_type_are_moved(dtype: str) -> None:
    if dtype == "bfloat16":
        whole = Tensor("bfloat16", (4,), bytes(range(8)))
    else:
        plain = np.array([0, 1, 2, 3])
        whole = tensor_from_array(plain.astype(str) if dtype == "string" else plain.astype(dtype))
    first, second = evaluate(S13, {"input": whole, "split": t([1, 3])}, 2)
    assert (first.dtype, first.shape, second.shape) == (dtype, (1,), (3,))
    if dtype != "string":
        assert bytes(first.data) + bytes(second.data) == bytes(whole.data)


def test_signalling_nans_and_signs_of_zeros_are_moved_untouched() -> None:
    whole = Tensor("float32", (4,), bytes.fromhex("0100807f 00000080 0000c0ff 01000000"))
    first, second = evaluate(VARIADIC, {"data": whole, "axis": t(0), "split_lengths": t([3, 1])}, 2)
    assert bytes(first.data) + bytes(second.data) == whole.data


WAYS_TO_GIVE_LENGTHS: list[tuple[str, Callable[[list[int]], object]]] = [
    *((operator, list) for operator in (S1, S2, S11)),
    *((operator, t) for operator in (S13, S18)),
]
# Every clause that can be broken

six, rows = data(6), data(2, 6)
BROKEN: list[tuple[str, dict[str, Any], int, str]] = [
    (VARIADIC, {"axis": t(0), "split_lengths": t([6])}, 1, "data.required"),
    (VARIADIC, {"data": 5, "axis": t(0), "split_lengths": t([6])}, 1, "data.required"),
    (VARIADIC, {"data": six, "split_lengths": t([6])}, 1, "axis.required"),
    (VARIADIC, {"data": six, "axis": 0, "split_lengths": t([6])}, 1, "axis.required"),
    (VARIADIC, {"data": six, "axis": t(0)}, 1, "split_lengths.required"),
    (VARIADIC, {"data": six, "axis": t(0, "float32"), "split_lengths": t([6])}, 1, "types.T2"),
    (VARIADIC, {"data": six, "axis": t(False, "bool"), "split_lengths": t([6])}, 1, "types.T2"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([6], "float32")}, 1, "types.T2"),
    (VARIADIC, {"data": six, "axis": t([0, 0]), "split_lengths": t([6])}, 1, "axis.shape"),
    (VARIADIC, {"data": six, "axis": t([]), "split_lengths": t([6])}, 1, "axis.shape"),
    (VARIADIC, {"data": six, "axis": t([[0]]), "split_lengths": t([6])}, 1, "axis.shape"),
    (VARIADIC, {"data": six, "axis": t(1), "split_lengths": t([6])}, 1, "axis.range"),
    (VARIADIC, {"data": six, "axis": t(-2), "split_lengths": t([6])}, 1, "axis.range"),
    (VARIADIC, {"data": data(), "axis": t(0), "split_lengths": t([1])}, 1, "axis.range"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t(6)}, 1, "split_lengths.rank"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([[2, 4]])}, 2, "split_lengths.rank"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([2, 3])}, 2, "split_lengths.sum"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([2, 5])}, 2, "split_lengths.sum"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([7, -1])}, 2, "split_lengths.sum"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([])}, 1, "split_lengths.sum"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([-2, 8])}, 2, "split_lengths.range"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([-1, 2, -1])}, 3, "split_lengths.single_remainder"),
    (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([6]), "num_splits": 1}, 1, "arguments"),
    (OV_SPLIT, {"axis": t(0), "num_splits": 2}, 2, "data.required"),
    (OV_SPLIT, {"data": six, "num_splits": 2}, 2, "axis.required"),
    (OV_SPLIT, {"data": six, "axis": t(0)}, 2, "num_splits.required"),
    (OV_SPLIT, {"data": six, "axis": t([0]), "num_splits": 2}, 2, "axis.shape"),
    (OV_SPLIT, {"data": six, "axis": t(0.0, "float64"), "num_splits": 2}, 2, "types.T_AXIS"),
    (OV_SPLIT, {"data": six, "axis": t(1), "num_splits": 2}, 2, "axis.range"),
    (OV_SPLIT, {"data": rows, "axis": t(-3), "num_splits": 2}, 2, "axis.range"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 2.0}, 2, "num_splits.type"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": True}, 1, "num_splits.type"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": t(2)}, 2, "num_splits.type"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 0}, 1, "num_splits.range"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 7}, 7, "num_splits.range"),
    (OV_SPLIT, {"data": data(0), "axis": t(0), "num_splits": 1}, 1, "num_splits.range"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 4}, 4, "num_splits.divides"),
    (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 2, "split_lengths": t([3, 3])}, 2, "arguments"),
    *[
        row
        for operator, split in WAYS_TO_GIVE_LENGTHS
        for row in [
            (operator, {"split": split([6])}, 1, "input.required"),
            (operator, {"input": 6, "split": split([6])}, 1, "input.required"),
            (operator, {"input": six, "axis": 1, "split": split([6])}, 1, "axis.range"),
            (operator, {"input": six, "axis": -2, "split": split([6])}, 1, "axis.range"),
            (operator, {"input": data(), "split": split([1])}, 1, "axis.range"),
            (operator, {"input": six, "axis": 0.0, "split": split([6])}, 1, "axis.type"),
            (operator, {"input": six, "axis": [0], "split": split([6])}, 1, "axis.type"),
            (operator, {"input": six, "axis": t(0), "split": split([6])}, 1, "axis.type"),
            (operator, {"input": six, "split": split([-1, 7])}, 2, "split.non_negative"),
            (operator, {"input": six, "split": split([2, 3])}, 2, "split.sum"),
            (operator, {"input": six, "split": split([3, 4])}, 2, "split.sum"),
            (operator, {"input": six, "split": split([2, 4])}, 3, "split.count"),
            (operator, {"input": six, "split": split([2, 4])}, 1, "split.count"),
            (operator, {"input": six, "split": split([6])}, 0, "outputs.count"),
            (operator, {"input": six, "split": split([6]), "axes": 0}, 1, "arguments"),
        ]
    ],
    *[(operator, {"input": six}, 4, "split.equal") for operator in (S1, S2, S11, S13)],
    *[(operator, {"input": six}, 0, "outputs.count") for operator in (S1, S2, S11, S13)],
    *[(operator, {"input": six, "axis": -1}, 1, "axis.range") for operator in (S1, S2)],
    *[(operator, {"input": data(6, dtype="int8")}, 1, "types.T") for operator in (S1,)],
    *[
        (operator, {"input": Tensor("bfloat16", (1,), b"\0\0")}, 1, "types.T")
        for operator in (S1, S2, S11)
    ],
    *[(operator, {"input": Tensor("int4", (1,), b"\0")}, 1, "types.T") for operator in (S2, S11, S13, S18)],
    *[(operator, {"input": six, "split": [2, 4.0]}, 2, "split.type") for operator in (S1, S2, S11)],
    *[(operator, {"input": six, "split": 6}, 1, "split.type") for operator in (S1, S2, S11)],
    *[(operator, {"input": six, "split": t([6])}, 1, "arguments") for operator in (S2, S11)],
    *[(operator, {"input": six, "split": [6]}, 1, "arguments") for operator in (S13, S18)],
    *[(operator, {"input": six, "split": t([6], "int32")}, 1, "split.type") for operator in (S13, S18)],
    *[(operator, {"input": six, "split": t(6)}, 1, "split.rank") for operator in (S13, S18)],
    *[(operator, {"input": six, "num_outputs": 2}, 2, "arguments") for operator in (S1, S2, S11, S13)],
    (S1, {"input": six, "split": t([2, 4], "float64")}, 2, "types.T"),
    (S1, {"input": six, "split": t([2.5, 3.5], "float32")}, 2, "split.type"),
    (S1, {"input": six, "split": t([np.nan, 6], "float32")}, 2, "split.type"),
    (S1, {"input": six, "split": t([np.inf, 6], "float32")}, 2, "split.type"),
    (S18, {"input": six}, 2, "num_outputs.exclusive"),
    (S18, {"input": six, "split": t([3, 3]), "num_outputs": 2}, 2, "num_outputs.exclusive"),
    (S18, {"input": six, "num_outputs": 2.0}, 2, "num_outputs.type"),
    (S18, {"input": six, "num_outputs": t(2)}, 2, "num_outputs.type"),
    (S18, {"input": six, "num_outputs": 0}, 1, "num_outputs.range"),
    (S18, {"input": six, "num_outputs": -1}, 1, "num_outputs.range"),
    (S18, {"input": six, "num_outputs": 2}, 3, "num_outputs.declared"),
    (S18, {"input": six, "num_outputs": 3}, 2, "num_outputs.declared"),
    (S18, {"input": data(5), "num_outputs": 4}, 4, "num_outputs.remainder"),
    (S18, {"input": data(2), "num_outputs": 4}, 4, "num_outputs.remainder"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "arguments", "declared", "clause"),
    BROKEN,
    ids=[f"{operator}-{clause}-{number}" for number, (operator, _, _, clause) in enumerate(BROKEN)],
)
def test_broken_clause_is_named(operator: str, arguments: dict[str, Any], declared: int, clause: str) -> None:
    with pytest.raises(BrokenClauseError) as caught:
        evaluate(operator, arguments, declared)
    assert caught.value.clause == clause


@pytest.mark.parametrize(
    ("operator", "arguments", "declared", "message"),
    [
        (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([2, 5])}, 2,
         "split_lengths.sum: the lengths add up to 7, not to 6"),
        (VARIADIC, {"data": six, "axis": t(0), "split_lengths": t([7, -1])}, 2,
         "split_lengths.sum: the lengths leave -1 of 6 for -1"),
        (VARIADIC, {"data": six, "axis": t(3), "split_lengths": t([6])}, 1,
         "axis.range: axis 3 addresses no dimension of data with rank 1"),
        (OV_SPLIT, {"data": six, "axis": t(0), "num_splits": 4}, 4,
         "num_splits.divides: 6 is not divisible by 4"),
        (S18, {"input": data(5), "num_outputs": 4}, 4,
         "num_outputs.remainder: 5 into 4 parts of 2 leaves -1"),
        (S18, {"input": six}, 2,
         "num_outputs.exclusive: neither split nor num_outputs is given; exactly one must be"),
        (S13, {"input": six, "split": t([2, 4])}, 3,
         "split.count: 2 lengths are given, but the node declares 3 outputs"),
    ],
)  # fmt: skip
def test_message_says_what_breaks_the_clause(
    operator: str, arguments: dict[str, Any], declared: int, message: str
) -> None:
    with pytest.raises(BrokenClauseError) as caught:
        evaluate(operator, arguments, declared)
    assert str(caught.value) == message


def test_unknown_operator_has_no_reference() -> None:
    with pytest.raises(KeyError):
        evaluate("onnx.Concat-12", {}, 1)


@pytest.mark.parametrize(("axis", "shape"), [(0, ()), (0, (1,))])
def test_axis_may_be_a_scalar_or_hold_one_number(axis: int, shape: Sequence[int]) -> None:
    axis_tensor = tensor_from_array(np.full(shape, axis, np.int32))
    assert shapes(VARIADIC, {"data": six, "axis": axis_tensor, "split_lengths": t([6])}) == [(6,)]
