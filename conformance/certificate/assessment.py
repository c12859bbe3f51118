"""Counts the records of a run by the rules of a profile and derives the result, in one pass, without I/O."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from conformance.certificate.certificate_file import (
    Assessment,
    Claim,
    IncludedEntry,
    OperatorEntry,
    Result,
    TallyEntry,
    tally_of,
)
from conformance.certificate.profile_file import Profile, ProfileCount
from conformance.judge.deviation import Deviation
from conformance.log.causes import Counts, in_order
from conformance.log.record import CheckRecord, TargetEntry
from conformance.run.selection import families_selected
from conformance.spec.operator import is_named, operator_order
from conformance.spec.verdict import Section, Severity, Verdict
from conformance.suite.suite import Suite
from conformance.tensors.text import counted

_Grouped = TypeVar("_Grouped")
_ORDER = list(Result)


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
        self._counts: Counter[tuple[str, str, str, ProfileCount]] = Counter()
        self._clauses: defaultdict[tuple[str, str], Counter[ProfileCount]] = defaultdict(Counter)
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._severities: defaultdict[str, Counter[Severity]] = defaultdict(Counter)
        self._answered: Counter[tuple[str, bool]] = Counter()
        self._interpretations: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._deviations: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.tested = set[str]()
        """The ids of the deviations for which a check counts."""
        self._excused: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._ruled_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._not_counted: defaultdict[str, Counter[str]] = defaultdict(Counter)

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
        if record.verdict.meaning.section is Section.NEIGHBOURS:
            self._excused[operator][record.form.neighbour] += 1
        self.tested.add(record.deviation)
        if record.verdict.meaning.section is Section.KNOWN:
            self._deviations[operator][record.deviation] += 1
            self._severities[operator][self._severity(record)] += 1
        if count is ProfileCount.NOT_COUNTED:
            ruled_out = self._profile.ruled_out(record, self._target)
            self._not_counted[operator]["ruled out ahead" if ruled_out else record.verdict.value] += 1
            self._ruled_out[operator].update([ruled_out] if ruled_out else [])
        for part in self._parts.values():
            part.add(record)

    def assessment(self) -> Assessment:
        """The counts so far and the result that follows from them."""
        operators = [self._operator(operator) for operator in sorted(self._verdicts, key=operator_order)]
        named = {claim: [entry.operator for entry in operators if entry.claim is claim] for claim in Claim}
        claimed = named[Claim.CLAIMED]
        counts, severities = self._tally(claimed), _together(self._severities, claimed)
        findings = [*self._declared_alone(claimed), *_undeclared(self._target.undeclared or [])]
        below_whole = [*_too_little("all operators", counts, self._profile.least_passed.operator)]
        below = [*below_whole, *chain.from_iterable(self._below(claimed))]
        parts = {name: part.assessment() for name, part in self._parts.items()}
        excuses = [*chain.from_iterable(map(self._excuses, claimed))]
        own = _result(counts, is_part=bool(findings or below), is_refused=bool(below_whole or excuses))
        return Assessment(
            result=max((own, *(part.result for part in parts.values())), key=_ORDER.index),
            claimed=claimed,
            not_claimed=named[Claim.NOT_CLAIMED],
            through_others=named[Claim.LOWERED],
            recorded=_recorded(severities),
            below=below,
            excused=dict(sorted(_together(self._excused, claimed).items())),
            excuses=excuses,
            findings=findings,
            counts=counts,
            includes={
                name: IncludedEntry(**{field: getattr(part, field) for field in IncludedEntry.model_fields})
                for name, part in parts.items()
            },
            not_counted=dict(sorted(_together(self._not_counted, claimed).items())),
            ruled_out=dict(sorted(_together(self._ruled_out, claimed).items())),
            lowered=sum(number for (_, is_lowered), number in self._answered.items() if is_lowered),
            operators=operators,
            deviations=dict(sorted(_together(self._deviations, self._verdicts).items())),
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

    def _operator(self, operator: str) -> OperatorEntry:
        claim, counts, severities = self._claim(operator), self._tally([operator]), self._severities[operator]
        below_operators, below_clauses = self._below([operator])
        is_refused = bool(below_operators) or any(self._excuses(operator))
        result = _result(counts, is_part=bool(below_clauses), is_refused=is_refused)
        return OperatorEntry(
            operator=operator,
            claim=claim,
            result=result if claim is Claim.CLAIMED else None,
            counts=counts,
            recorded=_recorded(severities),
            verdicts={kind.value: count for kind, count in in_order(Verdict, self._verdicts[operator]).items()},
            forms=self._tallies(operator, _FORM),
            types=self._tallies(operator, _TYPE),
            interpretations={
                case: dict(named) for (of, case), named in sorted(self._interpretations.items()) if of == operator
            },
        )

    def _claim(self, operator: str) -> Claim:
        if not is_named(operator, self._target.operators or ()):
            return Claim.NOT_CLAIMED
        is_native = self._answered[operator, False] or not self._answered[operator, True]
        return Claim.CLAIMED if is_native else Claim.LOWERED

    def _tallies(self, operator: str, place: int) -> dict[str, TallyEntry]:
        """The tally of each form or type of an operator."""
        names = sorted({str(key[place]) for key in self._counts if key[_OPERATOR] == operator})
        return {name: self._tally([operator], place, name) for name in names if name}

    def _tally(self, operators: Collection[str], place: int = _OPERATOR, name: str | None = None) -> TallyEntry:
        """The tally of operators, restricted to one operator, form or type if `place` and `name` are given."""
        counts: Counter[ProfileCount] = Counter()
        for key, number in self._counts.items():
            if key[_OPERATOR] in operators and (name is None or key[place] == name):
                counts[key[3]] += number
        return tally_of(counts)

    def _below(self, operators: Sequence[str]) -> tuple[list[str], list[str]]:
        """Sentences about the operators, and about their clauses, that pass less than the profile requires."""
        least = self._profile.least_passed
        tallies = {" ".join(key): tally_of(counts) for key, counts in self._clauses.items() if key[0] in operators}
        return (
            [line for name in operators for line in _too_little(name, self._tally([name]), least.operator)],
            [line for name, tally in tallies.items() for line in _too_little(name, tally, least.clause)],
        )

    def _excuses(self, operator: str) -> Iterator[str]:
        """A sentence about an operator of which controls excuse too many checks."""
        counts = Counts(self._verdicts[operator])
        if counts.is_excused_too_often:
            by = ", ".join(f"{neighbour}: {number:,}" for neighbour, number in sorted(self._excused[operator].items()))
            of = f"{counts.neighbours:,} of {counted(counts.total, 'check')}"
            yield f"{operator}: controls excuse {of} ({by}), more than a twentieth"

    def _declared_alone(self, claimed: Sequence[str]) -> Iterator[str]:
        """What the target declares but never answers, not even incorrectly."""
        target = self._target
        declared = (("operator", claimed, _OPERATOR), ("form", target.forms, _FORM), ("type", target.dtypes, _TYPE))
        for kind, names, place in declared:
            for name in names or []:
                tally = self._tally(claimed, place, name)
                is_asked = tally.required or kind == "operator"
                if is_asked and tally.required == tally.unanswered:
                    yield f"it declares the {kind} {name}, and of {tally.required} checks it answered none"


def _undeclared(answered: Iterable[str]) -> Iterator[str]:
    """A sentence for each omission of the description; `answered` names operators, and types of operators."""
    operators = defaultdict(list)
    for what in answered:
        omitted, _, operator = what.partition(" of ")
        operators[omitted].append(operator)
    for omitted, of in operators.items():
        where = f" of {of[0]}" if of[0] and len(of) == 1 else f" of {len(of):,} operators" if of[0] else ""
        yield f"it answers {omitted}{where}, which it does not declare"


def _recorded(severities: Mapping[Severity, int]) -> dict[str, int]:
    return {severity.value: count for severity, count in in_order(Severity, severities).items()}


def _result(tally: TallyEntry, *, is_part: bool, is_refused: bool) -> Result:
    """The result, from the numbers only."""
    if tally.failed or is_refused:
        return Result.NOT_CONFORMANT
    if is_part or tally.unanswered or not tally.required:
        return Result.PARTIAL
    return Result.RECORDED if tally.deviating else Result.CONFORMANT


def _too_little(what: str, tally: TallyEntry, percent: int) -> Iterator[str]:
    if 100 * tally.passed < percent * tally.answered:
        yield f"{what}: {tally.passed:,} of {tally.answered:,} answers passed, less than {percent} %"


def _together(by_operator: Mapping[str, Counter[_Grouped]], operators: Iterable[str]) -> Counter[_Grouped]:
    return sum((by_operator[operator] for operator in operators if operator in by_operator), Counter())
