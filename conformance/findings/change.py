"""Classifies how one check changed between two runs, by the rank of its verdict: deviates, no answer, or holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.findings.causes import CauseName
from conformance.language.verdict import RateMark, Section, Severity, Verdict


class Change(Enum):
    """How a check changed between two runs, the worst first."""

    REGRESSED = "regressed"
    NOT_JUDGED = "not judged"
    NO_LONGER_DISPUTED = "no longer disputed"
    NEWLY_DISPUTED = "newly disputed"
    CHANGED = "changed otherwise"
    IMPROVED = "improved"
    ASKED_DIFFERENTLY = "asked differently"
    SAME_FAULT = "same known fault"
    UNCHANGED = "unchanged"

    @property
    def about(self) -> str:
        """The sentence for readers."""
        return _ABOUT[self]

    @property
    def is_in_both_runs(self) -> bool:
        """Whether the check is in both runs."""
        return self is not Change.ASKED_DIFFERENTLY


class Aspect(Enum):
    """A respect in which two answers with the same verdict differ."""

    CAUSE = "cause"
    INTERPRETATION = "interpretation"
    DEVIATION = "recorded deviation"
    OUTPUTS = "outputs"
    LOWERING = "lowering"
    PLACE = "place where it ran"


def is_worse(old: Verdict, new: Verdict) -> bool:
    """Whether the new verdict is a graver deviation than the old one; false if either is not a deviation."""
    before, after = old.meaning.severity, new.meaning.severity
    return before is not None and after is not None and after.gravity > before.gravity


RankedCause = tuple[CauseName, Severity]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The fields of a record that a comparison needs.

    `judged` is the verdict before deviations are applied, `deviation` the id of the one behind *known* or *fixed*, and
    `outputs` the digest. `is_disputed`: the suite calls the case disputed. `fault` is the cause and the severity of an
    answer that deviates.
    """

    verdict: Verdict
    judged: Verdict
    is_disputed: bool = False
    cause: str = ""
    interpretation: str = ""
    deviation: str = ""
    outputs: str = ""
    lowered: str = ""
    ran_on: str = ""
    fault: RankedCause | None = None

    @property
    def text(self) -> str:
        """The verdict, with the deviation, interpretation or cause behind it."""
        behind = self.deviation or self.interpretation or self.cause
        return f"{self.verdict.value}: {behind}" if behind else self.verdict.value


def change_of(old: Answer | None, new: Answer | None) -> Change:
    """How a check changed; None stands for a run that does not have it."""
    if old is None or new is None:
        return Change.ASKED_DIFFERENTLY
    before, after = old.verdict.meaning.rank, new.verdict.meaning.rank
    if before is None or after is None:
        return Change.NOT_JUDGED
    if _turns_disputed(old, new):
        return Change.NEWLY_DISPUTED
    if _turns_disputed(new, old):
        return Change.NO_LONGER_DISPUTED
    if before != after:
        return Change.REGRESSED if after < before else Change.IMPROVED
    if is_worse(old.judged, new.judged):
        return Change.REGRESSED
    if is_worse(new.judged, old.judged):
        return Change.IMPROVED
    if old.verdict is new.verdict and not _differing(old, new):
        return Change.UNCHANGED
    return Change.SAME_FAULT if _is_same_fault(old, new) else Change.CHANGED


def aspects_of(old: Answer | None, new: Answer | None) -> tuple[Aspect, ...]:
    """The respects in which two answers with the same verdict differ; empty for others."""
    return () if old is None or new is None or old.verdict is not new.verdict else _differing(old, new)


def _is_same_fault(old: Answer, new: Answer) -> bool:
    """Whether one record describes both answers, or describes one of two that are the same but for the record."""
    are_known = [answer.verdict.meaning.section is Section.KNOWN for answer in (old, new)]
    if all(are_known):
        return old.deviation == new.deviation
    return any(are_known) and old.judged is new.judged and _differing(old, new) == (Aspect.DEVIATION,)


def _differing(old: Answer, new: Answer) -> tuple[Aspect, ...]:
    pairs = {
        Aspect.CAUSE: (old.cause, new.cause),
        Aspect.INTERPRETATION: (old.interpretation, new.interpretation),
        Aspect.DEVIATION: (old.deviation, new.deviation),
        Aspect.OUTPUTS: (old.outputs, new.outputs),
        Aspect.LOWERING: (old.lowered, new.lowered),
        Aspect.PLACE: (old.ran_on, new.ran_on),
    }
    return tuple(aspect for aspect, (before, after) in pairs.items() if before != after)


def _turns_disputed(old: Answer, new: Answer) -> bool:
    """Whether the verdict became `spec ambiguous` because the suite now calls the case disputed."""
    is_declared = new.is_disputed and not old.is_disputed
    return is_declared and new.verdict.meaning.mark is RateMark.DISPUTED and old.verdict.meaning.may_become_disputed


_ABOUT = {
    Change.REGRESSED: "It no longer conforms, deviates where it was not answered, or fails worse than before.",
    Change.NOT_JUDGED: "In one of the runs the adapter or the suite failed; this says nothing about the framework.",
    Change.NO_LONGER_DISPUTED: "The suite no longer calls the case disputed.",
    Change.NEWLY_DISPUTED: "The suite now calls the case disputed.",
    Change.CHANGED: "Same rank as before, but another verdict, cause, output or device.",
    Change.IMPROVED: "Better than before: it conforms now, is answered now, or fails less severely.",
    Change.ASKED_DIFFERENTLY: "Only one of the runs has it: the suite or the selection is another.",
    Change.SAME_FAULT: "One recorded deviation describes both answers, or both are alike and one run lacks the record.",
    Change.UNCHANGED: "The verdict, its cause, and the outputs are the same.",
}
