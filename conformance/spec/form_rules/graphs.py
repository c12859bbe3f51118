"""Forms that change the graph: the nodes next to the operator, its constants, and how a model writes its node."""

from __future__ import annotations

import math
from dataclasses import replace

from conformance.protocol.form import Form
from conformance.spec.case import (
    Case,
    Disputed,
    Elements,
    Lawful,
    Literals,
    MovedData,
    Parts,
    Rejection,
    Settled,
    Value,
    changed,
    expected_outputs,
)
from conformance.spec.form_rules.rule import (
    FormRule,
    has_numbers_for_relu,
    is_kept_by_relu,
    is_rejected,
    is_settled_by_relu,
    lengths_in_order,
    moves_data,
    sign_bit,
    with_other_elements,
)
from conformance.spec.operator import Role
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, array_from_tensor, rectified, tensor_from_array


def _fits_after_relu(case: Case) -> bool:
    first = next((argument.name for argument in case.arguments if argument.role is Role.INPUT), "")
    if case.data is None or not case.operator.is_data(first) or not has_numbers_for_relu(case.data):
        return False
    is_settled = is_settled_by_relu(case.data)
    if moves_data(case) or is_rejected(case):
        return is_settled
    return isinstance(case.expectation, Disputed) and not is_settled


def _after_relu(case: Case) -> tuple[Case, ...]:
    if not isinstance(case.expectation, MovedData):
        return (case,)
    return (_with_elements_below_zero(case), _behind_relu(case))


def _with_elements_below_zero(case: Case) -> Case:
    """The call with other elements in front of a Relu: every second one is negative and becomes 0. If the type has no
    sign, none is negative.
    """
    import numpy as np

    case = with_other_elements(case)
    data = case.data
    if data is None or not DTYPES[data.dtype].sign_bit:
        return case
    given = np.frombuffer(data.tensor().data, f"<u{DTYPES[data.dtype].itemsize}")
    is_below = (np.arange(given.size) % 2 == 1) & (given != 0)
    below = np.where(is_below, given | given.dtype.type(DTYPES[data.dtype].sign_bit), given)
    return _behind_relu(case.with_data(Value.of(Tensor(data.dtype, data.shape, below.tobytes()))))


def _behind_relu(case: Case) -> Case:
    """The call with the outputs that it has behind a Relu: parts of the data with 0 for each negative element."""
    data = case.data
    if data is None or not sign_bit(data) or is_kept_by_relu(data):
        return case
    expected = expected_outputs(case.expectation, case.with_data(Value.of(rectified(data.tensor()))))
    return replace(case, expectation=Literals(tuple(map(Value.of, expected))))


def _fits_before_concat(case: Case) -> bool:
    return case.operator.splits and (is_rejected(case) or _joined(case) is not None)


def _before_concat(case: Case) -> tuple[Case, ...]:
    if isinstance(case.expectation, Rejection):
        return (case,)
    whole = _joined(case)
    assert whole is not None
    return (with_other_elements(whole), whole)


def _joined(case: Case) -> Case | None:
    """The call in front of a Concat, which restores the data. None if an interpretation requires anything but all of
    the data in order.
    """
    if not isinstance(case.expectation, Disputed):
        lengths = lengths_in_order(case)
        return None if lengths is None else replace(case, expectation=Parts(((0, sum(lengths)),)))
    interpretations = []
    for interpretation in case.expectation.interpretations:
        whole = _joined(replace(case, expectation=interpretation.expectation))
        if whole is None or not isinstance(whole.expectation, Parts):
            return None
        interpretations.append(replace(interpretation, expectation=whole.expectation))
    return replace(case, expectation=Disputed(tuple(interpretations)))


def _has_data_in_a_file(case: Case) -> bool:
    return case.data is not None and case.data.dtype != "string"


def _twice(case: Case) -> tuple[Case, ...]:
    """A valid call runs twice."""
    return (case,) if isinstance(case.expectation, Rejection) else (case, case)


def _with_every_second_output(case: Case) -> tuple[Case, ...]:
    """The call with only the first, third, ... output as outputs of the graph."""
    return (replace(case, expectation=changed(case.expectation, _every_second_output)),)


def _every_second_output(expected: Settled) -> Settled:
    match expected:
        case Rejection():
            return expected
        case Parts(bounds=bounds):
            return Parts(bounds[::2])
        case Elements(outputs=arrangements):
            return replace(expected, outputs=arrangements[::2])
        case Lawful():
            return Lawful(2)
        case Literals(outputs=outputs):
            return Literals(outputs[::2])


def _leaves_an_input_out(case: Case) -> bool:
    given = [argument.name for argument in case.arguments if argument.role is Role.INPUT]
    return not all(any(map(item.takes, given)) for item in case.operator.inputs)


_OF_SEVERAL_OUTPUTS = FormRule(
    fits=lambda case: case.declared_outputs > 1, steps=_with_every_second_output, needs="two outputs or more"
)

GRAPH_RULES = {
    Form.AFTER_RELU: FormRule(
        fits=_fits_after_relu, steps=_after_relu, needs="floating-point data without NaN and -0.0"
    ),
    Form.BEFORE_CONCAT: FormRule(
        fits=_fits_before_concat, steps=_before_concat, needs="outputs that are parts of the data along an axis"
    ),
    Form.CONSTANT_FOLDED: FormRule(fits=lambda case: case.data is not None, steps=_twice, needs="data"),
    Form.UNUSED_OUTPUTS: _OF_SEVERAL_OUTPUTS,
    Form.UNNAMED_OUTPUTS: _OF_SEVERAL_OUTPUTS,
    Form.EMPTY_INPUT_NAME: FormRule(fits=_leaves_an_input_out, needs="an optional input that is left out"),
    Form.EXTERNAL_DATA: FormRule(fits=_has_data_in_a_file, steps=_twice, needs="a constant that a file can hold"),
}


# Forms that give the data, or all inputs, in another memory layout.

_BYTE = 8


def _has_elements(case: Case, *, more_than: int = 0) -> bool:
    return case.data is not None and math.prod(case.data.shape) > more_than


def _is_table(case: Case) -> bool:
    """A vector has only one memory order, and so does a table with one row."""
    return case.data is not None and all(case.data.shape) and sum(dim > 1 for dim in case.data.shape) > 1


def _has_addresses(case: Case) -> bool:
    """Frameworks copy sub-byte elements and strings, so that their place in memory does not matter."""
    return _has_elements(case) and case.data is not None and DTYPES[case.data.dtype].bits >= _BYTE


def _axis_to_equal(case: Case) -> int | None:
    """The first axis with several elements that is not split, so that data which is constant along it still has
    different parts. None if there is none, or if the outputs do not follow from the data.
    """
    data, axis = case.data, case.split_dim
    if data is None or not all(data.shape):
        return None
    if isinstance(case.expectation, Elements | Lawful):
        longer = [index for index, dim in enumerate(data.shape) if dim > 1]
        return longer[0] if len(longer) > 1 else None
    if not isinstance(case.expectation, Parts) or axis is None:
        return None
    return next((index for index, dim in enumerate(data.shape) if index != axis and dim > 1), None)


def _with_equal_elements(case: Case) -> tuple[Case, ...]:
    """The call with data that is constant along one axis; the case itself if `_axis_to_equal` finds none."""
    import numpy as np

    along = _axis_to_equal(case)
    if along is None or case.data is None:
        return (case,)
    array = array_from_tensor(case.data.tensor())
    equal = np.broadcast_to(array.take([0], axis=along), array.shape)
    return (case.with_data(Value.of(tensor_from_array(equal))),)


def _has_list_as_input(case: Case) -> bool:
    """Whether an input other than the data has several elements, between which there can be a gap."""
    inputs = [a for a in case.arguments if a.role is Role.INPUT and not case.operator.is_data(a.name)]
    return any(isinstance(a.value, Value) and math.prod(a.value.shape) > 1 for a in inputs)


_OF_SEVERAL_ELEMENTS = FormRule(
    fits=lambda case: _has_elements(case, more_than=1), needs="data with more than one element"
)

LAYOUT_RULES = {
    Form.STRIDED: _OF_SEVERAL_ELEMENTS,
    Form.RUNTIME_STRIDED: FormRule(
        fits=_has_list_as_input, needs="an input besides the data with more than one element"
    ),
    Form.TRANSPOSED: FormRule(fits=_is_table, needs="data with two dims above 1"),
    Form.REVERSED: _OF_SEVERAL_ELEMENTS,
    Form.BROADCAST: FormRule(
        fits=lambda case: _axis_to_equal(case) is not None,
        steps=_with_equal_elements,
        needs="data with a dim above 1 beside the axis",
    ),
    Form.OFFSET: FormRule(fits=_has_addresses, needs="data with elements of whole bytes"),
}
