"""What each release fixed and broke, by cause."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.history.store import ChangedAnswer, HistoryStore, StoredRelease
from conformance.language.verdict import Rank, RateMark, Severity, Verdict

_Fault = tuple[str, Severity | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEdge:
    """A cause with which checks began to deviate in a release, or with which they no longer do: `broke` and `fixed`.

    What a release does not support has no severity. `before` is the release before it that has answers, and `example`
    the first check that changed.
    """

    before: StoredRelease
    release: StoredRelease
    cause: str
    severity: Severity | None
    broke: int
    fixed: int
    example: str


def edges_of(store: HistoryStore, releases: Sequence[StoredRelease], operators: Sequence[str]) -> Iterator[HistoryEdge]:
    """Every edge between releases that follow each other, from the oldest to the newest."""
    for old, new in pairwise(releases):
        if old.line == new.line:
            yield from _edges_between(old, new, store.changes(old, new, operators))


def _edges_between(old: StoredRelease, new: StoredRelease, changes: Iterable[ChangedAnswer]) -> Iterator[HistoryEdge]:
    found: defaultdict[_Fault, Counter[str]] = defaultdict(Counter)
    examples: dict[_Fault, str] = {}
    for change in changes:
        if not (_is_answer(change.before) and _is_answer(change.after)):
            continue
        sides = {"fixed": _fault(change.before, change.was), "broke": _fault(change.after, change.becomes)}
        for side, fault in sides.items():
            if fault is not None:
                found[fault][side] += 1
                examples.setdefault(fault, f"{change.case} [{change.form.value}]")
    order = [*Severity, None]
    for (cause, severity), counts in sorted(found.items(), key=lambda item: (order.index(item[0][1]), item[0][0])):
        yield HistoryEdge(
            before=old,
            release=new,
            cause=cause,
            severity=severity,
            broke=counts["broke"],
            fixed=counts["fixed"],
            example=examples[cause, severity],
        )


def _is_answer(verdict: Verdict) -> bool:
    """Whether a verdict says something of the release."""
    return verdict.meaning.rank in (Rank.DEVIATES, Rank.HOLDS) or _is_missing(verdict)


def _is_missing(verdict: Verdict) -> bool:
    return verdict.meaning.mark is RateMark.UNSUPPORTED


def _fault(verdict: Verdict, cause: str) -> _Fault | None:
    if _is_missing(verdict):
        return verdict.value, None
    severity = verdict.meaning.severity
    return None if severity is None else (cause, severity)
