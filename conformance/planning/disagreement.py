"""Where a case and the NumPy reference disagree, what each of them says, and what to write instead."""

from __future__ import annotations

from conformance.formats.file_schema import SchemaError
from conformance.judging.acceptance import acceptance_of
from conformance.judging.hypotheses.step_evidence import bits_of_each
from conformance.judging.judge import Difference, Mismatch, differences_of
from conformance.language.broken_clause import BrokenClauseError
from conformance.language.case import (
    Case,
    Disputed,
    ExpectedOutputs,
    Literals,
    Parts,
    Rejection,
    call_arguments,
    expected_outputs,
)
from conformance.language.reference import evaluate
from conformance.values.dtypes import Kind
from conformance.values.tensor import Tensor, array_from_tensor, unpack_integers
from conformance.values.text import counted, index_text, one_line

_OUTPUTS_SHOWN = 6
_CHARACTERS = 80

_Computed = tuple[Tensor, ...] | BrokenClauseError


def disagreement(case: Case) -> SchemaError | None:
    """How the reference contradicts a case; None if it computes one of the expectations.

    Raises:
        KeyError: the reference does not have the operator.
    """
    try:
        answer: _Computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except BrokenClauseError as error:
        answer = error
    found = [_contradiction(expected, case, answer) for expected in case.expectations]
    if None in found:
        return None
    if isinstance(case.expectation, Disputed):
        what = f"no interpretation agrees with the reference, which {_answer_text(answer)}"
        return SchemaError(("disputed",), what, "correct one of them, or add another")
    return found[0]


def _contradiction(expected: ExpectedOutputs | Rejection, case: Case, answer: _Computed) -> SchemaError | None:
    if isinstance(expected, Rejection):
        return _of_rejection(expected.clause, answer)
    if isinstance(answer, BrokenClauseError):
        fix = f"correct the arguments, or write `rejected: {answer.clause}`"
        return SchemaError(("outputs",), f"the reference {_answer_text(answer)}", fix)
    if isinstance(expected, Parts) and case.split_dim is None:
        return SchemaError(("outputs",), "the axis addresses no dimension of the data", "correct the axis")
    found = differences_of(acceptance_of(case), expected_outputs(expected, case), answer, 0)
    if not found:
        return None
    fix = "correct the case, or the reference if it misreads the page"
    if found[-1].mismatch in (Mismatch.MISSING, Mismatch.SURPLUS):
        written = len(answer) + sum({Mismatch.MISSING: 1, Mismatch.SURPLUS: -1}.get(one.mismatch, 0) for one in found)
        what = f"the case has {counted(written, 'output')}, but the reference {_answer_text(answer)}"
        return SchemaError(("outputs",), what, fix)
    keys = ("outputs", found[0].output) if isinstance(expected, Literals) else ("outputs",)
    return SchemaError(keys, f"output {found[0].output} {_difference(found[0])}", fix)


def _of_rejection(clause: str, answer: _Computed) -> SchemaError | None:
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


def _difference(difference: Difference) -> str:
    """How one output differs from that of the reference."""
    written, computed = difference.expected, difference.actual
    assert written is not None
    assert computed is not None
    if difference.mismatch is Mismatch.DTYPE:
        return f"is written as {written.dtype}, but the reference computes {computed.dtype}"
    if difference.mismatch is Mismatch.SHAPE:
        return f"is written with the shape {list(written.shape)}, but the reference computes {list(computed.shape)}"
    left, right = bits_of_each(written), bits_of_each(computed)
    differing = [number for number, (one, other) in enumerate(zip(left, right, strict=True)) if one != other]
    first = differing[0]
    texts = _text(written.dtype, left[first]), _text(written.dtype, right[first])
    if texts[0] == texts[1]:  # NaNs with other payloads
        texts = _bits(left[first]), _bits(right[first])
    count = f"{len(differing):,} of {counted(len(left), 'element')} {'differs' if len(differing) == 1 else 'differ'}"
    place = index_text(first, written.shape)
    return f"at {place} is written as {texts[0]}, but the reference computes {texts[1]}; {count}"


def _text(dtype: str, element: bytes) -> str:
    one = Tensor(dtype, (), element)
    match one.kind.kind:
        case Kind.STRING:
            return one_line(repr(element.decode()), _CHARACTERS)
        case Kind.SIGNED | Kind.UNSIGNED:
            return str(unpack_integers(one)[0])
        case Kind.RAW:
            return _bits(element)
        case Kind.BOOL:
            return "true" if element == b"\1" else "false"
        case Kind.FLOAT | Kind.COMPLEX:
            return str(array_from_tensor(one)[()])


def _bits(element: bytes) -> str:
    return f"{int.from_bytes(element, 'little'):#0{2 + 2 * len(element)}x}"
