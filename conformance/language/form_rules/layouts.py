"""Forms that give the data, or all inputs, in another memory layout."""

from __future__ import annotations

import math

from conformance.border.form import Form
from conformance.language.case import Case, Elements, Lawful, Parts, Value
from conformance.language.form_rules.rule import FormRule
from conformance.language.operator import Role
from conformance.values.dtypes import DTYPES
from conformance.values.tensor import array_from_tensor, tensor_from_array

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

RULES = {
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
