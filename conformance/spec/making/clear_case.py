"""Made calls that can be judged: the page allows them, and every reading of it gives the same outputs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import accumulate, pairwise

from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import (
    Case,
    Disputed,
    Interpretation,
    Lawful,
    MovedData,
    Parts,
    Value,
    call_arguments,
    lawful_call,
)
from conformance.spec.check import forms_of, steps_of
from conformance.spec.condition import facts_of, holds
from conformance.spec.expression import LawError, LawWorkError
from conformance.spec.law import lawful_shapes
from conformance.spec.making.call import Asked, can_be_made, made_call
from conformance.spec.operator import OpenCalls, Operator
from conformance.spec.reference import OPERATORS, evaluate
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.fill import Fill

_MOST_ELEMENTS, _MOST_TEXTS, _MOST_BYTES = 1 << 22, 1 << 12, 16 << 20
"""Of all outputs of a call: those of an Expand can be far larger than its data, and some texts are long."""


def can_be_judged(operator: Operator) -> bool:
    """Whether made calls of an operator version have a judge: it has both, a law and a reference, and can be made."""
    return operator.law is not None and operator.id in OPERATORS and can_be_made(operator)


def made_case(operator: Operator, features: Asked, seed: int) -> Case | None:
    """The call with these features, judged by the law; None if there is none. The page may forbid or dispute it."""
    made = made_call(operator, features, seed)
    if made is None:
        return None
    case = lawful_call(operator, *made)
    return replace(case, expectation=with_nan_payloads(case, _moved(case)))


def with_nan_payloads(case: Case, outputs: MovedData) -> MovedData | Disputed:
    """These outputs, or both readings of NaNs: no page says whether what moves data keeps their payloads."""
    if not any(map(_has_nans, case.data_inputs.values())):
        return outputs
    kept = Interpretation(
        name="payload-kept",
        reason="The operator only moves data, and sign and payload of a NaN are part of it.",
        expectation=outputs,
    )
    free = Interpretation(
        name="payload-free",
        reason="The page does not mention bits, and IEEE 754 lets an operation change the payload of a NaN.",
        expectation=outputs,
        nan_payloads_may_differ=True,
    )
    return Disputed((kept, free))


def _has_nans(data: Value) -> bool:
    return DTYPES[data.dtype].category in (Category.FLOAT, Category.COMPLEX) and data.fill is Fill.SPECIAL


def _moved(case: Case) -> Parts | Lawful:
    """The parts of the data, for an operator that splits; else what the law says."""
    data, axis = case.data, case.split_dim
    if data is None or axis is None:
        return Lawful()
    try:
        shapes = lawful_shapes(case.operator, call_arguments(case), case.declared_outputs)
    except LawError:
        return Lawful()
    ends = list(accumulate((shape[axis] for shape in shapes), initial=0))
    return Parts(tuple(pairwise(ends))) if ends[-1] <= data.shape[axis] else Lawful()


def clear_case(operator: Operator, features: Asked, seed: int) -> Case | None:
    """A valid call with these features, judged by the law; None if there is none, or its page leaves it open.

    Raises:
        KeyError: the operator has no reference.
    """
    case = made_case(operator, features, seed)
    return case if case is not None and is_clear(case) else None


def is_clear(step: Case) -> bool:
    """Whether a call is valid, its page leaves nothing of it open, and its outputs are not too large.

    Raises:
        KeyError: the operator has no reference.
    """
    if left_open(step) or _is_too_large(step):
        return False
    try:
        outputs = evaluate(step.operator.id, call_arguments(step), step.declared_outputs)
    except (UncoveredCallError, BrokenClauseError):
        return False
    return sum(len(tensor.data) for tensor in outputs) <= _MOST_BYTES


def _is_too_large(step: Case) -> bool:
    """Whether the outputs have, by the law, too many elements to be made at all."""
    is_text = step.data is not None and step.data.dtype == "string"
    most = _MOST_TEXTS if is_text else _MOST_ELEMENTS
    try:
        shapes = lawful_shapes(step.operator, call_arguments(step), step.declared_outputs)
    except LawWorkError:
        return True
    except LawError:  # which `check` shows
        return False
    return sum(map(math.prod, shapes)) > most


def left_open(step: Case, form: Form | None = None) -> list[OpenCalls]:
    """What the page of the operator leaves open in a call, in a form or in all of them."""
    asked = [calls for calls in step.operator.open if not calls.forms or form in calls.forms]
    facts = facts_of(step) if asked else None
    return [calls for calls in asked if facts is not None and holds(calls.when, facts)]


def has_form(case: Case, form: Form) -> bool:
    """Whether a form adds something to a clear case, and all calls that it makes of it are clear. What a Relu makes of
    a NaN is a question of its own.

    Raises:
        KeyError: the operator has no reference.
    """
    is_rectified = form is Form.AFTER_RELU and isinstance(case.expectation, Disputed)
    is_fitting = not is_rectified and not left_open(case, form) and bool(forms_of(replace(case, forms=(form,))))
    return is_fitting and all(step is case or is_clear(step) for step in steps_of(case, form))
