"""Finds in groups of one cause, and the recorded deviation that explains a find."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from conformance.language.check import Check
from conformance.language.verdict import Standing, Verdict
from conformance.log.record import CheckRecord
from conformance.running.fuzz.draw import MadeCheck

MOST_WITNESSES = 3
_MOST_GROUPS = 200
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindCause:
    """What the finds of a group have in common.

    `operator` has no version, digits of `text` are masked, and `deviation` is the id of the recorded deviation that
    explains them, empty if none does.
    """

    operator: str
    verdict: Verdict
    text: str
    deviation: str = ""

    @property
    def can_be_shrunk(self) -> bool:
        """Whether tries can be compared: each try of a timeout takes the whole limit, and instability has no answer."""
        return not self.verdict.meaning.waits_for_limit and self.verdict is not Verdict.UNSTABLE

    @property
    def sentence(self) -> str:
        """Operator, verdict and cause on one line."""
        return f"{self.operator}: {self.verdict.value}: {self.text}"


@dataclass(slots=True, kw_only=True)
class Witness:
    """A check that shows a cause, and what was said of it."""

    made: MadeCheck
    explanation: str
    is_shrunk: bool = False

    def is_like(self, other: Witness) -> bool:
        """Whether two witnesses have the same features."""
        one, two = self.made, other.made
        return (one.operator.id, one.form, one.features) == (two.operator.id, two.form, two.features)


@dataclass(slots=True, kw_only=True)
class Group:
    """The finds of one cause: how many, and a few witnesses. `taken` counts those that were taken, also if alike."""

    cause: FindCause
    count: int = 0
    taken: int = 0
    witnesses: list[Witness] = field(default_factory=list)

    def add(self, made: MadeCheck, explanation: str) -> None:
        """Count a find, and keep it if few came before it."""
        self.count += 1
        if self.taken < MOST_WITNESSES:
            self.taken += 1
            self.witnesses.append(Witness(made=made, explanation=explanation))

    def drop_alike(self) -> None:
        """Keep the first of the witnesses that became the same."""
        kept: list[Witness] = []
        for witness in self.witnesses:
            if not any(witness.is_like(other) for other in kept):
                kept.append(witness)
        self.witnesses = kept


class Groups:
    """All groups, in the order in which their causes came; `num_beyond` counts finds of causes beyond the limit."""

    def __init__(self, groups: Iterable[Group] = (), num_beyond: int = 0) -> None:
        self._by_cause = {group.cause: group for group in groups}
        self.num_beyond = num_beyond

    def withdraw(self, cause: FindCause, witness: Witness) -> None:
        """Take a find back that does not show when it runs alone: it becomes one of an unstable cause.

        A group without witnesses is gone.
        """
        group = self._by_cause[cause]
        group.count -= 1
        group.witnesses.remove(witness)
        if not group.witnesses:
            del self._by_cause[cause]
        unstable = replace(cause, verdict=Verdict.UNSTABLE, text=f"only once: {cause.verdict.value}: {cause.text}")
        self.add(unstable, witness.made, witness.explanation)

    def add(self, cause: FindCause, made: MadeCheck, explanation: str) -> None:
        """Add a find to the group of its cause."""
        if cause not in self._by_cause and len(self._by_cause) >= _MOST_GROUPS:
            self.num_beyond += 1
            return
        self._by_cause.setdefault(cause, Group(cause=cause)).add(made, explanation)

    @property
    def all(self) -> list[Group]:
        """The groups."""
        return list(self._by_cause.values())

    @property
    def new(self) -> list[Group]:
        """The groups that no recorded deviation explains."""
        return [group for group in self.all if not group.cause.deviation]


def cause_of(check: Check, record: CheckRecord) -> FindCause | None:
    """The cause of a find; None if the check does not deviate."""
    is_known = record.verdict is Verdict.KNOWN
    if not is_known and record.verdict.meaning.standing is not Standing.DEVIATING:
        return None
    return FindCause(
        operator=check.case.operator.family,
        verdict=record.judged,
        text=_DIGITS.sub("#", record.cause),
        deviation=record.deviation if is_known else "",
    )
