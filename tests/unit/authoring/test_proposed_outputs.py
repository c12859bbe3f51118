from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bundled import bundled_operators
from moved_cases import made, transposed
from split_cases import integers

from conformance.authoring.drafts import parts_along, proposed_outputs, strides_of
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import Argument, Case, Value
from conformance.spec.elements import row_major_strides
from conformance.tensors.tensor import tensor_from_array

OPERATORS = bundled_operators()


def call(operator: str, **arguments: Value | int | list[int]) -> Case:
    roles = {parameter.name: parameter.role for parameter in OPERATORS[operator].parameters}
    given = [Argument(name, roles[name], value) for name, value in arguments.items()]
    return made(OPERATORS[operator], given, transposed((2,), [0]).expectation)


def floats(*shape: int) -> Value:
    return Value(dtype="float32", shape=shape)


def whole(*numbers: int) -> Value:
    return integers(numbers, (len(numbers),))


def test_an_operator_that_cuts_has_parts_of_its_data() -> None:
    case = call("onnx.Split-13", input=floats(2, 6), split=whole(2, 0, 4), axis=1)
    assert proposed_outputs(replace(case, declared_outputs=3)) == "0:2,2:2,2:6"


def test_an_operator_that_moves_has_the_number_of_each_element() -> None:
    assert (
        proposed_outputs(call("onnx.Transpose-13", data=floats(2, 3), perm=[1, 0]))
        == "[{at: [[0, 3], [1, 4], [2, 5]]}]"
    )


def test_without_a_reference_nothing_is_proposed() -> None:
    case = call("onnx.Transpose-13", data=floats(2, 3), perm=[1, 0])
    assert proposed_outputs(replace(case, operator=replace(case.operator, name="Unknown"))) == ""


def test_many_elements_are_a_block() -> None:
    case = call("onnx.Transpose-13", data=floats(5, 6), perm=[1, 0])
    assert proposed_outputs(case) == "[{block: {start: 0, shape: [6, 5], strides: [1, 6]}}]"


def test_many_elements_without_constant_strides_are_written_each() -> None:
    numbers = [*range(12), *range(13, 0, -1)]
    case = call("onnx.Gather-13", data=floats(14), indices=whole(*numbers))
    assert proposed_outputs(case) == f"[{{at: {numbers}}}]"


def test_an_output_without_elements_keeps_its_shape() -> None:
    case = call("onnx.Gather-13", data=floats(3, 2), indices=Value(dtype="int64", shape=(0,)))
    assert proposed_outputs(case) == "[{at: [], shape: [0, 2]}]"


def test_large_data_is_left_to_the_author() -> None:
    assert proposed_outputs(call("onnx.Transpose-13", data=floats(400, 400), perm=[1, 0])) == ""


def test_what_the_page_forbids_has_no_outputs() -> None:
    with pytest.raises(BrokenClauseError):
        proposed_outputs(call("onnx.Transpose-13", data=floats(2, 3), perm=[1, 1]))


def test_parts_follow_each_other() -> None:
    outputs = [tensor_from_array(np.zeros((length, 2), np.int8)) for length in (3, 0, 1)]
    assert parts_along(0, outputs) == ["0:3", "3:3", "3:4"]


@pytest.mark.parametrize(
    ("numbers", "strides"),
    [
        ([[0, 1, 2], [3, 4, 5]], [3, 1]),
        ([[5, 3, 1]], [3, -2]),
        ([[7, 7], [7, 7]], [0, 0]),
        ([[0, 1], [2, 4]], None),
        ([[0, 2, 3]], None),
    ],
)
def test_strides_are_what_a_step_along_each_dim_adds(numbers: list[list[int]], strides: list[int] | None) -> None:
    array = np.array(numbers)
    assert strides_of(array, row_major_strides(array.shape)) == strides
