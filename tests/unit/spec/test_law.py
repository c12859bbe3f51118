from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conformance.spec.broken_clause import Arguments
from conformance.spec.expression import Law, LawError, law_problems
from conformance.spec.law import lawful_outputs
from conformance.spec.operator import ArgumentKind, Operator, OutputRule, Parameter, Role
from conformance.tensors.tensor import Tensor, array_from_tensor, tensor_from_array

DATA = tensor_from_array(np.arange(6, dtype=np.int8).reshape(2, 3))


def operator(law: Law, **others: ArgumentKind) -> Operator:
    taken = [Parameter(name=name, role=Role.INPUT, kind=kind) for name, kind in others.items()]
    return Operator(
        dialect="own",
        name="Move",
        version=1,
        parameters=(
            Parameter(name="data", role=Role.INPUT, constraint="T"),
            Parameter(name="more", role=Role.INPUT, is_variadic=True),
            *taken,
        ),
        constraints={"T": ("int8",)},
        clauses={},
        data=("data", "more"),
        outputs=OutputRule(),
        law=law,
    )


def law(at: str, shape: str = "data.shape", count: str = "1", **let: str) -> Law:
    return Law(let=tuple(let.items()), count=count, shape=shape, at=at)


def outputs(written: Law, arguments: Arguments | None = None, declared: int = 1, **kinds: ArgumentKind) -> list[object]:
    given: Arguments = {"data": DATA, **(arguments or {})}
    found = lawful_outputs(operator(written, **kinds), given, declared)
    return [array_from_tensor(output).tolist() for output in found]


def integers(*values: int) -> Tensor:
    return tensor_from_array(np.array(values, np.int64))


def test_each_place_has_the_element_that_the_law_names() -> None:
    assert outputs(law("data[[o[1], o[0]]]", "[3, 2]")) == [[[0, 3], [1, 4], [2, 5]]]


def test_outputs_are_counted_and_have_shapes_of_their_own() -> None:
    cut = law("data[[o[0], o[1] + starts[j]]]", "[2, lengths[j]]", "size(lengths)", starts="[0] + cumsum(lengths)")
    found = outputs(cut, {"lengths": integers(1, 0, 2)}, lengths=ArgumentKind.LENGTHS)
    assert found == [[[0], [3]], [[], []], [[1, 2], [4, 5]]]


def test_elements_of_several_inputs_stand_beside_each_other() -> None:
    joined = law("([data] + more)[part][[o[0], o[1] - 3 * part]]", "[2, 6]", part="part_of(o[1], [3, 6])")
    other = tensor_from_array(np.full((2, 3), 9, np.int8))
    assert outputs(joined, {"more_0": other}) == [[[0, 1, 2, 9, 9, 9], [3, 4, 5, 9, 9, 9]]]


def test_indices_have_any_rank_and_a_place_without_an_element_may_be_zero() -> None:
    taken = law("first_of(data.flat[indices[o]], zero)", "indices.shape")
    indices = tensor_from_array(np.array([[5, 6], [0, 1 << 62]], np.uint64))
    assert outputs(taken, {"indices": indices}, indices=ArgumentKind.INDICES) == [[[5, 0], [0, 0]]]


def test_an_output_without_elements_addresses_none() -> None:
    assert outputs(law("data[[9, 9]]", "[0, 4]")) == [[]]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (law("data[[o[0], o[1] + 1]]"), r"element \[0, 2\] of output 0 is not in the data"),
        (law("data[o]", "[2, -3]"), "makes no shapes of"),
        (law("data[o]", "[1] * 65"), "makes no shapes of"),
        (law("data[[0, 0]]", "[100000, 100000]"), "too many steps"),
        (law("data[o]", "data.shape[5]"), "index out of range"),
        (law("data[o // 0]"), "unsupported operand"),
        (law("data[o]", count="data"), "unsupported operand"),
    ],
)
def test_a_law_that_does_not_hold_ends_in_one_message(written: Law, says: str) -> None:
    with pytest.raises(LawError, match=says):
        outputs(written)


def test_an_argument_of_another_version_is_none_of_the_law() -> None:
    with pytest.raises(LawError, match="has no argument axis"):
        outputs(law("data[o]"), {"axis": 1})


def test_an_unknown_name_and_what_is_no_expression_are_problems() -> None:
    let, outputs = {"first": "second", "second": "1"}, {"shape": "data.shape +", "at": "data[oo]"}
    assert [(keys, what.partition(":")[0]) for keys, what in law_problems(let, outputs, {"data"})] == [
        (("let", "first"), "'second' is neither an argument nor a name of `let` before"),
        (("shape",), "'data.shape +' is not an expression"),
        (("at",), "'oo' is neither an argument nor a name of `let` before"),
    ]


def test_an_operator_without_a_law_has_no_lawful_outputs() -> None:
    lawless = replace(operator(law("data[o]")), law=None)
    with pytest.raises(LawError, match=r"own.Move-1 has no law in operator.yaml"):
        lawful_outputs(lawless, {"data": DATA}, 1)
