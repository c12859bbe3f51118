"""Made calls that can be judged: the page allows them, and every reading of it gives the same outputs."""

from __future__ import annotations

from conformance.language.broken_clause import UncoveredCallError
from conformance.language.case import Case, Lawful, call_arguments
from conformance.language.making.call import Asked, can_be_made, made_call
from conformance.language.operator import Operator
from conformance.language.readings import answers_of
from conformance.language.reference import OPERATORS

_MOST_BYTES = 16 << 20
"""Of all outputs of a call: those of an Expand can be far larger than its data."""


def can_be_judged(operator: Operator) -> bool:
    """Whether made calls of an operator version have a judge: it has both, a law and a reference, and can be made."""
    return operator.law is not None and operator.id in OPERATORS and can_be_made(operator)


def clear_case(operator: Operator, features: Asked, seed: int) -> Case | None:
    """A valid call with these features, judged by the law; None if there is none, or its page leaves it open.

    Raises:
        KeyError: the operator has no reference.
    """
    made = made_call(operator, features, seed)
    if made is None:
        return None
    arguments, declared_outputs = made
    case = Case(
        id=operator.id,
        operator=operator,
        clauses=(),
        arguments=arguments,
        declared_outputs=declared_outputs,
        expectation=Lawful(),
        where="",
    )
    return case if is_clear(case) else None


def is_clear(step: Case) -> bool:
    """Whether the page allows a call, and every reading of it gives the same outputs, of at most _MOST_BYTES.

    Raises:
        KeyError: the operator has no reference.
    """
    try:
        answers = answers_of(step.operator, call_arguments(step), step.declared_outputs)
    except UncoveredCallError:
        return False
    if len(answers) > 1 or answers[0].broken_clause:
        return False
    return sum(len(tensor.data) for tensor in answers[0].outputs) <= _MOST_BYTES
