"""Judges an outcome against a check's steps: a pure function of both.

The comparison is exact in the number of outputs, and in dtype and shape of each. Their elements are compared by the
`Acceptance` of the case, the one place that assumes bits; a recorded wrong answer, a control and a certificate ask it
as well. That of operators that move data is `Exact`; another one, with bounds for operators that compute, is a further
answer of `acceptance_of`. `explain` finds out why outputs differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, assert_never

from conformance.judge.controls import TwinAnswer, fault_of_rejection, gist, last_words
from conformance.judge.explain import explain
from conformance.judge.hypotheses import differing_indices, only_nan_bits_differ
from conformance.protocol.outcome import (
    OUT_OF_MEMORY,
    AdapterFailed,
    Cost,
    Crashed,
    Killed,
    NotDeclaredOutcome,
    NotExpressibleOutcome,
    Outcome,
    Produced,
    RejectedOutcome,
    TimedOut,
    Unstable,
    UnsupportedOutcome,
)
from conformance.spec.broken_clause import contradiction
from conformance.spec.case import (
    Case,
    Disputed,
    Elements,
    Interpretation,
    Lawful,
    Literals,
    Parts,
    Rejection,
    Runs,
    due_outputs,
    due_runs,
)
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, has_same_bits, has_unread, outputs_digest


class Acceptance(Protocol):
    """How outputs are compared with the required ones. Of two tensors that it compares, dtype and shape agree."""

    digest_decides: bool
    """Whether the digest of outputs alone shows that they are not accepted."""

    def accepts(self, required: Tensor, actual: Tensor) -> bool:
        """Whether the actual output is accepted."""

    def unlike(self, required: Tensor, actual: Tensor) -> list[int]:
        """The row-major numbers of the elements that are not accepted."""

    def accepts_digest(self, required: Runs, digest: str) -> bool:
        """Whether the digest is that of outputs which are accepted for sure."""


class Exact:
    """Bit for bit: every meaningful bit of every element."""

    digest_decides = True

    def accepts(self, required: Tensor, actual: Tensor) -> bool:
        """Whether all bits are equal."""
        return has_same_bits(required, actual)

    def unlike(self, required: Tensor, actual: Tensor) -> list[int]:
        """The elements with other bits."""
        return differing_indices(required, actual)

    def accepts_digest(self, required: Runs, digest: str) -> bool:
        """Whether the digest is that of the required outputs."""
        return outputs_digest(required) == digest


_EXACT = Exact()


def acceptance_of(_case: Case) -> Acceptance:
    """How the outputs of a case are compared: bit for bit, since every operator so far moves data."""
    return _EXACT


def is_right(check: Check, digest: str) -> bool:
    """Whether the digest is that of outputs which the page, or one interpretation of it, accepts."""
    acceptance = acceptance_of(check.case)
    return any(acceptance.accepts_digest(runs, digest) for runs in due_runs(check.steps).values())


class Mismatch(Enum):
    """How an output differs: the first that applies."""

    MISSING = "missing"
    SURPLUS = "surplus"
    DTYPE = "dtype"
    SHAPE = "shape"
    BITS = "bits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One output that is not as expected. `run` and `output` count from 0."""

    run: int
    output: int
    mismatch: Mismatch
    expected: Tensor | None
    actual: Tensor | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict with its reasons.

    `cause` is a short name by which a report groups, `explanation` a sentence about this check. `interpretation` is the
    one that a disputed case followed; it may allow the `differences`.
    """

    verdict: Verdict
    cause: str = ""
    explanation: str = ""
    interpretation: str = ""
    differences: tuple[Difference, ...] = ()


INFERRED_SHAPE = "inferred shape"
"""The cause if the outputs are correct, but the framework inferred another shape for them."""

_NO_READING = "matches none of the allowed readings of the spec"
_WITHOUT_CALL = {
    NotExpressibleOutcome: Verdict.NOT_EXPRESSIBLE,
    NotDeclaredOutcome: Verdict.NOT_DECLARED,
}
_CAUSE_CHARACTERS = 120


def judge(steps: Sequence[Case], outcome: Outcome, twin: TwinAnswer | None = None) -> Judgement:
    """The judgement of an outcome; `steps` are the calls of the check in order, each with its expectation.

    `twin` is the answer to the valid call nearest to an invalid one, if its rejection needs one.
    """
    match outcome:
        case Produced():
            judgement = _with_inferred_shapes(_judge_outputs(steps, outcome.runs), steps, outcome)
            return _with_changed_inputs(judgement, outcome.provenance.changed_inputs)
        case RejectedOutcome():
            return _judge_rejection(steps, outcome, twin)
        case UnsupportedOutcome():
            return Judgement(verdict=Verdict.UNSUPPORTED, explanation=outcome.message)
        case NotExpressibleOutcome() | NotDeclaredOutcome():
            return Judgement(verdict=_WITHOUT_CALL[type(outcome)], explanation=outcome.message)
        case Crashed():
            return _judge_crash(steps, outcome)
        case Killed():
            sentence = f"the worker was killed twice from outside ({outcome.death})"
            return Judgement(verdict=Verdict.HARNESS_ERROR, cause=f"killed: {outcome.death}", explanation=sentence)
        case TimedOut():
            sentence = f"no answer within {outcome.limit_s:g} s"
            return Judgement(verdict=Verdict.TIMED_OUT, cause="no answer in time", explanation=sentence)
        case Unstable():
            sentence = f"{outcome.first}; alone in a fresh process: {outcome.alone}"
            return Judgement(verdict=Verdict.UNSTABLE, cause=f"only once: {outcome.first}", explanation=sentence)
        case AdapterFailed():
            return Judgement(verdict=Verdict.HARNESS_ERROR, cause="adapter failed", explanation=outcome.message)
        case _:
            assert_never(outcome)


def _judge_crash(steps: Sequence[Case], outcome: Crashed) -> Judgement:
    rejection = steps[-1].expectation
    if outcome.death == OUT_OF_MEMORY and isinstance(rejection, Rejection):
        return _too_expensive(rejection, "the process filled all the memory that it may, and rejected nothing")
    cause = f"process died while {outcome.stage.value}" if outcome.stage else "process died"
    death = ": ".join(filter(None, (outcome.death, _cut(last_words(outcome.stderr)))))
    return Judgement(verdict=Verdict.CRASHED, cause=f"{cause}: {death}", explanation=outcome.death)


def differences_of(
    acceptance: Acceptance, expected: Sequence[Tensor], actual: Sequence[Tensor], run: int
) -> tuple[Difference, ...]:
    """Every output of one step that is missing, surplus or not accepted."""
    found = []
    for index in range(max(len(expected), len(actual))):
        want = expected[index] if index < len(expected) else None
        have = actual[index] if index < len(actual) else None
        mismatch = _mismatch(acceptance, want, have)
        if mismatch is not None:
            found.append(Difference(run=run, output=index, mismatch=mismatch, expected=want, actual=have))
    return tuple(found)


def _mismatch(acceptance: Acceptance, expected: Tensor | None, actual: Tensor | None) -> Mismatch | None:
    if expected is None:
        return Mismatch.SURPLUS
    if actual is None:
        return Mismatch.MISSING
    if actual.dtype != expected.dtype:
        return Mismatch.DTYPE
    if actual.shape != expected.shape:
        return Mismatch.SHAPE
    return None if actual.is_unread or acceptance.accepts(expected, actual) else Mismatch.BITS


def _with_inferred_shapes(judgement: Judgement, steps: Sequence[Case], outcome: Produced) -> Judgement:
    """The judgement, unless correct outputs contradict the shapes that the framework inferred."""
    sentence = contradiction(outcome.inferred, outcome.runs)
    if not sentence or judgement.verdict not in (Verdict.PASS, Verdict.FOLLOWS):
        return judgement
    return Judgement(
        verdict=Verdict.WRONG_RESULT,
        cause=INFERRED_SHAPE,
        explanation=sentence,
        differences=_differences([_under_first_interpretation(step) for step in steps], outcome.runs),
    )


def _under_first_interpretation(step: Case) -> Case:
    """A disputed step with its first interpretation that expects outputs; any other step as it is."""
    if not isinstance(step.expectation, Disputed):
        return step
    expectations = (interpretation.expectation for interpretation in step.expectation.interpretations)
    return replace(step, expectation=next(item for item in expectations if not isinstance(item, Rejection)))


def _with_changed_inputs(judgement: Judgement, changed: Sequence[str]) -> Judgement:
    """The judgement, unless the run wrote to its inputs."""
    if not changed or judgement.verdict not in (Verdict.PASS, Verdict.FOLLOWS, Verdict.WRONG_RESULT):
        return judgement
    sentence = f"the run wrote to its input {', '.join(changed)}"
    if judgement.explanation:
        sentence = f"{sentence}; {judgement.explanation}"
    return Judgement(
        verdict=Verdict.WRONG_RESULT, cause="input changed", explanation=sentence, differences=judgement.differences
    )


def _judge_outputs(steps: Sequence[Case], runs: Sequence[Sequence[Tensor]]) -> Judgement:
    if len(runs) != len(steps):
        sentence = f"{len(steps)} calls were sent and {len(runs)} answered"
        return Judgement(verdict=Verdict.HARNESS_ERROR, cause="adapter failed", explanation=sentence)
    match steps[-1].expectation:
        case Rejection(clause=clause):
            shapes = ", ".join(f"{tensor.dtype}{list(tensor.shape)}" for tensor in runs[-1])
            sentence = f"the call violates {clause}; the framework returned {shapes or 'no outputs'}"
            return Judgement(
                verdict=Verdict.ACCEPTED_INVALID,
                cause=f"violates {clause}",
                explanation=sentence,
                differences=_differences(steps, runs),
            )
        case Disputed(interpretations=interpretations):
            return _judge_disputed(interpretations, steps, runs)
        case Parts() | Elements() | Lawful() | Literals():
            return _compare(steps, runs)
        case other:
            assert_never(other)


def verdict_of_wrong_outputs(case: Case) -> Verdict:
    """The verdict on outputs that are not correct, or on a call that must be rejected."""
    must_reject = all(isinstance(expectation, Rejection) for expectation in case.expectations)
    return Verdict.ACCEPTED_INVALID if must_reject else Verdict.WRONG_RESULT


def _differences(steps: Sequence[Case], runs: Sequence[Sequence[Tensor]]) -> tuple[Difference, ...]:
    """The differences of every step; all outputs of a step that must be rejected are differences."""
    found: list[Difference] = []
    for number, (step, actual) in enumerate(zip(steps, runs, strict=True)):
        found += differences_of(acceptance_of(step), due_outputs(step), actual, number)
    return tuple(found)


def _compare(steps: Sequence[Case], runs: Sequence[Sequence[Tensor]]) -> Judgement:
    differences = _differences(steps, runs)
    if not differences and has_unread(runs):
        sentence = "the answer has the right shapes, and is too large to be read"
        return Judgement(verdict=Verdict.HARNESS_ERROR, cause="adapter failed", explanation=sentence)
    if not differences:
        return Judgement(verdict=Verdict.PASS)
    cause, sentence = explain(steps, runs)
    return Judgement(verdict=Verdict.WRONG_RESULT, cause=cause, explanation=sentence, differences=differences)


def _judge_disputed(
    interpretations: Sequence[Interpretation], steps: Sequence[Case], runs: Sequence[Sequence[Tensor]]
) -> Judgement:
    unlike: list[tuple[str, Judgement]] = []
    for interpretation in interpretations:
        if isinstance(interpretation.expectation, Rejection):
            continue
        judgement = _compare([replace(step, expectation=interpretation.expectation) for step in steps], runs)
        follows = judgement.verdict is Verdict.PASS
        if interpretation.nan_payloads_may_differ and not follows:
            follows = all(only_nan_bits_differ(d.expected, d.actual) for d in judgement.differences)
        if follows:
            return Judgement(
                verdict=Verdict.FOLLOWS, interpretation=interpretation.name, differences=judgement.differences
            )
        unlike.append((interpretation.name, judgement))
    if not unlike:
        return Judgement(
            verdict=Verdict.ACCEPTED_INVALID,
            cause=_NO_READING,
            explanation="every interpretation requires a rejection",
            differences=_differences(
                [replace(step, expectation=interpretations[0].expectation) for step in steps], runs
            ),
        )
    name, nearest = unlike[0]
    return Judgement(
        verdict=nearest.verdict,
        cause=_NO_READING if nearest.verdict is Verdict.WRONG_RESULT else nearest.cause,
        explanation=f"{_NO_READING}; under {name}: {nearest.explanation}",
        differences=nearest.differences,
    )


def _judge_rejection(steps: Sequence[Case], outcome: RejectedOutcome, twin: TwinAnswer | None) -> Judgement:
    for step in steps[: outcome.answered]:
        if isinstance(step.expectation, Rejection):
            clause = step.expectation.clause
            sentence = f"an earlier call violates {clause} and was answered"
            return Judgement(verdict=Verdict.ACCEPTED_INVALID, cause=f"violates {clause}", explanation=sentence)
    expectation = steps[outcome.answered].expectation
    match expectation:
        case Rejection():
            shown = _costly(expectation, outcome.cost) or Judgement(verdict=Verdict.PASS)
            return _not_shown(outcome, twin) or shown
        case Disputed(interpretations=interpretations):
            for interpretation in interpretations:
                if isinstance(interpretation.expectation, Rejection):
                    follows = Judgement(verdict=Verdict.FOLLOWS, interpretation=interpretation.name)
                    return _costly(interpretation.expectation, outcome.cost) or follows
        case Parts() | Elements() | Lawful() | Literals():
            pass
        case _:
            assert_never(expectation)
    when = outcome.stage.value if outcome.stage else "taking the neighbour's output"
    cause = f"rejected while {when}: {_cut(gist(outcome.message))}"
    return Judgement(verdict=Verdict.REJECTED_VALID, cause=cause, explanation=outcome.message)


def _not_shown(outcome: RejectedOutcome, twin: TwinAnswer | None) -> Judgement | None:
    """The judgement of a rejection that its twin explains or leaves open; None for any other."""
    cause, sentence = fault_of_rejection(outcome.message, twin) if twin is not None else ("", "")
    return Judgement(verdict=Verdict.NOT_SHOWN, cause=_cut(cause), explanation=sentence) if cause else None


def _costly(rejection: Rejection, cost: Cost) -> Judgement | None:
    """The judgement of a correct rejection that cost too much; None for any other."""
    return _too_expensive(rejection, f"the rejection took {cost.excess}") if cost.excess else None


def _too_expensive(rejection: Rejection, sentence: str) -> Judgement:
    cause = f"cost of rejecting a violation of {rejection.clause}"
    return Judgement(verdict=Verdict.COSTLY_REJECTION, cause=cause, explanation=sentence)


def _cut(line: str) -> str:
    return line if len(line) <= _CAUSE_CHARACTERS else line[: _CAUSE_CHARACTERS - 3] + "..."
