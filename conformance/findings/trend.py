"""What changed over many runs, target by target: a function of their logs, read one at a time.

A check is compared with its last answer, in whichever earlier run it was, and counts with its last answer in a rate, so
that partial runs, runs that were cut off, and what was not judged hide nothing and raise no rate. Memory holds one
answer for each check of each target, whatever the number of runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.border.form import Form
from conformance.findings.answers import LoggedAnswers, read_answers
from conformance.findings.change import Answer, Change, RankedCause, change_of
from conformance.findings.compare import CheckName, check_name
from conformance.findings.counts import in_order
from conformance.findings.logged_run import LoggedRun, NamedLog, logged_run
from conformance.findings.targets import pair_targets
from conformance.language.verdict import Rank, RateMark, Severity, Standing, Verdict
from conformance.log.record import Line, TargetEntry
from conformance.values.errors import OpconformError
from conformance.values.text import one_line

KEPT_PER_CAUSE = 3
MAX_CAUSES = 40


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
    runs: list[LoggedRun] = []
    unread: list[UnreadLog] = []
    histories: list[_TargetHistory] = []
    for log, lines in logs:
        try:
            found = read_answers(lines)
        except OpconformError as problem:
            unread.append(UnreadLog(log=one_line(log.name), why=one_line(problem.what)))
        else:
            _add_run(histories, len(runs), found)
            runs.append(logged_run(found.summary, log))
    targets = (TrendTarget(name=one_line(line.entry.name), points=tuple(line.points)) for line in histories)
    return Trend(runs=tuple(runs), unread=tuple(unread), targets=tuple(targets))


_FormOfCase = tuple[str, Form]
_Moved = defaultdict[tuple[RankedCause, int], list[CheckName]]
"""The first checks that came to each cause, 1, and that left it, -1."""


@dataclass(frozen=True, slots=True)
class _PlaceInTrend:
    """A target in a run, and the sentences of recorded deviations by target and id."""

    run: int
    target: str
    whats: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Last:
    """The last answer to a check, and the answer that counts in a rate and for its cause."""

    answer: Answer
    counts: Answer

    @property
    def standing(self) -> Standing:
        return self.counts.verdict.meaning.standing

    @property
    def severity(self) -> Severity | None:
        return self.counts.judged.meaning.severity


def _counted(earlier: _Last | None, answer: Answer) -> _Last:
    """The new last answer; a rejection that was not judged ends no deviation, which counts on."""
    is_not_shown = answer.verdict.meaning.mark is RateMark.NOT_SHOWN
    if earlier is None or not is_not_shown or earlier.counts.verdict.meaning.rank is not Rank.DEVIATES:
        return _Last(answer, answer)
    return _Last(answer, earlier.counts)


class _TargetHistory:
    """One target over the runs read so far."""

    def __init__(self, entry: TargetEntry) -> None:
        self.entry = entry
        self.points: list[TrendPoint] = []
        self._answers: dict[_FormOfCase, _Last] = {}
        self._causes: Counter[RankedCause] = Counter()
        self._met: dict[RankedCause, _PlaceInTrend] = {}
        self._since: int | None = None

    def add(
        self, place: _PlaceInTrend, entry: TargetEntry, found: Mapping[_FormOfCase, Answer], *, is_whole: bool
    ) -> None:
        """Adds a run of the target. A check that a whole run lacks is forgotten; any other run leaves it as it was."""
        before, since = Counter(self._causes), self._since
        changes, regressed = Counter[Change](), Counter[Severity]()
        moved: _Moved = defaultdict(list)
        for key, answer in found.items():
            earlier, severity = self._answers.get(key), answer.judged.meaning.severity
            change = change_of(earlier.answer if earlier is not None else None, answer)
            changes[change] += 1
            if change is Change.REGRESSED and severity is not None:
                regressed[severity] += 1
            if earlier is None or answer.verdict.meaning.rank is not None:
                self._replace(key, _counted(earlier, answer), moved)
        for key in [key for key in self._answers if key not in found] if is_whole else ():
            changes[Change.ASKED_DIFFERENTLY] += 1
            self._replace(key, None, moved)
        shifts = sorted(self._shifts(place, before, moved), key=_rank) if since is not None else []
        self._causes = +self._causes
        self._met |= dict.fromkeys((answer.fault for answer in found.values() if answer.fault is not None), place)
        is_judged = any(answer.verdict.meaning.rank is not None for answer in found.values())
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
        causes = [(earlier.counts.fault if earlier else None, -1), (last.counts.fault if last else None, 1)]
        for cause, step in causes if causes[0][0] != causes[1][0] else ():
            if cause is not None:
                self._causes[cause] += step
                if len(moved[cause, step]) < KEPT_PER_CAUSE:
                    moved[cause, step].append(check_name(*key))

    def _shifts(self, place: _PlaceInTrend, before: Counter[RankedCause], moved: _Moved) -> Iterator[CauseShift]:
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


def _add_run(histories: list[_TargetHistory], number: int, found: LoggedAnswers) -> None:
    """Adds a run to the histories of its targets, each of which it continues or begins."""
    summary, header = found.summary, found.summary.header
    is_complete = summary.footer is not None and summary.footer.complete and not header.selection.is_part
    whats = {(seen.entry.target, seen.entry.id): seen.entry.what for seen in summary.deviations}
    by_name = {history.entry.name: history for history in histories}
    for pair in pair_targets([history.entry for history in histories], summary.targets):
        if (entry := pair.new) is None:
            continue
        if pair.old is None:
            histories.append(_TargetHistory(entry))
        history = by_name[pair.old.name] if pair.old is not None else histories[-1]
        answers = {(case, form): answer for (of, case, form), answer in found.answers.items() if of == entry.name}
        is_whole = is_complete and not entry.problem and len(answers) >= header.planned
        history.add(_PlaceInTrend(number, entry.name, whats), entry, answers, is_whole=is_whole)


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
