"""Counts the records of a run as a profile says, and draws the result: one pass, pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from conformance.operator import is_named
from conformance.profile import Count, Profile
from conformance.record import CheckRecord, TargetEntry
from conformance.verdict import Verdict


class Result(Enum):
    """What a certificate says; the best stands first, and none is equal to another."""

    CONFORMANT = "conformant"
    RECORDED = "conformant with recorded deviations"
    PARTIAL = "partial"
    NOT_CONFORMANT = "not conformant"


@dataclass(frozen=True, slots=True)
class Tally:
    """How many checks count in which way."""

    of: Mapping[Count, int] = field(default_factory=dict)

    def __getitem__(self, count: Count) -> int:
        return self.of.get(count, 0)

    def __add__(self, other: Tally) -> Tally:
        return Tally(Counter(self.of) + Counter(other.of))

    @property
    def required(self) -> int:
        """The denominator: all checks but those that count apart."""
        return sum(self.of.values()) - self[Count.APART]

    @property
    def result(self) -> Result:
        """What follows from the numbers alone."""
        if self[Count.FAILED]:
            return Result.NOT_CONFORMANT
        if self[Count.UNANSWERED] or not self.required:
            return Result.PARTIAL
        return Result.RECORDED if self[Count.DEVIATING] else Result.CONFORMANT


class Claim(Enum):
    """How a target stands to an operator."""

    CLAIMED = "claimed"
    LOWERED = "through other operators"
    """Every answer came about through other operators: the backend itself claims nothing."""
    NOT_CLAIMED = "not claimed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorAssessment:
    """What a target did with one operator, in all and by form and type; and the readings that it follows."""

    operator: str
    claim: Claim
    tally: Tally
    forms: Mapping[str, Tally]
    types: Mapping[str, Tally]
    verdicts: Mapping[Verdict, int]
    readings: Mapping[str, Mapping[str, int]]

    @property
    def result(self) -> Result | None:
        """The result for this operator; None where it is not claimed."""
        return self.tally.result if self.claim is Claim.CLAIMED else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The result of a run under a profile, with all that it rests on.

    `deviations` tells how many checks each recorded deviation covers. `findings` are sentences on what the target
    declares and does not do, or does and does not declare.
    """

    result: Result
    tally: Tally
    operators: tuple[OperatorAssessment, ...]
    deviations: Mapping[str, int]
    findings: tuple[str, ...]
    lowered: int


_OPERATOR, _FORM, _TYPE = 0, 1, 2


class Tallies:
    """Counts records of one target as they stream by."""

    def __init__(self, profile: Profile, target: TargetEntry) -> None:
        self._profile = profile
        self._target = target
        self._counts: Counter[tuple[str, str, str, Count]] = Counter()
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._answered: Counter[tuple[str, bool]] = Counter()
        self._readings: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._deviations: Counter[str] = Counter()

    def add(self, record: CheckRecord) -> None:
        """Count one record."""
        operator = record.operator
        count = self._profile.count_of(record, self._target)
        self._counts[operator, record.form.value, record.dtype, count] += 1
        self._verdicts[operator][record.verdict] += 1
        if record.outcome in ("produced", "rejected"):
            self._answered[operator, bool(record.lowered)] += 1
        if record.interpretation:
            self._readings[operator, record.case.partition("[")[0]][record.interpretation] += 1
        if record.verdict is Verdict.KNOWN:
            self._deviations[record.deviation] += 1

    @property
    def target(self) -> TargetEntry:
        """Whose records are counted."""
        return self._target

    def assessment(self) -> Assessment:
        """What was counted, and the result that follows."""
        operators = tuple(self._operator(operator) for operator in self._verdicts)
        claimed = [entry for entry in operators if entry.claim is Claim.CLAIMED]
        tally = sum((entry.tally for entry in claimed), Tally())
        findings = (*self._declared_alone(claimed), *self._done_alone())
        result = tally.result
        if findings and result in (Result.CONFORMANT, Result.RECORDED):
            result = Result.PARTIAL
        return Assessment(
            result=result,
            tally=tally,
            operators=operators,
            deviations=dict(sorted(self._deviations.items())),
            findings=findings,
            lowered=sum(number for (_, is_lowered), number in self._answered.items() if is_lowered),
        )

    def _operator(self, operator: str) -> OperatorAssessment:
        return OperatorAssessment(
            operator=operator,
            claim=self._claim(operator),
            tally=self._tally(operator),
            forms={name: self._tally(operator, _FORM, name) for name in self._names(operator, _FORM)},
            types={name: self._tally(operator, _TYPE, name) for name in self._names(operator, _TYPE) if name},
            verdicts=dict(self._verdicts[operator]),
            readings={case: dict(named) for (of, case), named in sorted(self._readings.items()) if of == operator},
        )

    def _claim(self, operator: str) -> Claim:
        if not is_named(operator, self._target.operators or ()):
            return Claim.NOT_CLAIMED
        is_native = self._answered[operator, False] or not self._answered[operator, True]
        return Claim.CLAIMED if is_native else Claim.LOWERED

    def _names(self, operator: str, place: int) -> list[str]:
        return sorted({str(key[place]) for key in self._counts if key[_OPERATOR] == operator})

    def _tally(self, operator: str, place: int = _OPERATOR, name: str = "") -> Tally:
        """The records of an operator, or those that have a name in one place of their key."""
        of: Counter[Count] = Counter()
        for key, number in self._counts.items():
            if key[_OPERATOR] == operator and key[place] == (name or operator):
                of[key[3]] += number
        return Tally(of)

    def _declared_alone(self, claimed: Sequence[OperatorAssessment]) -> list[str]:
        """What is declared, asked, and never answered rightly or wrongly."""
        found = [
            f"it declares the operator {entry.operator}, and of {entry.tally.required} checks it answered none"
            for entry in claimed
            if entry.tally.required == entry.tally[Count.UNANSWERED]
        ]
        for kind, declared, place in (("form", self._target.forms, _FORM), ("type", self._target.dtypes, _TYPE)):
            for name in declared or []:
                tally = sum((self._tally(entry.operator, place, name) for entry in claimed), Tally())
                if tally.required and tally.required == tally[Count.UNANSWERED]:
                    found.append(f"it declares the {kind} {name}, and of {tally.required} checks it answered none")
        return found

    def _done_alone(self) -> list[str]:
        return [f"it answers {what}, which it does not declare" for what in self._target.undeclared or []]
