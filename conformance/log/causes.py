"""Counts checks, and groups those that ended alike by their cause."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from conformance.log.record import CheckRecord
from conformance.spec.verdict import Rank, Section, Severity, Standing, Verdict
from conformance.tensors.text import one_line

# Counters for a log read line by line: verdicts, and medians of times without storing each time.

Key = TypeVar("Key")

_STEPS_PER_DOUBLING = 32


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianTime:
    """The median of single calls, in nanoseconds, and of how many."""

    median_ns: int
    count: int


class Times:
    """A histogram of times in steps of 2 %, so that memory is bounded."""

    def __init__(self) -> None:
        self._steps: Counter[int] = Counter()

    def add(self, nanoseconds: int) -> None:
        """Counts one time; ignores times that are not positive: they were not measured."""
        if nanoseconds > 0:
            self._steps[round(math.log2(nanoseconds) * _STEPS_PER_DOUBLING)] += 1

    def typical(self) -> MedianTime | None:
        """The lower median, exact to about 1 %; None without times."""
        count = self._steps.total()
        passed = 0
        for step in sorted(self._steps):
            passed += self._steps[step]
            if 2 * passed >= count:
                return MedianTime(median_ns=round(2 ** (step / _STEPS_PER_DOUBLING)), count=count)
        return None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Checks of one target with the same verdict and cause: their number, and the first records in full.

    `deviation` is the id of the recorded deviation that covers them. `cases` is the number of different cases. The
    counters give the number of checks by the verdict before deviations were applied, operator, element type and form.
    """

    target: str
    verdict: Verdict
    text: str
    deviation: str
    count: int
    cases: int
    judged: Mapping[Verdict, int]
    operators: Mapping[str, int]
    dtypes: Mapping[str, int]
    forms: Mapping[str, int]
    records: tuple[CheckRecord, ...]

    @property
    def severity(self) -> Severity | None:
        """The worst severity among its checks, also of recorded ones; None if none deviates."""
        found = {verdict.meaning.severity for verdict in self.judged}
        return next((severity for severity in Severity if severity in found), None)

    @property
    def left_out(self) -> int:
        """Number of checks without a full record here."""
        return self.count - len(self.records)


@dataclass(slots=True)
class _Gathering:
    cases: set[int] = field(default_factory=set)
    judged: Counter[Verdict] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    records: list[CheckRecord] = field(default_factory=list)


class Causes:
    """Collects records one at a time in bounded memory."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, Verdict, str, str], _Gathering] = {}
        self._kept = 0
        self._characters = 0

    def add(self, record: CheckRecord) -> None:
        """Counts a record under its cause, and keeps it if there is room."""
        gathering = self._gathering(record)
        gathering.cases.add(hash(record.case))
        gathering.judged[record.judged] += 1
        count_bounded(gathering.operators, record.operator, _MAX_KINDS)
        count_bounded(gathering.dtypes, dtype_of(record) or None, _MAX_KINDS)
        count_bounded(gathering.forms, record.form.value, _MAX_KINDS)
        if len(gathering.records) >= KEPT_PER_CAUSE or self._kept >= KEPT_IN_ALL:
            return
        size = _size(record)
        if self._characters + size <= _KEPT_CHARACTERS:
            gathering.records.append(record)
            self._kept += 1
            self._characters += size

    def gathered(self) -> tuple[Cause, ...]:
        """All causes: by the section of the report, then the worst severity first, then the most frequent first."""
        causes = [
            Cause(
                target=target,
                verdict=verdict,
                text=text,
                deviation=deviation,
                count=found.judged.total(),
                cases=len(found.cases),
                judged=dict(found.judged.most_common()),
                operators=dict(found.operators.most_common()),
                dtypes=dict(found.dtypes.most_common()),
                forms=dict(found.forms.most_common()),
                records=tuple(found.records),
            )
            for (target, verdict, text, deviation), found in self._by_key.items()
        ]
        return tuple(sorted(causes, key=_rank))

    def _gathering(self, record: CheckRecord) -> _Gathering:
        key = (record.target, *cause_name(record))
        if key not in self._by_key and len(self._by_key) >= _MAX_CAUSES:
            key = (record.target, record.verdict, "other causes", "")
        return self._by_key.setdefault(key, _Gathering())


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


def detail_of(cause: Cause, record: CheckRecord, limit: int) -> str:
    """The deviation that the record looks like, and its explanation unless the cause already says it, on one line."""
    first = one_line(record.explanation.strip().partition("\n")[0], _MAX_CAUSE_CHARACTERS)
    explanation = "" if first[:100] in cause.text else record.explanation
    return one_line("; ".join(filter(None, [likeness(record), explanation])), limit)


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
