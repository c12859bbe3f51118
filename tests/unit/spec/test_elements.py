from __future__ import annotations

import numpy as np
import pytest
from moved_cases import joined_rows, transposed

from conformance.protocol.form import Form
from conformance.spec.case import Case, Elements, Literals, Value, challenged, due_outputs
from conformance.spec.check import Check, forms_of
from conformance.spec.elements import Arrangement, Block, Joined, Permuted, Places, arranged
from conformance.suite.case_entry import ArrangementEntry
from conformance.suite.yaml_file import Plain, SchemaError, part_of
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, array_from_tensor, pack_integers, tensor_from_array, unpack_integers

TABLE = pack_integers(list(range(10, 16)), "int64", (2, 3))
LAST_ROW = Block(start=3, shape=(3,), strides=(1,))


def arrangement_of(written: Plain, constants: list[Plain]) -> Arrangement:
    return part_of(ArrangementEntry, written, ()).to_arrangement((), constants)


@pytest.mark.parametrize(
    ("arrangement", "expected"),
    [
        (Places((2,), (5, 0)), [15, 10]),
        (Block(start=1, shape=(2, 2), strides=(3, 1)), [11, 12, 14, 15]),
        (Block(start=5, shape=(3,), strides=(-2,)), [15, 13, 11]),
        (Joined((LAST_ROW, Block(start=0, shape=(1,), strides=(1,))), 0), [13, 14, 15, 10]),
        (Permuted((1, 0)), [10, 13, 11, 14, 12, 15]),
        (Places((), (4,)), [14]),
    ],
)  # fmt: skip
def test_an_output_has_the_elements_with_these_numbers(
    arrangement: Places | Block | Joined | Permuted, expected: list[int]
) -> None:
    assert unpack_integers(arranged(arrangement, (TABLE,), None)) == expected


def test_elements_are_counted_through_all_data_and_constants_from_the_end() -> None:
    constants = pack_integers([7, 8], "int64", (2,))
    output = arranged(Places((4,), (6, 5, -1, -2)), (TABLE, pack_integers([20], "int64", (1,))), constants)
    assert unpack_integers(output) == [20, 15, 7, 8]


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_every_bit_of_every_type_is_moved(dtype: str) -> None:
    value = Value(dtype=dtype, shape=(2, 3))
    (output,) = due_outputs(transposed((2, 3), (1, 0), dtype))
    assert output == tensor_from_array(array_from_tensor(value.tensor()).T)


@pytest.mark.parametrize("number", [6, -1])
def test_an_element_that_the_data_does_not_have_is_reported(number: int) -> None:
    with pytest.raises(ValueError, match=f"there is no element {number}: the data has 6, and 0 constants are given"):
        arranged(Places((1,), (number,)), (TABLE,), None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"at": [[0, 3], [1, 4]]}, Places((2, 2), (0, 3, 1, 4))),
        ({"at": 0}, Places((), (0,))),
        ({"at": [], "shape": [0, 3]}, Places((0, 3), ())),
        ({"at": [0, {"value": 9}, {"value": 8}, {"value": 9}]}, Places((4,), (0, -1, -2, -1))),
        ({"block": {"shape": [2, 3]}}, Block(start=0, shape=(2, 3), strides=(3, 1))),
        ({"block": {"start": 4, "shape": [2], "strides": [-3]}}, Block(start=4, shape=(2,), strides=(-3,))),
        (
            {"joined": [{"shape": [1]}, {"start": 1, "shape": [2]}], "along": 0},
            Joined((Block(start=0, shape=(1,), strides=(1,)), Block(start=1, shape=(2,), strides=(1,))), 0),
        ),
        ({"permuted": [1, 0]}, Permuted((1, 0))),
    ],
)
def test_each_way_to_write_elements_is_read(written: Plain, expected: object) -> None:
    assert arrangement_of(written, []) == expected


def test_each_constant_is_kept_once() -> None:
    constants: list[Plain] = []
    for written in ({"at": [{"value": 9}, {"value": 8}]}, {"at": [{"value": 9}]}):
        arrangement_of(written, constants)
    assert constants == [9, 8]


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ({"at": 0, "permuted": [0]}, "has 2 of at, block, joined, permuted"),
        ({"at": [-1]}, "-1 is not the number of an element"),
        ({"at": [[0], [1, 2]]}, r"a list of shape \[2\] stands next to a list of shape \[1\]"),
        ({"permuted": [0, 0]}, r"\(0, 0\) is not an order of dims"),
        ({"block": {"shape": [2], "strides": [1, 1]}}, r"the strides \(1, 1\) do not fit the shape \(2,\)"),
        ({"joined": [{"shape": [1]}, {"shape": [1, 1]}]}, "these blocks cannot be joined"),
        ({"joined": [{"shape": [1]}], "along": 1}, "these blocks cannot be joined"),
    ],
)
def test_elements_written_without_meaning_are_reported(written: Plain, what: str) -> None:
    with pytest.raises(SchemaError, match=what):
        arrangement_of(written, [])


def test_a_second_call_of_permuted_data_has_another_shape_and_its_own_outputs() -> None:
    steps = Check(transposed((2, 3), (1, 0)), Form.SECOND_CALL).steps
    assert [due_outputs(step)[0].shape for step in steps] == [(3, 2), (5, 3), (3, 2)]
    assert np.array_equal(array_from_tensor(due_outputs(steps[1])[0]), array_from_tensor(data_of(steps[1]).tensor()).T)


def test_a_second_call_of_elements_has_the_outputs_of_the_reference() -> None:
    written = Elements((Places((3, 2), (0, 3, 1, 4, 2, 5)),))
    steps = Check(transposed((2, 3), (1, 0), expectation=written), Form.SECOND_CALL).steps
    assert [due_outputs(step)[0].shape for step in steps] == [(3, 2), (5, 3), (3, 2)]
    assert np.array_equal(array_from_tensor(due_outputs(steps[1])[0]), array_from_tensor(data_of(steps[1]).tensor()).T)


@pytest.mark.parametrize("form", [Form.BEFORE_CONCAT, Form.AXIS_FROM_END, Form.RUNTIME_LENGTHS, Form.RUNTIME_AXIS])
def test_a_form_of_parts_is_not_offered_to_other_operators(form: Form) -> None:
    assert forms_of(transposed((2, 3), (1, 0), forms=(form,))) == ()


def test_a_call_that_cannot_have_other_elements_is_not_made_twice() -> None:
    case = transposed((2, 3), (1, 0), forms=(Form.SAME_CALL_TWICE,))
    assert forms_of(case) == (Form.SAME_CALL_TWICE,)
    literal = Literals(tuple(map(Value.of, due_outputs(case))))
    assert forms_of(transposed((2, 3), (1, 0), forms=(Form.SAME_CALL_TWICE,), expectation=literal)) == ()


def test_every_data_input_of_a_challenge_has_other_elements() -> None:
    case = joined_rows(range(6))
    plain, other = (due_outputs(item)[0] for item in (case, challenged(case, "seed")))
    assert (array_from_tensor(plain) != array_from_tensor(other)).all(axis=1).all()


def test_variadic_inputs_are_placed_in_order_and_outputs_have_their_type() -> None:
    call = Check(joined_rows(range(6)), Form.CONSTANT).request.call
    assert (call.signature, call.output_dtype, call.output_rank) == (("inputs_0", "inputs_1"), "float32", 2)
    assert [item.name for item in call.placed_inputs if item is not None] == ["inputs_0", "inputs_1"]


def data_of(case: Case) -> Value:
    assert case.data is not None
    return case.data


def test_tensors_of_two_types_hold_no_elements_of_one_output() -> None:
    with pytest.raises(ValueError, match="come from one or more tensors of one type"):
        arranged(Places((1,), (0,)), (TABLE, Tensor("int8", (1,), b"\0")), None)
