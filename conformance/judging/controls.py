"""What a call that runs next to a check shows of it.

The twin of an invalid call is a valid one: a rejection of both alike shows nothing. The control of a check is its graph
without the operator: if that gives the same, the fault is the neighbour's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.border.outcome import Outcome, OutcomeTag, RejectedOutcome, Stage
from conformance.judging.gist import is_same_message
from conformance.language.case import Case, Rejection
from conformance.language.verdict import Standing, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinAnswer:
    """What a target did with the twin of a call, the valid call nearest to it.

    `arguments` says what the twin has in the place of the call's arguments; `outcome` is None if no twin is known.
    `message` is that of a rejection, without what differs from call to call.
    """

    arguments: str = ""
    outcome: OutcomeTag | None = None
    stage: Stage | None = None
    message: str = ""


def needs_twin(steps: Sequence[Case], outcome: Outcome) -> bool:
    """Whether a rejection is judged by the answer to a twin.

    A valid call of the same model that was answered before takes its place. A case that the page leaves open needs
    none: a rejection is not a pass there, and counts neither for nor against.
    """
    is_first = isinstance(outcome, RejectedOutcome) and not outcome.answered
    return is_first and isinstance(steps[0].expectation, Rejection)


def fault_of_rejection(message: str, twin: TwinAnswer) -> tuple[str, str]:
    """Why the rejection of an invalid call shows nothing, as a cause and a sentence; both empty if it does."""
    if not twin.outcome:
        return "no twin", "no valid call near it is known to compare with; name one in the case, as `twin: {axis: 0}`"
    sentence = f"its twin, the valid call with {twin.arguments},"
    if twin.outcome == "produced" or (twin.outcome == "rejected" and not is_same_message(message, twin.message)):
        return "", ""
    if twin.outcome == "rejected":
        return f"its twin is rejected, too: {twin.message}", f"{sentence} is rejected with the same message"
    return f"its twin has no answer: {twin.outcome}", f"{sentence} has no answer: {twin.outcome}"


class Answered(Protocol):
    """What a record says of a check, or of its control."""

    @property
    def outcome(self) -> str:
        """The tag of the outcome."""

    @property
    def judged(self) -> Verdict:
        """The verdict before deviations are applied."""

    @property
    def outputs(self) -> str:
        """The digest of all outputs."""

    @property
    def cause(self) -> str:
        """The cause of the judgement."""

    @property
    def stage(self) -> Stage | None:
        """Where the call was rejected, or its process ended."""

    @property
    def death(self) -> str:
        """The signal or exit status of a process that crashed."""

    @property
    def answered(self) -> int:
        """The number of calls answered before."""

    @property
    def changed_inputs(self) -> list[str]:
        """The inputs to which the run wrote."""


def control_explains(check: Answered, control: Answered) -> bool:
    """Whether a check deviates and its control gave the whole deviation."""
    if check.judged.meaning.standing is not Standing.DEVIATING or check.outcome != control.outcome:
        return False
    is_at_once = (check.stage, check.answered) == (control.stage, control.answered)
    match check.outcome:
        case "produced":
            is_alike = check.outputs == control.outputs and check.changed_inputs == control.changed_inputs
            # Equal outputs get equal verdicts, unless the inferred shapes are not those of the outputs.
            return is_alike and check.judged is control.judged
        case "rejected" if control.stage is None:  # the page rejects what the neighbour passed on
            return True
        case "rejected" | "timed out":
            return is_at_once and check.cause == control.cause
        case "crashed":  # with one signal; the last words of a damaged process may differ where the fault is the same
            return is_at_once and check.death == control.death
        case _:
            return False
