"""Forms that give the arguments in another way."""

from __future__ import annotations

from conformance.border.call import Attribute
from conformance.border.form import Form
from conformance.language.case import Case, Value
from conformance.language.form_rules.rule import FormRule, integers_like, moves_data
from conformance.language.operator import Role
from conformance.values.dtypes import DTYPES, Kind


def _has_runtime_arguments(case: Case) -> bool:
    """Runtime forms need an input besides the data."""
    return any(a.role is Role.INPUT and not case.operator.is_data(a.name) for a in case.arguments)


def _has_two_runtime_arguments(case: Case) -> bool:
    """With one such input, giving it alone at run time is the form `runtime`."""
    return _is_input(case, case.operator.split_axis) and _is_input(case, case.operator.lengths)


def _is_input(case: Case, name: str | None) -> bool:
    """Whether the case gives the argument with that name as an input."""
    return any(a.name == name and a.role is Role.INPUT for a in case.arguments)


def _can_restate_axis(case: Case) -> bool:
    """An axis from the end needs a page that allows it."""
    return moves_data(case) and case.operator.takes_negative_axis and _restated_axis(case) is not None


def _with_restated_axis(case: Case) -> tuple[Case, ...]:
    axis = _restated_axis(case)
    assert axis is not None
    return (case.with_value(case.operator.split_axis, axis),)


def _restated_axis(case: Case) -> Value | Attribute | None:
    """`axis - rank` with the role, type and shape of the axis; None unless a valid axis from the front is written."""
    value, data, axis = case.value(case.operator.split_axis), case.data, case.split_axis
    if value is None or data is None or axis is None or not 0 <= axis < len(data.shape):
        return None
    restated = axis - len(data.shape)
    if not isinstance(value, Value):
        return restated
    if DTYPES[value.dtype].kind is not Kind.SIGNED:
        return None
    return integers_like(value, [restated])


_OF_INPUTS = FormRule(fits=_has_runtime_arguments, needs="an input besides the data")
_OF_TWO_INPUTS = FormRule(fits=_has_two_runtime_arguments, needs="an axis and lengths that are inputs")

RULES = {
    Form.AS_IN_THE_MODEL: FormRule(
        fits=lambda case: case.in_model is not None, needs="`in_model`, which says how the call is in a model"
    ),
    Form.RUNTIME: _OF_INPUTS,
    Form.RUNTIME_LENGTHS: _OF_TWO_INPUTS,
    Form.RUNTIME_AXIS: _OF_TWO_INPUTS,
    Form.SOME_DIMS: FormRule(
        fits=lambda case: case.data is not None and len(case.data.shape) > 1, needs="data with two dims or more"
    ),
    Form.RUNTIME_DYNAMIC: _OF_INPUTS,
    Form.UNCOUNTED_LENGTHS: FormRule(
        fits=lambda case: _is_input(case, case.operator.lengths), needs="lengths that are an input"
    ),
    Form.RUNTIME_DYNAMIC_RANK: _OF_INPUTS,
    Form.AXIS_FROM_END: FormRule(
        fits=_can_restate_axis,
        steps=_with_restated_axis,
        needs="an axis that can be counted from the end",
    ),
}
