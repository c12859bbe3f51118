"""The forms in which a case runs, and the steps of each form."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from conformance.spec.call_variants import (
    axis_to_equal,
    behind_relu,
    has_numbers_for_relu,
    is_settled_by_relu,
    joined,
    restated_axis,
    sibling_with_other_arguments,
    sibling_with_other_data,
    with_elements_below_zero,
    with_equal_elements,
    with_every_second_output,
    with_fitting_arguments,
    with_fitting_data,
    with_more_data,
    with_other_arguments,
    with_other_data,
    with_other_elements,
    with_other_rank,
)
from conformance.spec.case import Case, Disputed, Elements, ExpectedOutputs, Parts, Rejection
from conformance.spec.form import Form
from conformance.spec.operator import Role
from conformance.values.dtypes import DTYPES

_BYTE = 8
_PLACE = {form: place for place, form in enumerate(Form)}
_USUAL_OF_VALID = tuple(form for form in Form if form.is_usual and not form.has_unknown_ranks)
_USUAL_OF_INVALID = tuple(form for form in Form if form.is_usual and form is not Form.SECOND_CALL)


def forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in which a case runs: those that the case file names, or the usual ones, as far as they fit the case.
    Only the `chosen` ones among them, if there are any.

    If no ranks are known, a framework may miss invalid arguments. A valid case runs in these forms only if it names
    them. An invalid case runs after a valid call only if it names that form.
    """
    usual = _USUAL_OF_VALID if isinstance(case.expectation, ExpectedOutputs) else _USUAL_OF_INVALID
    forms = sorted(case.forms, key=_PLACE.__getitem__) if case.forms else usual
    return tuple(form for form in forms if (not chosen or form in chosen) and _fits(form, case))


def default_forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in the default set: those of `forms_of`, but of `forms_in_turn` the one of the case's number alone."""
    forms = forms_of(case, chosen)
    if not case.forms_in_turn:
        return forms
    in_turn = forms_of(case, case.forms_in_turn)
    return tuple(form for form in forms if form not in in_turn or form is in_turn[case.number % len(in_turn)])


def steps_of(case: Case, form: Form) -> tuple[Case, ...]:
    """The calls that one form makes of the case, in order, each with its expectation."""
    match form:
        case Form.AXIS_FROM_END:
            axis = restated_axis(case)
            assert axis is not None
            return (case.with_value(case.operator.axis, axis),)
        case _ if form.has_other_calls:
            other = _another_call(case, form)
            assert other is not None
            if isinstance(case.expectation, Rejection):
                return (other, case)
            larger = (with_more_data(other), with_other_data(case)) if form is Form.SECOND_ARGUMENTS else ()
            return (case, other, *(call for call in larger if call is not None), case)
        case Form.SAME_CALL_TWICE:
            return (case, with_other_elements(case), case)
        case Form.AFTER_RELU if isinstance(case.expectation, Parts | Elements):
            return (with_elements_below_zero(case), behind_relu(case))
        case Form.BEFORE_CONCAT if not isinstance(case.expectation, Rejection):
            whole = joined(case)
            assert whole is not None
            return (with_other_elements(whole), whole)
        case _ if form.has_constant_data and not isinstance(case.expectation, Rejection):
            return (case, case)
        case Form.BROADCAST:
            return (with_equal_elements(case) or case,)
        case _ if form.leaves_outputs_out:
            return (with_every_second_output(case),)
        case _:
            return (case,)


def _another_call(case: Case, form: Form) -> Case | None:
    """The extra call of a form: between two calls of a valid case, or before an invalid one; None if it has none."""
    match form:
        case Form.SECOND_CALL:
            return with_fitting_data(case) or with_other_data(case) or sibling_with_other_data(case)
        case Form.SECOND_RANK:
            return with_other_rank(case)
        case Form.SECOND_ARGUMENTS:
            return with_fitting_arguments(case) or with_other_arguments(case) or sibling_with_other_arguments(case)
        case _:
            return None


def _fits(form: Form, case: Case) -> bool:
    """Whether a form adds something to the case that other forms do not have."""
    if form.is_of_onnx and case.operator.dialect != "onnx":
        return False
    if form.has_other_calls:
        return _another_call(case, form) is not None
    return form not in _FITS or _FITS[form](case)


def _has_runtime_arguments(case: Case) -> bool:
    """Runtime forms need an input besides the data."""
    return any(a.role is Role.INPUT and not case.operator.is_data(a.name) for a in case.arguments)


def _has_two_runtime_arguments(case: Case) -> bool:
    """With one such input, giving it alone at run time is the form `runtime`."""
    return _is_input(case, case.operator.axis) and _is_input(case, case.operator.lengths)


def _is_input(case: Case, name: str | None) -> bool:
    """Whether the case gives the argument with that name as an input."""
    return any(a.name == name and a.role is Role.INPUT for a in case.arguments)


def _can_restate_axis(case: Case) -> bool:
    """An axis from the end needs a page that allows it."""
    return _moves_data(case) and case.operator.takes_negative_axis and restated_axis(case) is not None


def _moves_data(case: Case) -> bool:
    """Forms that restate a valid case need outputs that follow from the data."""
    return isinstance(case.expectation, Parts | Elements) and case.data is not None


def _has_other_elements(case: Case) -> bool:
    """Whether a second call can have other elements; cases with parts may name the form although theirs stay."""
    return case.operator.axis is not None or _moves_data(case)


def _is_rejected(case: Case) -> bool:
    """An invalid case with data also runs with other nodes around the call."""
    return isinstance(case.expectation, Rejection) and case.data is not None and bool(case.data.shape)


def _has_elements(case: Case, *, more_than: int = 0) -> bool:
    return case.data is not None and math.prod(case.data.shape) > more_than


def _is_table(case: Case) -> bool:
    """A vector has only one memory order, and so does a table with one row."""
    return case.data is not None and all(case.data.shape) and sum(dim > 1 for dim in case.data.shape) > 1


def _has_addresses(case: Case) -> bool:
    """Frameworks copy sub-byte elements and strings, so that their place in memory does not matter."""
    return _has_elements(case) and case.data is not None and DTYPES[case.data.dtype].bits >= _BYTE


def _fits_behind_relu(case: Case) -> bool:
    if case.data is None or not has_numbers_for_relu(case.data):
        return False
    is_settled = is_settled_by_relu(case.data)
    if _moves_data(case) or _is_rejected(case):
        return is_settled
    return isinstance(case.expectation, Disputed) and not is_settled


def _leaves_an_output(case: Case) -> bool:
    return case.declared_outputs > 1


def _fits_before_concat(case: Case) -> bool:
    return case.operator.axis is not None and (_is_rejected(case) or joined(case) is not None)


def _leaves_an_input_out(case: Case) -> bool:
    given = [argument.name for argument in case.arguments if argument.role is Role.INPUT]
    return not all(any(map(item.takes, given)) for item in case.operator.inputs)


_FITS: Mapping[Form, Callable[[Case], bool]] = {
    Form.RUNTIME: _has_runtime_arguments,
    Form.RUNTIME_LENGTHS: _has_two_runtime_arguments,
    Form.RUNTIME_AXIS: _has_two_runtime_arguments,
    Form.RUNTIME_DYNAMIC: _has_runtime_arguments,
    Form.UNCOUNTED_LENGTHS: lambda case: _is_input(case, case.operator.lengths),
    Form.RUNTIME_DYNAMIC_RANK: _has_runtime_arguments,
    Form.AXIS_FROM_END: _can_restate_axis,
    Form.SAME_CALL_TWICE: _has_other_elements,
    Form.STRIDED: lambda case: _has_elements(case, more_than=1),
    Form.TRANSPOSED: _is_table,
    Form.REVERSED: lambda case: _has_elements(case, more_than=1),
    Form.BROADCAST: lambda case: axis_to_equal(case) is not None,
    Form.OFFSET: _has_addresses,
    Form.AFTER_RELU: _fits_behind_relu,
    Form.BEFORE_CONCAT: lambda case: (
        case.operator.axis is not None and (_is_rejected(case) or joined(case) is not None)
    ),
    Form.CONSTANT_FOLDED: lambda case: case.data is not None,
    Form.UNUSED_OUTPUTS: _leaves_an_output,
    Form.UNNAMED_OUTPUTS: _leaves_an_output,
    Form.EMPTY_INPUT_NAME: _leaves_an_input_out,
    Form.EXTERNAL_DATA: lambda case: case.data is not None and case.data.dtype != "string",
}
"""What a case needs for a form; other forms fit every case."""
