"""The forms in which a case is asked, and the calls that each of them puts to a framework in turn."""

from __future__ import annotations

import math

from conformance.case import Case, Disputed, Literals, Parts, Rejection
from conformance.form import Form
from conformance.operator import Role
from conformance.other_calls import (
    behind_relu,
    has_numbers_for_relu,
    is_settled_by_relu,
    joined,
    restated_axis,
    with_elements_below_zero,
    with_fitting_arguments,
    with_fitting_data,
    with_more_data,
    with_other_arguments,
    with_other_data,
    with_other_elements,
    with_other_rank,
)


def forms_of(case: Case) -> tuple[Form, ...]:
    """The forms in which a case is asked, whatever the framework can express: those of the case file that fit the case.

    A case file that names none means the usual ones. A model whose ranks nobody knows is one where a framework may miss
    what is wrong with the arguments; of valid ones, only cases that name the form are asked in it. An invalid case is
    asked after a valid call only where it names that form.
    """
    is_valid = isinstance(case.expectation, Parts | Literals)
    unusual = [form for form in Form if (form.has_unknown_ranks if is_valid else form is Form.SECOND_CALL)]
    forms = case.forms or [form for form in Form if form.is_usual and form not in unusual]
    return tuple(form for form in Form if form in forms and _fits(form, case))


def calls_of(case: Case, form: Form) -> tuple[Case, ...]:
    """The case, or cases, whose arguments one form puts to the framework in turn, each with what must come of it."""
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
        case Form.AFTER_RELU if isinstance(case.expectation, Parts):
            return (with_elements_below_zero(case), behind_relu(case))
        case Form.BEFORE_CONCAT if not isinstance(case.expectation, Rejection):
            whole = joined(case)
            assert whole is not None
            return (with_other_elements(whole), whole)
        case Form.CONSTANT_FOLDED if not isinstance(case.expectation, Rejection):
            return (case, case)
        case _:
            return (case,)


def _another_call(case: Case, form: Form) -> Case | None:
    """The call that a form puts between two of the case, or a valid one before what is to be refused; None where it has
    none to put.
    """
    match form:
        case Form.SECOND_CALL:
            return with_fitting_data(case) or with_other_data(case)
        case Form.SECOND_RANK:
            return with_other_rank(case)
        case Form.SECOND_ARGUMENTS:
            return with_fitting_arguments(case) or with_other_arguments(case)
        case _:
            return None


def _fits(form: Form, case: Case) -> bool:
    """Whether a form asks something of this case that others do not.

    Runtime forms need an input besides the data. Forms that restate a valid case need outputs that are stretches of the
    data, or, as those that change what is asked around it, a refusal; an axis from the end needs a page that allows it.
    """
    has_parts = isinstance(case.expectation, Parts) and case.data is not None
    is_refused = isinstance(case.expectation, Rejection) and case.data is not None and bool(case.data.shape)
    match form:
        case Form.RUNTIME | Form.RUNTIME_DYNAMIC | Form.RUNTIME_DYNAMIC_RANK:
            return any(a.role is Role.INPUT and a.name != case.operator.data for a in case.arguments)
        case Form.AXIS_FROM_END:
            return has_parts and case.operator.takes_negative_axis and restated_axis(case) is not None
        case _ if form.has_other_calls:
            return _another_call(case, form) is not None
        case Form.STRIDED:
            return case.data is not None and bool(case.data.shape) and math.prod(case.data.shape) > 1
        case Form.TRANSPOSED:
            return case.data is not None and all(case.data.shape) and sum(dim > 1 for dim in case.data.shape) > 1
        case Form.AFTER_RELU:
            if case.data is None or not has_numbers_for_relu(case.data):
                return False
            is_settled = is_settled_by_relu(case.data)
            return is_settled if has_parts or is_refused else isinstance(case.expectation, Disputed) and not is_settled
        case Form.BEFORE_CONCAT:
            return is_refused or joined(case) is not None
        case Form.CONSTANT_FOLDED:
            return case.data is not None
        case _:
            return True
