"""Reads what comparisons of logs need: a log and its run, answers, times, and pairs of targets."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from conformance.log.record import CheckRecord, Header, Line, TargetEntry, TimeEntry, TimingRecord
from conformance.log.summary import CauseName, Summary, cause_name, harness_reasons, summarize
from conformance.protocol.form import Form
from conformance.protocol.outcome import Interval
from conformance.spec.verdict import Rank, RateMark, Section, Severity, Verdict
from conformance.tensors.text import one_line

# Classifies how one check changed between two runs, by the rank of its verdict: deviates, no answer, or holds.


class Change(Enum):
    """How a check changed between two runs, the worst first."""

    REGRESSED = "regressed"
    NOT_JUDGED = "not judged"
    NO_LONGER_DISPUTED = "no longer disputed"
    NEWLY_DISPUTED = "newly disputed"
    CHANGED = "changed otherwise"
    IMPROVED = "improved"
    ASKED_DIFFERENTLY = "asked differently"
    SAME_FAULT = "same known fault"
    UNCHANGED = "unchanged"

    @property
    def about(self) -> str:
        """The sentence for readers."""
        return _ABOUT[self]

    @property
    def is_in_both_runs(self) -> bool:
        """Whether the check is in both runs."""
        return self is not Change.ASKED_DIFFERENTLY


class Aspect(Enum):
    """A respect in which two answers with the same verdict differ."""

    CAUSE = "cause"
    INTERPRETATION = "interpretation"
    DEVIATION = "recorded deviation"
    OUTPUTS = "outputs"
    LOWERING = "lowering"
    PLACE = "place where it ran"


def is_worse(old: Verdict, new: Verdict) -> bool:
    """Whether the new verdict is a graver deviation than the old one; false if either is not a deviation."""
    before, after = old.meaning.severity, new.meaning.severity
    return before is not None and after is not None and after.gravity > before.gravity


RankedCause = tuple[CauseName, Severity]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The fields of a record that a comparison needs.

    `judged` is the verdict before deviations are applied, `deviation` the id of the one behind *known* or *fixed*, and
    `outputs` the digest. `is_disputed`: the suite calls the case disputed. `fault` is the cause and the severity of an
    answer that deviates.
    """

    verdict: Verdict
    judged: Verdict
    is_disputed: bool = False
    cause: str = ""
    interpretation: str = ""
    deviation: str = ""
    outputs: str = ""
    lowered: str = ""
    ran_on: str = ""
    fault: RankedCause | None = None

    @property
    def text(self) -> str:
        """The verdict, with the deviation, interpretation or cause behind it."""
        behind = self.deviation or self.interpretation or self.cause
        return f"{self.verdict.value}: {behind}" if behind else self.verdict.value


def change_of(old: Answer | None, new: Answer | None) -> Change:
    """How a check changed; None stands for a run that does not have it."""
    if old is None or new is None:
        return Change.ASKED_DIFFERENTLY
    before, after = old.verdict.meaning.rank, new.verdict.meaning.rank
    if before is None or after is None:
        return Change.NOT_JUDGED
    if _turns_disputed(old, new):
        return Change.NEWLY_DISPUTED
    if _turns_disputed(new, old):
        return Change.NO_LONGER_DISPUTED
    if before != after:
        return Change.REGRESSED if after < before else Change.IMPROVED
    if is_worse(old.judged, new.judged):
        return Change.REGRESSED
    if is_worse(new.judged, old.judged):
        return Change.IMPROVED
    if old.verdict is new.verdict and not _differing(old, new):
        return Change.UNCHANGED
    return Change.SAME_FAULT if _is_same_fault(old, new) else Change.CHANGED


def aspects_of(old: Answer | None, new: Answer | None) -> tuple[Aspect, ...]:
    """The respects in which two answers with the same verdict differ; empty for others."""
    return () if old is None or new is None or old.verdict is not new.verdict else _differing(old, new)


def _is_same_fault(old: Answer, new: Answer) -> bool:
    """Whether one record describes both answers, or describes one of two that are the same but for the record."""
    are_known = [answer.verdict.meaning.section is Section.KNOWN for answer in (old, new)]
    if all(are_known):
        return old.deviation == new.deviation
    return any(are_known) and old.judged is new.judged and _differing(old, new) == (Aspect.DEVIATION,)


def _differing(old: Answer, new: Answer) -> tuple[Aspect, ...]:
    pairs = {
        Aspect.CAUSE: (old.cause, new.cause),
        Aspect.INTERPRETATION: (old.interpretation, new.interpretation),
        Aspect.DEVIATION: (old.deviation, new.deviation),
        Aspect.OUTPUTS: (old.outputs, new.outputs),
        Aspect.LOWERING: (old.lowered, new.lowered),
        Aspect.PLACE: (old.ran_on, new.ran_on),
    }
    return tuple(aspect for aspect, (before, after) in pairs.items() if before != after)


def _turns_disputed(old: Answer, new: Answer) -> bool:
    """Whether the verdict became `spec ambiguous` because the suite now calls the case disputed."""
    is_declared = new.is_disputed and not old.is_disputed
    return is_declared and new.verdict.meaning.mark is RateMark.DISPUTED and old.verdict.meaning.may_become_disputed


_ABOUT = {
    Change.REGRESSED: "It no longer conforms, deviates where it was not answered, or fails worse than before.",
    Change.NOT_JUDGED: "In one of the runs the adapter or the suite failed; this says nothing about the framework.",
    Change.NO_LONGER_DISPUTED: "The suite no longer calls the case disputed.",
    Change.NEWLY_DISPUTED: "The suite now calls the case disputed.",
    Change.CHANGED: "Same rank as before, but another verdict, cause, output or device.",
    Change.IMPROVED: "Better than before: it conforms now, is answered now, or fails less severely.",
    Change.ASKED_DIFFERENTLY: "Only one of the runs has it: the suite or the selection is another.",
    Change.SAME_FAULT: "One recorded deviation describes both answers, or both are alike and one run lacks the record.",
    Change.UNCHANGED: "The verdict, its cause, and the outputs are the same.",
}


# Reads the answers of a log, in short, for comparisons of runs: one pass that also gives its summary.

CheckKey = tuple[str, str, Form]
"""Target, case and form of a check."""


@dataclass(frozen=True, slots=True)
class LoggedAnswers:
    """The summary of a log, the answer to each check, and the steady time of each timed case by target and case."""

    summary: Summary
    answers: dict[CheckKey, Answer]
    times: dict[tuple[str, str], TimeEntry]


def read_answers(lines: Iterable[Line]) -> LoggedAnswers:
    """The answers of a log, given as lines. If a check has several records, the first one counts.

    Raises:
        RunLogError: the log has no header, or a line is not one of a log.
    """
    answers: dict[CheckKey, Answer] = {}
    times: dict[tuple[str, str], TimeEntry] = {}

    def noted() -> Iterator[Line]:
        disputes: Collection[str] = ()
        for line in lines:
            match line:
                case Header():
                    disputes = line.suite.disputes
                case CheckRecord():
                    key = sys.intern(line.target), line.case, line.form
                    answers.setdefault(key, _answer(line, disputes))
                case TimingRecord(run=TimeEntry() as run):
                    times[line.target, line.case] = run
                case _:
                    pass
            yield line

    return LoggedAnswers(summarize(noted()), answers, times)


def _answer(record: CheckRecord, disputes: Collection[str]) -> Answer:
    """The answer of a record, with interned texts to save memory."""
    names = ("cause", "interpretation", "lowered", "ran_on")
    severity, deviates = record.judged.meaning.severity, record.verdict.meaning.rank is Rank.DEVIATES
    named = cause_name(record)
    return Answer(
        verdict=record.verdict,
        judged=record.judged,
        is_disputed=record.case.partition("[")[0] in disputes,
        outputs=record.outputs,
        deviation=sys.intern(one_line(named.deviation)),
        fault=(named, severity) if deviates and severity is not None else None,
        **{name: sys.intern(one_line(getattr(record, name))) for name in names},
    )


# Pairs the targets of two runs: by name, or by adapter and options at another version.


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPair:
    """A target in the old run and in the new one; None if a run has no unambiguous match."""

    old: TargetEntry | None
    new: TargetEntry | None

    @property
    def name(self) -> str:
        """The name of the pair: that in the new run, else that in the old one."""
        entry = self.new or self.old
        assert entry is not None
        return entry.name


def pair_targets(old: Sequence[TargetEntry], new: Sequence[TargetEntry]) -> tuple[TargetPair, ...]:
    """All targets of both runs: those of the new one in its order, then those only in the old one."""
    by_name = {target.name: target for target in old}
    names = {target.name for target in new}
    removed = [target for target in old if target.name not in names]
    added = [target for target in new if target.name not in by_name]
    pairs = [
        TargetPair(old=by_name.get(target.name) or _same_kind(target, removed, added), new=target) for target in new
    ]
    taken = {pair.old.name for pair in pairs if pair.old is not None}
    return (*pairs, *(TargetPair(old=target, new=None) for target in removed if target.name not in taken))


def old_names(pairs: Iterable[TargetPair]) -> dict[str, str]:
    """The name in the old run of each target that it has, by the name of the pair."""
    return {pair.name: pair.old.name for pair in pairs if pair.old is not None}


def _same_kind(target: TargetEntry, removed: Sequence[TargetEntry], added: Sequence[TargetEntry]) -> TargetEntry | None:
    """The unmatched old target with the same adapter and options, if it and this new target are the only such ones."""
    kind = _kind(target)
    candidates = [other for other in removed if _kind(other) == kind]
    rivals = [other for other in added if _kind(other) == kind]
    return candidates[0] if len(candidates) == len(rivals) == 1 else None


def _kind(target: TargetEntry) -> tuple[str, dict[str, str]]:
    return target.adapter, target.options


# Decides which of two times is the longer one beyond noise, from their intervals for the median of steady calls.
#
# A claim needs two intervals that do not overlap, and medians further apart than those of two runs of the same
# framework, because the intervals cover only the noise within a run. It also needs several rounds. Comparisons of runs
# and of targets go by the same rule.

MIN_RATIO = 1.1
"""The ratio of medians from which a call counts as slower."""
MIN_ROUNDS = 6
"""Rounds that an interval needs to account for drift."""


class Pace(Enum):
    """What can be concluded from the times of one case."""

    SLOWER = "slower beyond noise"
    FASTER = "faster beyond noise"
    ALIKE = "no difference beyond noise"
    UNCLEAR = "too noisy to say"
    OTHER_MACHINE = "another machine or Python: times cannot be compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedChange:
    """How the steady time of one case changed: the ratio new / old, and both medians."""

    target: str
    case: str
    pace: Pace
    ratio: float
    old_ns: float
    new_ns: float


def timed_change(target: str, case: str, old: TimeEntry, new: TimeEntry) -> TimedChange:
    """What can be concluded about one case that both runs timed."""
    return TimedChange(
        target=target,
        case=case,
        pace=pace_of(old, new),
        ratio=new.median_ns / old.median_ns,
        old_ns=old.median_ns,
        new_ns=new.median_ns,
    )


def pace_of(old: TimeEntry, new: TimeEntry) -> Pace:
    """Whether the second time is longer or shorter than the first one."""
    before, after = clear_interval(old), clear_interval(new)
    if before is None or after is None:
        return Pace.UNCLEAR
    if before.is_apart_from(after):
        if new.median_ns >= MIN_RATIO * old.median_ns:
            return Pace.SLOWER
        if old.median_ns >= MIN_RATIO * new.median_ns:
            return Pace.FASTER
    return Pace.ALIKE


def clear_interval(time: TimeEntry) -> Interval | None:
    """The interval for the median; None if it is missing, or has too few rounds to account for drift."""
    if time.low_ns is None or time.high_ns is None or len(time.rounds_ns) < MIN_ROUNDS:
        return None
    return Interval(time.low_ns, time.high_ns)


# The name by which its user knows a log, and the facts by which a comparison names its run.


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLog:
    """The file of a log, its name for people, and the path of its HTML report; empty if there is none."""

    path: Path
    name: str
    report: str = ""


def named_log(path: Path) -> NamedLog:
    """A log under its own path, with the `report.html` that a run writes next to it."""
    report = path.with_name("report.html")
    has_report = path.name == "run.jsonl" and report.is_file()
    return NamedLog(path=path, name=str(path), report=str(report) if has_report else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """One run. `incomplete` has the reasons, one sentence each, why it proves nothing.

    `report` is the path of its HTML report; empty if there is none. `is_part`: it left checks of the suite out.
    """

    log: str
    report: str
    started: str
    suite: str
    digest: str
    is_part: bool
    records: int
    incomplete: tuple[str, ...]


def logged_run(summary: Summary, log: NamedLog) -> LoggedRun:
    """The run of a log."""
    header = summary.header
    return LoggedRun(
        log=one_line(log.name),
        report=log.report,
        started=one_line(header.started),
        suite=one_line(header.suite.version),
        digest=one_line(header.suite.digest),
        is_part=header.selection.is_part,
        records=summary.records,
        incomplete=harness_reasons(summary),
    )
