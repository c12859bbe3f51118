"""Where along the releases of a framework answers change: of one check, and of all by cause; and their digests."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby, pairwise

from conformance.log.history import ChangedAnswer, HistoryStore, StoredAnswer, StoredRelease
from conformance.log.record import CheckRecord
from conformance.spec.verdict import Rank, RateMark, Severity, Verdict


class ReleaseState(Enum):
    """What a release does with a check. What excuses a deviation in a run excuses none here."""

    GOOD = "good"
    BAD = "bad"
    UNSUPPORTED = "unsupported"
    NOT_EXPRESSIBLE = "not expressible"
    CANNOT_TELL = "cannot tell"
    UNSTABLE = "unstable"
    NOT_ASKED = "not asked"


TOLD = (ReleaseState.GOOD, ReleaseState.BAD, ReleaseState.UNSUPPORTED, ReleaseState.NOT_EXPRESSIBLE)
"""The states that say something of a release."""
_OF_MARK = {
    RateMark.UNSUPPORTED: ReleaseState.UNSUPPORTED,
    RateMark.NOT_EXPRESSIBLE: ReleaseState.NOT_EXPRESSIBLE,
}


@dataclass(frozen=True, slots=True)
class ReleaseAnswer:
    """The state with the verdict behind it, and its cause or the interpretation that is followed.

    `reason` explains it in words that may differ from release to release.
    """

    state: ReleaseState
    verdict: str = ""
    cause: str = ""
    reason: str = field(default="", compare=False)

    @property
    def says(self) -> str:
        """The verdict and its cause."""
        return f"{self.verdict}: {self.cause}" if self.cause else self.verdict


NOT_ASKED = ReleaseAnswer(ReleaseState.NOT_ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Releases that follow each other and answer alike."""

    first: str
    last: str
    answer: ReleaseAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectEdge:
    """A release that answers otherwise than the last one before it that told something.

    `unclear` are the releases between both, so that it may have changed in each of them.
    """

    before: str
    release: str
    was: ReleaseAnswer
    becomes: ReleaseAnswer
    unclear: tuple[str, ...] = ()


def answer_of(record: CheckRecord) -> ReleaseAnswer:
    """What a record says of its release."""
    return ReleaseAnswer(
        _state_of(record.judged),
        record.judged.value,
        record.cause or record.interpretation,
        record.explanation or record.message,
    )


def joined(first: ReleaseAnswer, again: ReleaseAnswer) -> ReleaseAnswer:
    """What two answers of a release to one check say together: that it is unstable, if they differ."""
    if first == again or first.state is ReleaseState.UNSTABLE:
        return first
    return ReleaseAnswer(ReleaseState.UNSTABLE, f"{first.says}; asked again: {again.says}")


def _state_of(verdict: Verdict) -> ReleaseState:
    meaning = verdict.meaning
    if meaning.severity is Severity.MEMORY:
        return ReleaseState.UNSTABLE
    if meaning.severity is not None:
        return ReleaseState.BAD
    if meaning.rank is Rank.HOLDS:
        return ReleaseState.GOOD
    return ReleaseState.CANNOT_TELL if meaning.mark is None else _OF_MARK.get(meaning.mark, ReleaseState.CANNOT_TELL)


def stretches_of(releases: Sequence[str], answers: Mapping[str, ReleaseAnswer]) -> list[Stretch]:
    """All releases, those together that follow each other and answer alike; one without an answer was not asked."""
    found = []
    for answer, group in groupby(releases, key=lambda release: answers.get(release, NOT_ASKED)):
        own = list(group)
        found.append(Stretch(first=own[0], last=own[-1], answer=answer))
    return found


def bisect_edges(releases: Sequence[str], answers: Mapping[str, ReleaseAnswer]) -> Iterator[BisectEdge]:
    """Every edge along the releases, of which those that cannot tell make none."""
    told = [release for release in releases if answers.get(release, NOT_ASKED).state in TOLD]
    for before, release in pairwise(told):
        if answers[before] != answers[release]:
            between = releases[releases.index(before) + 1 : releases.index(release)]
            yield BisectEdge(
                before=before,
                release=release,
                was=answers[before],
                becomes=answers[release],
                unclear=tuple(between),
            )


def worst_state(states: Sequence[ReleaseState]) -> ReleaseState:
    """The state of a release to which several checks are put: unstable or bad if it is so for one, good only if for
    all.
    """
    order = (
        ReleaseState.UNSTABLE,
        ReleaseState.BAD,
        ReleaseState.CANNOT_TELL,
        ReleaseState.NOT_EXPRESSIBLE,
        ReleaseState.UNSUPPORTED,
        ReleaseState.GOOD,
    )
    return next(state for state in order if state in states)


def halve(releases: Sequence[str], first: ReleaseState, last: ReleaseState, ask: Callable[[str], ReleaseState]) -> None:
    """Ask releases until two that follow each other have the states of the first and of the last one.

    The middle is asked of those left. One with neither state splits them, so that no half is asked one by one: the
    longer part goes first. If no release is left, those with neither state stand between both.
    """
    low, high = 0, len(releases) - 1
    unclear: list[int] = []
    while parts := [part for part in pairwise([low, *unclear, high]) if part[1] - part[0] > 1]:
        start, end = max(parts, key=lambda part: part[1] - part[0])
        middle = (start + end) // 2
        state = ask(releases[middle])
        if state is first:
            low = middle
        elif state is last:
            high = middle
        else:
            unclear = sorted([*unclear, middle])
        unclear = [place for place in unclear if low < place < high]


# What each release fixed and broke, by cause.

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


# Evidence: a digest of what a release answered, which everybody gets again who asks it the same.


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The digest of what a release answered to an operator version; `suite` is that of the operator's files then."""

    operator: str
    release: StoredRelease
    suite: str
    answers: int
    digest: str


def evidence_in(store: HistoryStore, releases: Sequence[StoredRelease], operators: Sequence[str]) -> Iterator[Evidence]:
    """The evidence for each operator version and release that has answers, for each state of the operator's files."""
    for operator in operators:
        for release in releases:
            by_suite: defaultdict[str, list[StoredAnswer]] = defaultdict(list)
            for answer in store.answers(release, operator):
                by_suite[answer.suite].append(answer)
            for suite, answers in sorted(by_suite.items()):
                yield Evidence(
                    operator=operator,
                    release=release,
                    suite=suite,
                    answers=len(answers),
                    digest=evidence_of(answers),
                )


def evidence_of(answers: Iterable[StoredAnswer]) -> str:
    """SHA-256 over check, verdict, cause and outputs of each answer, in the order of the checks.

    Left out is what can differ from run to run: the outputs of wrong answers, which may be of foreign memory, and the
    last words of a process.
    """
    digest = hashlib.sha256()
    for answer in answers:
        severity = answer.judged.meaning.severity
        cause = "" if severity in (Severity.MEMORY, Severity.CRASH) else answer.cause
        outputs = f"{answer.outputs:x}" if severity is None else ""
        facts = (answer.case, answer.form.value, answer.judged.value, cause, outputs)
        digest.update("\t".join((*facts, "\n")).encode())
    return digest.hexdigest()
