"""Reads a run log once and computes the summary that every report shows, its causes, and the exit code."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

from conformance.log.log_file import read_lines, required_header
from conformance.log.record import CheckRecord, Footer, Header, Line, RecordedDeviation, TargetEntry, TimingRecord
from conformance.spec.operator import operator_order
from conformance.spec.verdict import ExitCode, Rank, RateMark, Section, Severity, Standing, Verdict
from conformance.tensors.text import counted, one_line

# Counts of checks by verdict.

Key = TypeVar("Key")


def in_order(kinds: Iterable[Key], counts: Mapping[Key, int]) -> dict[Key, int]:
    """The counts in the order of these kinds, without those that are zero."""
    return {kind: count for kind in kinds if (count := counts.get(kind, 0))}


def count_bounded(counter: Counter[Key], key: Key | None, most: int, otherwise: Key | None = None) -> None:
    """Counts under `key`, a further one than the first `most` under `otherwise`; None counts nothing."""
    kept = key if key in counter or len(counter) < most else otherwise
    if kept is not None:
        counter[kept] += 1


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of checks by verdict, and of results that were lowered."""

    of: Mapping[Verdict, int] = field(default_factory=dict)
    lowered: int = 0

    def where(self, column: Standing | Section) -> Counts:
        """The counts of the verdicts with this standing, or that this section explains."""
        return Counts({v: n for v, n in self.of.items() if column in (v.meaning.standing, v.meaning.section)})

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(self.of.values())

    @property
    def conforming(self) -> int:
        """Number of conforming checks: the numerator of every rate."""
        return self.where(Standing.CONFORMING).total

    @property
    def deviating(self) -> int:
        """Number of deviating checks that no recorded deviation covers."""
        return self.where(Standing.DEVIATING).total

    @property
    def excused(self) -> int:
        """Number of checks that deviate as recorded or as in the baseline."""
        return self.where(Standing.EXCUSED).total

    @property
    def compared(self) -> int:
        """Number of checks that conform, deviate, or are excused: the denominator of every rate."""
        return self.conforming + self.deviating + self.excused

    @property
    def answered(self) -> int:
        """Number of checks that say something about the framework: compared, or of a disputed case."""
        return sum(count for verdict, count in self.of.items() if verdict.meaning.rank in (Rank.HOLDS, Rank.DEVIATES))

    @property
    def neighbours(self) -> int:
        """Number of checks that a control excuses."""
        return self.where(Section.NEIGHBOURS).total

    @property
    def is_excused_too_often(self) -> bool:
        """Whether controls excuse more than a twentieth of the checks of an operator: too many for a pass."""
        return 20 * self.neighbours > self.total

    @property
    def text(self) -> str:
        """The verdicts with their counts, as `3 wrong result, 1 crashed`."""
        return ", ".join(f"{count:,} {verdict.value}" for verdict, count in in_order(Verdict, self.of).items())

    def __add__(self, other: Counts) -> Counts:
        return Counts(Counter(self.of) + Counter(other.of), self.lowered + other.lowered)


# Groups the checks that need explaining by target, verdict and cause, and keeps a bounded number of full records.

KEPT_PER_CAUSE = 100
KEPT_IN_ALL = 2000
_KEPT_CHARACTERS = 24_000_000
_MAX_CAUSES = 500
_MAX_KINDS = 40
_MAX_CAUSE_CHARACTERS = 400


class CauseName(NamedTuple):
    """What the checks of one cause have in common, besides their target."""

    verdict: Verdict
    text: str
    deviation: str


@dataclass(slots=True)
class Cause:
    """Checks of one target with the same verdict and cause: their number, and the first records in full.

    `deviation` is the id of the recorded deviation that covers them. The counters give the number of checks by the
    verdict before deviations were applied, operator, element type and form.
    """

    target: str
    verdict: Verdict
    text: str
    deviation: str
    judged: Counter[Verdict] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    records: list[CheckRecord] = field(default_factory=list)
    case_hashes: set[int] = field(default_factory=set, repr=False)

    @property
    def count(self) -> int:
        """Number of checks."""
        return self.judged.total()

    @property
    def cases(self) -> int:
        """Number of different cases."""
        return len(self.case_hashes)

    @property
    def severity(self) -> Severity | None:
        """The worst severity among its checks, also of recorded ones; None if none deviates."""
        found = {verdict.meaning.severity for verdict in self.judged}
        return next((severity for severity in Severity if severity in found), None)

    @property
    def left_out(self) -> int:
        """Number of checks without a full record here."""
        return self.count - len(self.records)


class Causes:
    """Collects records one at a time in bounded memory."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, Verdict, str, str], Cause] = {}
        self._kept = 0
        self._characters = 0

    def add(self, record: CheckRecord) -> None:
        """Counts a record under its cause, and keeps it if there is room."""
        cause = self._cause(record)
        cause.case_hashes.add(hash(record.case))
        cause.judged[record.judged] += 1
        count_bounded(cause.operators, record.operator, _MAX_KINDS)
        count_bounded(cause.dtypes, dtype_of(record) or None, _MAX_KINDS)
        count_bounded(cause.forms, record.form.value, _MAX_KINDS)
        if len(cause.records) >= KEPT_PER_CAUSE or self._kept >= KEPT_IN_ALL:
            return
        size = _size(record)
        if self._characters + size <= _KEPT_CHARACTERS:
            cause.records.append(record)
            self._kept += 1
            self._characters += size

    def gathered(self) -> tuple[Cause, ...]:
        """All causes: by the section of the report, then the worst severity first, then the most frequent first."""
        return tuple(sorted(self._by_key.values(), key=_rank))

    def _cause(self, record: CheckRecord) -> Cause:
        key = (record.target, *cause_name(record))
        if key not in self._by_key and len(self._by_key) >= _MAX_CAUSES:
            key = (record.target, record.verdict, "other causes", "")
        return self._by_key.setdefault(key, Cause(*key))


def cause_name(record: CheckRecord) -> CauseName:
    """The cause under which a check is grouped."""
    is_recorded = record.verdict.meaning.section in (Section.KNOWN, Section.FIXED)
    text = "" if is_recorded else cause_text(record)
    return CauseName(record.verdict, text, record.deviation if is_recorded else "")


def dtype_of(record: CheckRecord) -> str:
    """The element type of the data, else of the first input; empty if the log has neither."""
    if record.dtype:
        return record.dtype
    return record.call.inputs[0].dtype if record.call is not None and record.call.inputs else ""


def cause_text(record: CheckRecord) -> str:
    """The cause that groups a check, on one line."""
    text = record.cause or record.explanation or "no cause was recorded"
    section = record.verdict.meaning.section
    if section is Section.BEFORE:
        text = f"{record.judged.value}: {text}"
    if section is Section.NEIGHBOURS:
        text = f"{record.form.neighbour}: {record.judged.value}: {text}"
    return one_line(text, _MAX_CAUSE_CHARACTERS)


def likeness(record: CheckRecord) -> str:
    """The recorded deviation of other cases that a check looks like; empty if there is none."""
    return f"looks like the recorded deviation {record.looks_like}" if record.looks_like else ""


def rank_of(severity: Severity | None) -> int:
    """The place of a severity from the worst on; no severity comes last."""
    return [*Severity, None].index(severity)


def _rank(cause: Cause) -> tuple[int, int, int]:
    return [*Section, None].index(cause.verdict.meaning.section), rank_of(cause.severity), -cause.count


def _size(record: CheckRecord) -> int:
    tensors = [entry for item in record.differences for entry in (item.expected, item.actual) if entry is not None]
    if record.call is not None:
        tensors += [value for item in record.call.inputs for value in item.values]
    texts = (record.case, record.cause, record.explanation, record.message, record.stderr, record.where)
    return 2000 + sum(len(entry.data) for entry in tensors) + sum(map(len, texts))


# The summary of a log. Memory does not grow with the number of records: all are counted, and `Causes` keeps a bounded
# number of those that differ.

_MAX_TEXTS = 60
_MAX_TIMINGS = 5000
OTHERS = "others"
"""Stands for all texts beyond the number that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared:
    """A reason, in words of the adapter or framework, why `count` checks of a target were not compared."""

    target: str
    verdict: Verdict
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDeviation:
    """A recorded deviation, and the verdicts of the checks that it covers; it is untested if there are none."""

    entry: RecordedDeviation
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything that a report shows of a run.

    `footer` is None for a log that was cut off. `cells` is keyed by operator and target, `clauses` by operator
    and clause, then target. `followed` counts by disputed case without its matrix product, target, and interpretation.
    `ran_on` counts the results of each target by device and lowering.
    """

    header: Header
    footer: Footer | None
    records: int
    targets: tuple[TargetEntry, ...]
    operators: tuple[str, ...]
    cells: Mapping[tuple[str, str], Counts]
    clauses: Mapping[tuple[str, str], Mapping[str, Counts]]
    causes: tuple[Cause, ...]
    not_compared: tuple[NotCompared, ...]
    followed: Mapping[str, Mapping[str, Mapping[str, int]]]
    ran_on: Mapping[str, Mapping[tuple[str, str], int]]
    deviations: tuple[SeenDeviation, ...]
    timings: tuple[TimingRecord, ...] = ()
    """The first times; `timings_left_out` counts those beyond _MAX_TIMINGS."""
    timings_left_out: int = 0
    reused: Mapping[str, int] = field(default_factory=dict)
    """The number of records that were taken over, by the log and the time of the earlier run."""

    @property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The operator versions that ran, by operator without version."""
        ran = [operator for operator in self.operators if any(self.cell(operator, t.name).total for t in self.targets)]
        return {family: tuple(versions) for family, versions in groupby(ran, lambda name: name.rpartition("-")[0])}

    def counts(self, target: str) -> Counts:
        """The verdicts of one target over all operators."""
        return self.counts_of(self.operators, target)

    def counts_of(self, operators: Iterable[str], target: str) -> Counts:
        """The verdicts of one target over some operators."""
        return sum((self.cell(operator, target) for operator in operators), Counts())

    def fixed(self, target: str) -> tuple[SeenDeviation, ...]:
        """The deviations of a target that no longer happen on some checks that they cover."""
        return tuple(s for s in self.deviations if s.entry.target == target and s.counts.where(Section.FIXED).total)

    def recorded(self, target: str, deviation: str) -> RecordedDeviation | None:
        """The recorded deviation of a target with this id; None if the log does not describe one."""
        entries = (seen.entry for seen in self.deviations)
        return next((entry for entry in entries if (entry.target, entry.id) == (target, deviation)), None)

    def cell(self, operator: str, target: str) -> Counts:
        """The verdicts of one target for an operator version; empty if it did not run."""
        return self.cells.get((operator, target), Counts())


class TargetResult(Enum):
    """The result of a run for one target."""

    value: str
    sign: str
    colour: str
    exit_code: ExitCode
    """Of a run whose worst result it is."""

    def __new__(cls, value: str, sign: str, colour: str, exit_code: ExitCode) -> Self:
        """A member whose value is the sentence alone."""
        result = object.__new__(cls)
        result._value_, result.sign, result.colour, result.exit_code = value, sign, colour, exit_code
        return result

    CONFORMS = "conforms", "✓", "green", ExitCode.CONFORMING
    DEVIATES_AS_RECORDED = "deviates as recorded", "±", "amber", ExitCode.CONFORMING
    BROKEN_BEFORE = "broken before", "±", "amber", ExitCode.CONFORMING
    EXCUSED = "is excused too often", "✗", "red", ExitCode.NOT_CONFORMING
    """A control excuses more than a twentieth of the checks of an operator."""
    DIFFERS = "does not conform", "✗", "red", ExitCode.NOT_CONFORMING
    NOT_ASKED = "not asked", "∉", "grey", ExitCode.CONFORMING
    """Its adapter declares none of the checks; a run in which no other target was asked proves nothing."""
    NOTHING_COMPARED = "nothing was compared", "?", "orange", ExitCode.HARNESS
    NOT_JUDGED = "not judged in full", "?", "orange", ExitCode.HARNESS
    NOT_FINISHED = "not finished", "?", "orange", ExitCode.HARNESS
    NOT_STARTED = "could not start", "?", "orange", ExitCode.HARNESS


def summarize(log: Path | Iterable[Line]) -> Summary:
    """The summary of a log, given as a file or as lines.

    Raises:
        RunLogError: the log has no header, or a line is not one of a log.
    """
    lines = iter(read_lines(log) if isinstance(log, Path) else log)
    last = next(lines, None)
    tally = _Summing(required_header(last, str(log) if isinstance(log, Path) else "the log"))
    for last in lines:
        if isinstance(last, CheckRecord):
            tally.add(last)
        elif isinstance(last, TimingRecord):
            tally.add_time(last)
    return tally.summary(last if isinstance(last, Footer) else None)


def exit_code(summary: Summary) -> ExitCode:
    """The exit code of the command: 3 if the run itself failed, else 1 if anything deviates, else 0."""
    codes = {result_of(summary, target).exit_code for target in summary.targets}
    if ExitCode.HARNESS in codes or harness_reasons(summary) or not summary.targets:
        return ExitCode.HARNESS
    return ExitCode.NOT_CONFORMING if ExitCode.NOT_CONFORMING in codes else ExitCode.CONFORMING


def asked(summary: Summary) -> list[TargetEntry]:
    """The targets whose adapters declare at least one check of the run."""
    return [target for target in summary.targets if result_of(summary, target) is not TargetResult.NOT_ASKED]


def result_of(summary: Summary, target: TargetEntry) -> TargetResult:
    """The result for one target. A failure of the run itself takes precedence over all verdicts."""
    counts = summary.counts(target.name)
    meanings = [verdict.meaning for verdict, count in counts.of.items() if count]
    codes = {meaning.exit_code for meaning in meanings}
    if target.problem:
        return TargetResult.NOT_STARTED
    if counts.total < summary.header.planned or not all(meaning.was_asked for meaning in meanings):
        return TargetResult.NOT_FINISHED
    if ExitCode.HARNESS in codes:
        return TargetResult.NOT_JUDGED
    if meanings and all(meaning.mark is RateMark.NOT_DECLARED for meaning in meanings):
        return TargetResult.NOT_ASKED
    if not counts.answered:
        return TargetResult.NOTHING_COMPARED
    if ExitCode.NOT_CONFORMING in codes or (summary.header.strict_records and counts.where(Section.FIXED).total):
        return TargetResult.DIFFERS
    if excused_too_often(summary, target):
        return TargetResult.EXCUSED
    if counts.where(Section.BEFORE).total:
        return TargetResult.BROKEN_BEFORE
    return TargetResult.DEVIATES_AS_RECORDED if counts.excused else TargetResult.CONFORMS


def excused_too_often(summary: Summary, target: TargetEntry) -> dict[str, Counts]:
    """The counts of the operators of which controls excuse too many checks.

    Neither a shard nor a sample, which has each form once before others, can tell.
    """
    if summary.header.selection.shard is not None or summary.header.selection.is_sample:
        return {}
    counts = {operator: summary.cell(operator, target.name) for operator in summary.operators}
    return {operator: of for operator, of in counts.items() if of.is_excused_too_often}


def harness_reasons(summary: Summary) -> tuple[str, ...]:
    """The reasons, one sentence each, why the run as a whole proves nothing; empty for a sound run."""
    found = [*_truncation(summary)]
    if not summary.targets:
        found.append("the run has no target")
    elif not asked(summary):
        found.append(f"no adapter declares any of {counted(summary.header.planned, 'check')}: this is not a pass")
    for target in summary.targets:
        name, counts = one_line(target.name), summary.counts(target.name)
        match result_of(summary, target):
            case TargetResult.NOT_STARTED:
                found.append(f"{name} could not start: {one_line(target.problem)}")
            case TargetResult.NOT_FINISHED | TargetResult.NOT_JUDGED:
                found.append(f"{name}: {_unfinished(counts, summary.header.planned)}")
            case TargetResult.NOTHING_COMPARED:
                found.append(f"{name}: no check could be compared (0 of {counts.total:,}): this is not a pass")
            case _:
                pass
    return tuple(found)


def _truncation(summary: Summary) -> Iterable[str]:
    footer = summary.footer
    if footer is None:
        yield f"the log has no closing line: it was cut off after {counted(summary.records, 'record')}"
    elif not footer.complete:
        yield f"the run is not complete: {one_line(footer.reason) or 'no reason was recorded'}"
    elif footer.records != summary.records:
        yield f"the closing line counts {counted(footer.records, 'record')}, the log holds {summary.records:,}"


def _unfinished(counts: Counts, planned: int) -> str:
    parts = [text] if (text := counts.where(Section.NOT_JUDGED).text) else []
    if counts.total < planned:
        parts.append(f"{planned - counts.total:,} of {counted(planned, 'check')} without a record")
    return ", ".join(parts)


class _Summing:
    """Counts the lines of a log one at a time."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._verdicts: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
        self._lowered: Counter[tuple[str, str]] = Counter()
        self._clauses: defaultdict[tuple[str, str], defaultdict[str, Counter[Verdict]]]
        self._clauses = defaultdict(lambda: defaultdict(Counter))
        self._deviations: defaultdict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
        self._followed: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self._not_compared: defaultdict[str, Counter[tuple[Verdict, str]]] = defaultdict(Counter)
        self._ran_on: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._causes = Causes()
        self._timings: list[TimingRecord] = []
        self._timings_left_out = 0
        self._reused = Counter[str]()

    def add(self, record: CheckRecord) -> None:
        """Counts one record."""
        target, operator, verdict = record.target, record.operator, record.verdict
        self._verdicts[operator, target][verdict] += 1
        for clause in record.clauses:
            self._clauses[operator, clause][target][verdict] += 1
        if record.lowered:
            self._lowered[operator, target] += 1
        count_bounded(self._reused, _source(record), _MAX_TEXTS, OTHERS)
        if record.ran_on or record.lowered:
            place = one_line(record.ran_on), one_line(record.lowered)
            count_bounded(self._ran_on[target], place, _MAX_TEXTS, (OTHERS, ""))
        if record.deviation:
            self._deviations[target, record.deviation][verdict] += 1
        if record.interpretation:
            self._followed[record.case.partition("[")[0]][target][record.interpretation] += 1
        elif verdict.is_left_out:
            reason = one_line(record.cause or record.message or record.explanation) or "no reason was given"
            count_bounded(self._not_compared[target], (verdict, reason), _MAX_TEXTS, (verdict, OTHERS))
        if verdict.meaning.section is not None:
            self._causes.add(record)

    def add_time(self, record: TimingRecord) -> None:
        """Keeps a time, up to _MAX_TIMINGS of them, and counts the others."""
        if len(self._timings) < _MAX_TIMINGS:
            self._timings.append(record)
        else:
            self._timings_left_out += 1

    def summary(self, footer: Footer | None) -> Summary:
        """The summary of the lines counted so far."""
        header, targets = self._header, self._targets()
        operators = sorted({*header.suite.operators, *(operator for operator, _ in self._verdicts)}, key=operator_order)
        return Summary(
            header=header,
            footer=footer,
            records=sum(verdicts.total() for verdicts in self._verdicts.values()),
            targets=targets,
            operators=tuple(operators),
            cells={(operator, t.name): self._cell(operator, t.name) for operator in operators for t in targets},
            clauses=self._clause_counts(),
            causes=self._causes.gathered(),
            not_compared=tuple(
                NotCompared(target=target, verdict=verdict, reason=reason, count=count)
                for target, counter in self._not_compared.items()
                for (verdict, reason), count in counter.most_common()
            ),
            ran_on={target: dict(counter.most_common()) for target, counter in self._ran_on.items()},
            followed=dict(self._followed),
            deviations=tuple(
                SeenDeviation(entry=entry, counts=Counts(in_order(Verdict, self._deviations[entry.target, entry.id])))
                for entry in header.deviations
            ),
            timings=tuple(self._timings),
            timings_left_out=self._timings_left_out,
            reused=dict(self._reused.most_common()),
        )

    def _targets(self) -> tuple[TargetEntry, ...]:
        """The targets of the header, then those that only records name."""
        known = {target.name for target in self._header.targets}
        names = dict.fromkeys(target for _, target in self._verdicts if target not in known)
        return (*self._header.targets, *(TargetEntry(name=name, adapter="") for name in names))

    def _cell(self, operator: str, target: str) -> Counts:
        return Counts(in_order(Verdict, self._verdicts[operator, target]), self._lowered[operator, target])

    def _clause_counts(self) -> dict[tuple[str, str], dict[str, Counts]]:
        """The counts by target for every clause of the header and every clause that only records name."""
        known = ((operator, clause) for operator, clauses in self._header.suite.operators.items() for clause in clauses)
        return {
            key: {target: Counts(counter) for target, counter in self._clauses[key].items()}
            for key in dict.fromkeys([*known, *self._clauses])
        }


def _source(record: CheckRecord) -> str | None:
    """The run from which a record was taken over; None for one of this run."""
    return f"{one_line(record.reused_from)}, started {one_line(record.reused)}" if record.reused else None
