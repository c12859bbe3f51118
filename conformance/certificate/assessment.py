"""Counts the records of a run by the rules of a profile and derives the result, in one pass, without I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import TypeVar

from conformance.certificate.profile import Count, Profile
from conformance.formats.suite import Suite
from conformance.judging.deviation import Deviation
from conformance.records.counts import in_order
from conformance.records.record import CheckRecord, TargetEntry
from conformance.selection.selection import families_selected
from conformance.spec.operator import is_named
from conformance.spec.verdict import Severity, Verdict


class Result(Enum):
    """The result that a certificate states, from best to worst."""

    CONFORMANT = "conformant"
    RECORDED = "conformant with recorded deviations"
    WRONG = "wrong results as recorded, otherwise conformant"
    CRASHES = "crashes or hangs as recorded, otherwise conformant"
    MEMORY = "memory errors as recorded, otherwise conformant"
    PARTIAL = "partial"
    PARTIAL_WRONG = "wrong results as recorded, otherwise partial"
    PARTIAL_CRASHES = "crashes or hangs as recorded, otherwise partial"
    PARTIAL_MEMORY = "memory errors as recorded, otherwise partial"
    MOSTLY_DEVIATING = "mostly deviating"
    NOT_CONFORMANT = "not conformant"

    @property
    def is_failure(self) -> bool:
        """Whether a product with this result must not be called conforming, not even partly."""
        return self in (Result.MOSTLY_DEVIATING, Result.NOT_CONFORMANT)


_Name = TypeVar("_Name")
_ORDER = list(Result)
_WHOLE = {Severity.MEMORY: Result.MEMORY, Severity.CRASH: Result.CRASHES, Severity.WRONG: Result.WRONG}
_PART = {
    Severity.MEMORY: Result.PARTIAL_MEMORY,
    Severity.CRASH: Result.PARTIAL_CRASHES,
    Severity.WRONG: Result.PARTIAL_WRONG,
}


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of checks for each `Count`."""

    of: Mapping[Count, int] = field(default_factory=dict)

    def __getitem__(self, count: Count) -> int:
        return self.of.get(count, 0)

    def __add__(self, other: Tally) -> Tally:
        return Tally(Counter(self.of) + Counter(other.of))

    @property
    def required(self) -> int:
        """The denominator: all checks except those that count apart."""
        return sum(self.of.values()) - self[Count.APART]

    @property
    def answered(self) -> int:
        """The checks that the backend answered, correctly or not."""
        return self[Count.PASSED] + self[Count.DEVIATING] + self[Count.FAILED]


class Claim(Enum):
    """Whether a target claims an operator."""

    CLAIMED = "claimed"
    LOWERED = "through other operators"
    """The backend lowered the operator to others in every answer, so it does not claim it."""
    NOT_CLAIMED = "not claimed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorAssessment:
    """The counts of one operator, in total and by form and type, and the interpretations that the target follows.

    `severities` counts the checks covered by deviations. `result` is None for an operator that is not claimed.
    """

    operator: str
    claim: Claim
    result: Result | None
    tally: Tally
    forms: Mapping[str, Tally]
    types: Mapping[str, Tally]
    verdicts: Mapping[Verdict, int]
    severities: Mapping[Severity, int]
    interpretations: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The result of a run under a profile, with the counts behind it.

    `tally`, `severities`, `below`, `ruled_out` and `apart` cover claimed operators only.

    `severities` and `deviations` count the checks covered by deviations, by severity and by deviation id. `findings`
    are sentences about differences between what the target declares and what it answers. `below` are sentences about
    operators and clauses with too few passes. `apart` counts the checks that count apart, by reason. `ruled_out` counts
    those that the target's description rules out. `lowered` counts answers that went through other operators.
    `included` holds the assessments of the profiles that this one includes.
    """

    result: Result
    tally: Tally
    operators: tuple[OperatorAssessment, ...]
    severities: Mapping[Severity, int]
    deviations: Mapping[str, int]
    findings: tuple[str, ...]
    below: tuple[str, ...]
    ruled_out: Mapping[str, int]
    apart: Mapping[str, int]
    lowered: int
    included: Mapping[str, Assessment]

    def named(self, claim: Claim) -> list[str]:
        """The operators with this claim."""
        return [entry.operator for entry in self.operators if entry.claim is claim]


_OPERATOR, _FORM, _TYPE = 0, 1, 2


class Tallies:
    """Counts the records of one target, one at a time.

    `families` are the ids of the families in the profile; None if all records belong to it.
    """

    def __init__(
        self,
        profile: Profile,
        target: TargetEntry,
        deviations: Sequence[Deviation],
        suite: Suite,
        families: Collection[str] | None = None,
    ) -> None:
        self._profile = profile
        self._target = target
        self._families = families
        self._of_memory = {deviation.id for deviation in deviations if deviation.memory is not None}
        self._parts = {
            part.name: Tallies(
                part, target, deviations, suite, {family.id for family in families_selected(suite, part.selection)}
            )
            for part in profile.includes
        }
        self._counts: Counter[tuple[str, str, str, Count]] = Counter()
        self._clauses: defaultdict[tuple[str, str], Counter[Count]] = defaultdict(Counter)
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._severities: defaultdict[str, Counter[Severity]] = defaultdict(Counter)
        self._answered: Counter[tuple[str, bool]] = Counter()
        self._interpretations: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._deviations: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._ruled_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._apart: defaultdict[str, Counter[str]] = defaultdict(Counter)

    @property
    def target(self) -> TargetEntry:
        """The target of the records."""
        return self._target

    def add(self, record: CheckRecord) -> None:
        """Count one record; records outside the profile are ignored."""
        if not self._is_in_profile(record):
            return
        operator = record.operator
        count = self._profile.count_of(record, self._target)
        self._counts[operator, record.form.value, record.dtype, count] += 1
        self._verdicts[operator][record.verdict] += 1
        for clause in record.clauses:
            self._clauses[operator, clause][count] += 1
        if record.outcome in ("produced", "rejected"):
            self._answered[operator, bool(record.lowered)] += 1
        if record.interpretation:
            self._interpretations[operator, record.case.partition("[")[0]][record.interpretation] += 1
        if record.verdict is Verdict.KNOWN:
            self._deviations[operator][record.deviation] += 1
            self._severities[operator][self._severity(record)] += 1
        if count is Count.APART:
            ruled_out = self._profile.ruled_out(record, self._target)
            self._apart[operator]["ruled out ahead" if ruled_out else record.verdict.value] += 1
            self._ruled_out[operator].update([ruled_out] if ruled_out else [])
        for part in self._parts.values():
            part.add(record)

    def assessment(self) -> Assessment:
        """The counts so far and the result that follows from them."""
        operators = tuple(self._operator(operator) for operator in self._verdicts)
        claimed = [entry.operator for entry in operators if entry.claim is Claim.CLAIMED]
        tally = sum((self._tally(operator) for operator in claimed), Tally())
        severities = _together(self._severities, claimed)
        undeclared = [f"it answers {what}, which it does not declare" for what in self._target.undeclared or []]
        findings = (*self._declared_alone(claimed), *undeclared)
        below_whole = [*_too_little("all operators", tally, self._profile.least_passed.operator)]
        below = (*below_whole, *chain.from_iterable(self._below(claimed)))
        included = {name: part.assessment() for name, part in self._parts.items()}
        own = _result(tally, severities, is_part=bool(findings or below), is_below=bool(below_whole))
        return Assessment(
            result=max((own, *(part.result for part in included.values())), key=_ORDER.index),
            tally=tally,
            operators=operators,
            severities=in_order(Severity, severities),
            deviations=dict(sorted(_together(self._deviations, self._verdicts).items())),
            findings=findings,
            below=below,
            ruled_out=dict(sorted(_together(self._ruled_out, claimed).items())),
            apart=dict(sorted(_together(self._apart, claimed).items())),
            lowered=sum(number for (_, is_lowered), number in self._answered.items() if is_lowered),
            included=included,
        )

    def _is_in_profile(self, record: CheckRecord) -> bool:
        chosen = self._profile.selection
        return (
            (self._families is None or record.case.partition("[")[0] in self._families)
            and (not chosen.forms or record.form in chosen.forms)
            and (not chosen.dtypes or record.dtype in chosen.dtypes)
        )

    def _severity(self, record: CheckRecord) -> Severity:
        severity = record.judged.meaning.severity
        return Severity.MEMORY if record.deviation in self._of_memory or severity is None else severity

    def _operator(self, operator: str) -> OperatorAssessment:
        claim, tally, severities = self._claim(operator), self._tally(operator), self._severities[operator]
        below_operators, below_clauses = self._below([operator])
        is_part, is_below = bool(below_clauses), bool(below_operators)
        return OperatorAssessment(
            operator=operator,
            claim=claim,
            result=_result(tally, severities, is_part=is_part, is_below=is_below) if claim is Claim.CLAIMED else None,
            tally=tally,
            forms={name: self._tally(operator, _FORM, name) for name in self._names(operator, _FORM)},
            types={name: self._tally(operator, _TYPE, name) for name in self._names(operator, _TYPE) if name},
            verdicts=dict(self._verdicts[operator]),
            severities=in_order(Severity, severities),
            interpretations={
                case: dict(named) for (of, case), named in sorted(self._interpretations.items()) if of == operator
            },
        )

    def _claim(self, operator: str) -> Claim:
        if not is_named(operator, self._target.operators or ()):
            return Claim.NOT_CLAIMED
        is_native = self._answered[operator, False] or not self._answered[operator, True]
        return Claim.CLAIMED if is_native else Claim.LOWERED

    def _names(self, operator: str, place: int) -> list[str]:
        return sorted({str(key[place]) for key in self._counts if key[_OPERATOR] == operator})

    def _tally(self, operator: str, place: int = _OPERATOR, name: str = "") -> Tally:
        """The tally of an operator, restricted to one form or type if `place` and `name` are given."""
        of: Counter[Count] = Counter()
        for key, number in self._counts.items():
            if key[_OPERATOR] == operator and key[place] == (name or operator):
                of[key[3]] += number
        return Tally(of)

    def _below(self, operators: Sequence[str]) -> tuple[list[str], list[str]]:
        """Sentences about the operators, and about their clauses, that pass less than the profile requires."""
        least = self._profile.least_passed
        clauses = [key for key in self._clauses if key[0] in operators]
        return (
            [line for name in operators for line in _too_little(name, self._tally(name), least.operator)],
            [line for key in clauses for line in _too_little(" ".join(key), Tally(self._clauses[key]), least.clause)],
        )

    def _declared_alone(self, claimed: Sequence[str]) -> list[str]:
        """What the target declares but never answers, not even incorrectly."""
        found = []
        for operator in claimed:
            tally = self._tally(operator)
            if tally.required == tally[Count.UNANSWERED]:
                found.append(f"it declares the operator {operator}, and of {tally.required} checks it answered none")
        for kind, declared, place in (("form", self._target.forms, _FORM), ("type", self._target.dtypes, _TYPE)):
            for name in declared or []:
                tally = sum((self._tally(operator, place, name) for operator in claimed), Tally())
                if tally.required and tally.required == tally[Count.UNANSWERED]:
                    found.append(f"it declares the {kind} {name}, and of {tally.required} checks it answered none")
        return found


def _result(tally: Tally, severities: Mapping[Severity, int], *, is_part: bool, is_below: bool) -> Result:
    """The result, from the numbers only."""
    if tally[Count.FAILED]:
        return Result.NOT_CONFORMANT
    if is_below:
        return Result.MOSTLY_DEVIATING
    is_part = bool(is_part or tally[Count.UNANSWERED] or not tally.required)
    if worst := next((severity for severity in _WHOLE if severities.get(severity)), None):
        return (_PART if is_part else _WHOLE)[worst]
    if is_part:
        return Result.PARTIAL
    return Result.RECORDED if tally[Count.DEVIATING] else Result.CONFORMANT


def _too_little(what: str, tally: Tally, percent: int) -> Iterator[str]:
    if 100 * tally[Count.PASSED] < percent * tally.answered:
        yield f"{what}: {tally[Count.PASSED]:,} of {tally.answered:,} answers passed, less than {percent} %"


def _together(by_operator: Mapping[str, Counter[_Name]], operators: Iterable[str]) -> Counter[_Name]:
    return sum((by_operator[operator] for operator in operators if operator in by_operator), Counter())
