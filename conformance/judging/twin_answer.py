"""The answer to the twin of a call that was rejected, and whether the rejection shows anything beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.border.outcome import Outcome, OutcomeTag, RejectedOutcome, Stage
from conformance.judging.gist import is_same_message
from conformance.language.case import Case, Rejection


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
