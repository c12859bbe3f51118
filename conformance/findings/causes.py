"""Groups the checks that need explaining by target, verdict and cause, and keeps a bounded number of full records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.findings.counts import count_bounded
from conformance.language.verdict import Section, Severity, Verdict
from conformance.log.record import CheckRecord
from conformance.values.text import one_line

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
