"""Where a case and one of its two oracles disagree, what each of them says, and what to write instead.

`comparisons` lets the oracles judge each other: it compares the law of an operator with its reference on calls that are
made from random choices of what the arguments can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.judge.hypotheses import bits_of_each
from conformance.judge.judge import Difference, Mismatch, acceptance_of, differences_of
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import (
    Case,
    Disputed,
    ExpectedOutputs,
    Lawful,
    Literals,
    Parts,
    Rejection,
    call_arguments,
    expected_outputs,
    lawful_outputs_of,
)
from conformance.spec.law.values import LawError
from conformance.spec.making.call import Asked, choices_of
from conformance.spec.making.clear_case import can_be_judged, clear_case
from conformance.spec.making.setting import Dice
from conformance.spec.operator import Operator
from conformance.spec.reference import OPERATORS, evaluate
from conformance.suite.file_schema import SchemaError
from conformance.suite.suite import Suite
from conformance.tensors.dtypes import Category
from conformance.tensors.errors import CaseFileError
from conformance.tensors.tensor import Tensor, array_from_tensor, unpack_integers
from conformance.tensors.text import counted, index_text, one_line

_OUTPUTS_SHOWN = 6
_CHARACTERS = 80

_Computed = tuple[Tensor, ...] | BrokenClauseError


def disagreement(case: Case) -> SchemaError | None:
    """How one of the two oracles, the law and the reference, contradicts a case; None if each computes one of its
    expectations.

    The law alone is the oracle of a valid call of an operator that the reference does not have.

    Raises:
        KeyError: the operator has no reference, and either no law, or the page may forbid the call.
    """
    has_law_alone = case.operator.law is not None and not case.may_be_rejected and case.operator.id not in OPERATORS
    return (None if has_law_alone else _reference_disagreement(case)) or _law_disagreement(case)


def _law_disagreement(case: Case) -> SchemaError | None:
    """A law speaks only of calls that every reading of the page allows. An expectation of its own agrees with it."""
    is_lawful = any(isinstance(expected, Lawful) for expected in case.expectations)
    if case.operator.law is None or case.may_be_rejected or is_lawful:
        return None
    try:
        answer = lawful_outputs_of(case)
    except LawError as error:
        fix = "correct the case, or the law in operator.yaml if it misreads the page"
        return SchemaError(("outputs",), f"the law does not hold for the call: {error}", fix)
    due = [expected for expected in case.expectations if not isinstance(expected, Rejection)]
    found = [_differing(expected, case, answer, "law") for expected in due]
    return None if None in found else _no_agreement_problem(case, found, f"the law, which {_answer_text(answer)}")


def _reference_disagreement(case: Case) -> SchemaError | None:
    try:
        answer: _Computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except BrokenClauseError as error:
        answer = error
    found = [_contradiction(expected, case, answer) for expected in case.expectations]
    return None if None in found else _no_agreement_problem(case, found, f"the reference, which {_answer_text(answer)}")


def _no_agreement_problem(case: Case, found: Sequence[SchemaError | None], oracle: str) -> SchemaError | None:
    """The problem of a case of which no expectation agrees with an oracle."""
    if not isinstance(case.expectation, Disputed):
        return found[0]
    return SchemaError(("disputed",), f"no interpretation agrees with {oracle}", "correct one of them, or add another")


def _contradiction(expected: ExpectedOutputs | Rejection, case: Case, answer: _Computed) -> SchemaError | None:
    if isinstance(expected, Rejection):
        return _rejection_disagreement(expected.clause, answer)
    if isinstance(answer, BrokenClauseError):
        fix = f"correct the arguments, or write `rejected: {answer.clause}`"
        return SchemaError(("outputs",), f"the reference {_answer_text(answer)}", fix)
    return _differing(expected, case, answer, "reference")


def _differing(expected: ExpectedOutputs, case: Case, answer: tuple[Tensor, ...], oracle: str) -> SchemaError | None:
    if isinstance(expected, Parts) and case.split_dim is None:
        return SchemaError(("outputs",), "the axis addresses no dimension of the data", "correct the axis")
    found = differences_of(acceptance_of(case), expected_outputs(expected, case), answer, 0)
    if not found:
        return None
    fix = f"correct the case, or the {oracle} if it misreads the page"
    if found[-1].mismatch in (Mismatch.MISSING, Mismatch.SURPLUS):
        written = len(answer) + sum({Mismatch.MISSING: 1, Mismatch.SURPLUS: -1}.get(one.mismatch, 0) for one in found)
        what = f"the case has {counted(written, 'output')}, but the {oracle} {_answer_text(answer)}"
        return SchemaError(("outputs",), what, fix)
    keys = ("outputs", found[0].output) if isinstance(expected, Literals) else ("outputs",)
    return SchemaError(keys, f"output {found[0].output} {_difference(found[0], oracle)}", fix)


def _rejection_disagreement(clause: str, answer: _Computed) -> SchemaError | None:
    if not isinstance(answer, BrokenClauseError):
        fix = f"write arguments that break {clause!r}, or `outputs:` in the place of `rejected:`"
        return SchemaError(("rejected",), f"the call breaks no clause: the reference {_answer_text(answer)}", fix)
    if answer.clause == clause:
        return None
    fix = f"write `rejected: {answer.clause}`, or arguments that break only {clause!r}"
    return SchemaError(("rejected",), f"the call breaks another clause: the reference {_answer_text(answer)}", fix)


def _answer_text(answer: _Computed) -> str:
    if isinstance(answer, BrokenClauseError):
        return f"rejects the call by {answer}"
    shown = ", ".join(f"{tensor.dtype}{list(tensor.shape)}" for tensor in answer[:_OUTPUTS_SHOWN])
    more = ", ..." if len(answer) > _OUTPUTS_SHOWN else ""
    return f"computes {counted(len(answer), 'output')}: {shown}{more}"


def _difference(difference: Difference, oracle: str) -> str:
    """How one output differs from that of an oracle."""
    written, computed = difference.expected, difference.actual
    assert written is not None
    assert computed is not None
    if difference.mismatch is Mismatch.DTYPE:
        return f"is written as {written.dtype}, but the {oracle} computes {computed.dtype}"
    if difference.mismatch is Mismatch.SHAPE:
        return f"is written with the shape {list(written.shape)}, but the {oracle} computes {list(computed.shape)}"
    left, right = bits_of_each(written), bits_of_each(computed)
    differing = [number for number, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    first = differing[0]
    texts = _text(written.dtype, left[first]), _text(written.dtype, right[first])
    if texts[0] == texts[1]:  # NaNs with other payloads
        texts = _bits(left[first]), _bits(right[first])
    count = f"{len(differing):,} of {counted(len(left), 'element')} {'differs' if len(differing) == 1 else 'differ'}"
    place = index_text(first, written.shape)
    return f"at {place} is written as {texts[0]}, but the {oracle} computes {texts[1]}; {count}"


def _text(dtype: str, element: bytes) -> str:
    one = Tensor(dtype, (), element)
    match one.element_type.category:
        case Category.STRING:
            return one_line(repr(element.decode()), _CHARACTERS)
        case Category.SIGNED | Category.UNSIGNED:
            return str(unpack_integers(one)[0])
        case Category.RAW:
            return _bits(element)
        case Category.BOOL:
            return "true" if element == b"\1" else "false"
        case Category.FLOAT | Category.COMPLEX:
            return str(array_from_tensor(one)[()])


def _bits(element: bytes) -> str:
    return f"{int.from_bytes(element, 'little'):#0{2 + 2 * len(element)}x}"


COMPARED = 60
"""Calls of each operator version that are compared."""
_DRAWN = 4000
"""Calls that are drawn at most to find them: many choices do not fit together, or make no clear call."""
_RARE = ("17 to 255", "more than 255")
"""Numbers of inputs whose calls take long, which written cases have."""


def made_comparisons(suite: Suite, seed: str) -> Iterator[CaseFileError | None]:
    """`comparisons` of the operators of a suite of its own that have both, a law and a reference, and can be made."""
    for operator in suite.operators:
        if can_be_judged(operator) and not suite.borrows(operator):
            yield from comparisons(operator, suite.place_in_description(operator, "law"), seed)


def comparisons(operator: Operator, where: str, seed: str = "") -> Iterator[CaseFileError | None]:
    """For each call that is compared, how law and reference contradict each other; `seed` draws other calls."""
    choices = {name: [item for item in known if item not in _RARE] for name, known in choices_of(operator).items()}
    compared, last = 0, dict[str, str]()
    for number in range(_DRAWN):
        dice = Dice(operator.id, seed, number)
        features = {name: dice.one_of(known) for name, known in choices.items()}
        if number % 2:  # most choices of the last call, which fit together
            features |= {name: choice for name, choice in last.items() if dice.number(0, 3)}
        case = clear_case(operator, features, number)
        if case is not None:
            compared, last = compared + 1, features
            yield _contradiction_of_made(case, features, where)
        if compared == COMPARED:
            return


def _contradiction_of_made(case: Case, features: Asked, where: str) -> CaseFileError | None:
    try:
        found = disagreement(case)
        says = "" if found is None else found.what.replace("is written", "is by law")
    except LawError as error:
        says = f"the law does not hold: {error}"
    if not says:
        return None
    named = ", ".join(f"{name}={choice}" for name, choice in features.items())
    what = f"law and reference of {case.operator.id} disagree on a call with {named}: {says}"
    return CaseFileError(where, what, fix="correct the law in operator.yaml, or the reference")
