"""What changed over many runs, target by target: a function of their logs, read one at a time.

A check is compared with its last answer, in whichever earlier run it was, and counts with its last answer in a rate, so
that partial runs, runs that were cut off, and what was not judged hide nothing and raise no rate. Memory holds one
answer for each check of each target, whatever the number of runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from conformance.border.form import Form
from conformance.findings.causes import CauseName, cause_name
from conformance.findings.change import Answer, Change, change_of
from conformance.findings.compare import CheckName, answer_of, noting
from conformance.findings.counts import in_order
from conformance.findings.logged_run import LoggedRun, logged_run
from conformance.findings.named_log import NamedLog
from conformance.findings.summary import Summary, summarize
from conformance.findings.targets import pair_targets
from conformance.language.verdict import Rank, RateMark, Severity, Standing, Verdict
from conformance.log.record import CheckRecord, Header, Line, TargetEntry
from conformance.values.errors import OpconformError
from conformance.values.text import one_line

KEPT_PER_CAUSE = 3
MAX_CAUSES = 40
_MAX_CASE = 500


class Movement(Enum):
    """How the number of checks with one cause changed from one run to the next."""

    BEGAN = "began"
    MORE = "more checks"
    FEWER = "fewer checks"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadLog:
    """A file that is no log, or that was edited, and why."""

    log: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseShift:
    """How one cause changed in a run; `checks` are the first of those that came or went.

    `what` is the sentence of a recorded deviation. `run` and `target` say in whose report the cause stands: the run in
    which it changed, or the last that had it.
    """

    movement: Movement
    severity: Severity
    verdict: Verdict
    text: str
    deviation: str
    what: str
    before: int
    after: int
    run: int
    target: str
    checks: tuple[CheckName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """The result of a target in one run, and what changed since the last run with records of it, `since`.

    `since` is null for its first run.

    `conforming` and `compared` count the last answers to all checks so far, `new` and `recorded` the deviations among
    them by severity; a run in which nothing was judged counts none. `regressed` counts the checks that regressed and
    deviate.
    `more_causes` is the number of causes that changed beyond those in `causes`.
    """

    run: int
    target: str
    framework: str
    version: str
    problem: str
    conforming: int
    compared: int
    new: Mapping[Severity, int]
    recorded: Mapping[Severity, int]
    since: int | None
    changes: Mapping[Change, int]
    regressed: Mapping[Severity, int]
    causes: tuple[CauseShift, ...]
    more_causes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendTarget:
    """One target over the runs that have it, under the name of its last run."""

    name: str
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """All runs from the oldest to the newest, the targets, and the files that could not be read."""

    runs: tuple[LoggedRun, ...]
    unread: tuple[UnreadLog, ...]
    targets: tuple[TrendTarget, ...]


def trend_of(logs: Iterable[tuple[NamedLog, Iterable[Line]]]) -> Trend:
    """The trend over logs, given from the oldest to the newest as their lines."""
    tally = _Trending()
    for log, lines in logs:
        found: _Found = defaultdict(dict)
        try:
            summary = summarize(noting(lines, partial(_note, found)))
        except OpconformError as problem:
            tally.unread.append(UnreadLog(log=one_line(log.name), why=one_line(problem.what)))
        else:
            tally.add(log, summary, found)
    return tally.trend()


_FormOfCase = tuple[str, Form]
_RankedCause = tuple[CauseName, Severity]
_Moved = defaultdict[tuple[_RankedCause, int], list[CheckName]]
"""The first checks that came to each cause, 1, and that left it, -1."""


@dataclass(frozen=True, slots=True)
class _PlaceInTrend:
    """A target in a run, and the sentences of recorded deviations by target and id."""

    run: int
    target: str
    whats: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Last:
    """The last answer to a check, the answer that counts in a rate, and its cause if that deviates."""

    answer: Answer
    counts: Answer
    cause: _RankedCause | None

    @property
    def standing(self) -> Standing:
        return self.counts.verdict.meaning.standing

    @property
    def severity(self) -> Severity | None:
        return self.counts.judged.meaning.severity


_Found = defaultdict[str, dict[_FormOfCase, _Last]]
"""The answers of one log by target."""


def _note(found: _Found, line: Line, header: Header) -> None:
    """Keeps the answer of a record; if a check has several records, the first one counts."""
    if isinstance(line, CheckRecord):
        cause: _RankedCause | None = None
        if line.verdict.meaning.rank is Rank.DEVIATES and line.judged.meaning.severity is not None:
            cause = cause_name(line), line.judged.meaning.severity
        answer = answer_of(line, header)
        found[line.target].setdefault((line.case, line.form), _Last(answer, answer, cause))


def _counted(earlier: _Last | None, last: _Last) -> _Last:
    """The new last answer; a rejection that was not judged ends no deviation, which counts on."""
    is_not_shown = last.answer.verdict.meaning.mark is RateMark.NOT_SHOWN
    if earlier is None or not is_not_shown or earlier.counts.verdict.meaning.rank is not Rank.DEVIATES:
        return last
    return _Last(last.answer, earlier.counts, earlier.cause)


class _TargetHistory:
    """One target over the runs read so far."""

    def __init__(self, entry: TargetEntry) -> None:
        self.entry = entry
        self.points: list[TrendPoint] = []
        self._answers: dict[_FormOfCase, _Last] = {}
        self._causes: Counter[_RankedCause] = Counter()
        self._met: dict[_RankedCause, _PlaceInTrend] = {}
        self._since: int | None = None

    def add(
        self, place: _PlaceInTrend, entry: TargetEntry, found: Mapping[_FormOfCase, _Last], *, is_whole: bool
    ) -> None:
        """Adds a run of the target. A check that a whole run lacks is removed; any other run leaves it as it was."""
        before, since = Counter(self._causes), self._since
        changes, regressed = Counter[Change](), Counter[Severity]()
        moved: _Moved = defaultdict(list)
        for key, last in found.items():
            earlier = self._answers.get(key)
            change = change_of(earlier.answer if earlier is not None else None, last.answer)
            changes[change] += 1
            if change is Change.REGRESSED and last.severity is not None:
                regressed[last.severity] += 1
            if earlier is None or last.answer.verdict.meaning.rank is not None:
                self._replace(key, _counted(earlier, last), moved)
        for key in [key for key in self._answers if key not in found] if is_whole else ():
            changes[Change.REMOVED] += 1
            self._replace(key, None, moved)
        shifts = sorted(self._shifts(place, before, moved), key=_rank) if since is not None else []
        self._causes = +self._causes
        self._met |= dict.fromkeys((last.cause for last in found.values() if last.cause is not None), place)
        is_judged = any(last.answer.verdict.meaning.rank is not None for last in found.values())
        answers = tuple(self._answers.values()) if is_judged else ()
        standings = Counter(last.standing for last in answers)
        self.entry, self._since = entry, place.run if found else since
        self.points.append(
            TrendPoint(
                run=place.run,
                target=one_line(entry.name),
                framework=one_line(entry.framework),
                version=one_line(entry.version),
                problem=one_line(entry.problem),
                conforming=standings[Standing.CONFORMING],
                compared=standings.total() - standings[Standing.INFORMATIVE],
                new=_by_severity(answers, Standing.DEVIATING),
                recorded=_by_severity(answers, Standing.EXCUSED),
                since=since,
                changes=in_order(Change, changes) if since is not None else {},
                regressed=in_order(Severity, regressed),
                causes=tuple(shifts[:MAX_CAUSES]),
                more_causes=max(0, len(shifts) - MAX_CAUSES),
            )
        )

    def _replace(self, key: _FormOfCase, last: _Last | None, moved: _Moved) -> None:
        """Takes the new answer to a check, or forgets the check, and notes the causes that it left and came to."""
        earlier = self._answers.pop(key, None)
        if last is not None:
            self._answers[key] = last
        causes = [(earlier.cause if earlier else None, -1), (last.cause if last else None, 1)]
        for cause, step in causes if causes[0][0] != causes[1][0] else ():
            if cause is not None:
                self._causes[cause] += step
                if len(moved[cause, step]) < KEPT_PER_CAUSE:
                    moved[cause, step].append(CheckName(case=key[0][:_MAX_CASE], form=key[1]))

    def _shifts(self, place: _PlaceInTrend, before: Counter[_RankedCause], moved: _Moved) -> Iterator[CauseShift]:
        for cause in dict.fromkeys(cause for cause, _ in moved):
            (name, severity), count = cause, self._causes[cause]
            if count == before[cause]:
                continue
            shown = place if count else self._met.pop(cause, place)
            yield CauseShift(
                movement=_movement(before[cause], count),
                severity=severity,
                verdict=name.verdict,
                text=name.text,
                deviation=one_line(name.deviation),
                what=one_line(shown.whats.get((shown.target, name.deviation), "")),
                before=before[cause],
                after=count,
                run=shown.run,
                target=one_line(shown.target),
                checks=tuple(moved[cause, 1 if count > before[cause] else -1]),
            )


class _Trending:
    """Adds run after run, and pairs the targets of each with those before."""

    def __init__(self) -> None:
        self.unread: list[UnreadLog] = []
        self._runs: list[LoggedRun] = []
        self._series: list[_TargetHistory] = []

    def add(self, log: NamedLog, summary: Summary, found: _Found) -> None:
        """Adds a run."""
        header, number = summary.header, len(self._runs)
        is_complete = summary.footer is not None and summary.footer.complete and not header.selection.is_part
        whats = {(seen.entry.target, seen.entry.id): seen.entry.what for seen in summary.deviations}
        for entry, series in self._paired(summary.targets):
            answers = found.get(entry.name, {})
            is_whole = is_complete and not entry.problem and len(answers) >= header.planned
            series.add(_PlaceInTrend(number, entry.name, whats), entry, answers, is_whole=is_whole)
        self._runs.append(logged_run(summary, log))

    def trend(self) -> Trend:
        """The trend over all runs that were added."""
        targets = (TrendTarget(name=one_line(line.entry.name), points=tuple(line.points)) for line in self._series)
        return Trend(runs=tuple(self._runs), unread=tuple(self.unread), targets=tuple(targets))

    def _paired(self, entries: Sequence[TargetEntry]) -> Iterator[tuple[TargetEntry, _TargetHistory]]:
        """The targets of a run, each with the series that it continues or begins."""
        by_name = {line.entry.name: line for line in self._series}
        for pair in pair_targets([line.entry for line in self._series], entries):
            if pair.new is not None:
                if pair.old is None:
                    self._series.append(_TargetHistory(pair.new))
                yield pair.new, by_name[pair.old.name] if pair.old is not None else self._series[-1]


def _by_severity(answers: Iterable[_Last], standing: Standing) -> dict[Severity, int]:
    found = (last.severity for last in answers if last.standing is standing)
    return in_order(Severity, Counter(severity for severity in found if severity is not None))


def _movement(before: int, after: int) -> Movement:
    if not before or not after:
        return Movement.BEGAN if after else Movement.ENDED
    return Movement.MORE if after > before else Movement.FEWER


def _rank(shift: CauseShift) -> tuple[int, int, int]:
    movements, severities = list(Movement), list(Severity)
    return movements.index(shift.movement), severities.index(shift.severity), -abs(shift.after - shift.before)
