"""The first screen of a report: for each target its result, its worst cause, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.causes import Cause, rank_of
from conformance.findings.summary import Summary, TargetResult, result_of
from conformance.language.verdict import Section
from conformance.log.record import RecordedDeviation, TargetEntry
from conformance.report.tensors.call_text import recorded_command, repro_command, rerun_failed_command, target_options
from conformance.report.wording import target_sentence

_WORST_OF = (Section.NEW, Section.NOT_JUDGED, Section.BEFORE, Section.KNOWN, Section.NEIGHBOURS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The result of a target and its worst cause.

    `advice` says what to do next; `command` does it, and is empty if no command can.
    """

    target: TargetEntry
    result: TargetResult
    sentence: str
    worst: Cause | None
    advice: str
    command: str


def cards(summary: Summary) -> list[Card]:
    """A card for each target, the worst result first."""
    made = sorted(_unordered(summary), key=lambda card: rank_of(card.worst.severity if card.worst else None))
    return sorted(made, key=lambda card: list(TargetResult).index(card.result), reverse=True)


def _unordered(summary: Summary) -> Iterator[Card]:
    for target in summary.targets:
        cause = _worst_cause(summary, target)
        result = result_of(summary, target)
        recorded = summary.recorded(target.name, cause.deviation) if cause is not None else None
        yield Card(
            target=target,
            result=result,
            sentence=target_sentence(summary, target),
            worst=cause,
            advice=_ADVICE[result],
            command=_command(result, target, summary.header.cases_folders, cause, recorded),
        )


def _worst_cause(summary: Summary, target: TargetEntry) -> Cause | None:
    """The worst cause in the first section of `_WORST_OF` that has one."""
    own = [cause for cause in summary.causes if cause.target == target.name]
    by_section = (cause for section in _WORST_OF for cause in own if cause.verdict.meaning.section is section)
    return next(by_section, None)


def _command(
    result: TargetResult,
    target: TargetEntry,
    cases_folders: Sequence[str],
    cause: Cause | None,
    recorded: RecordedDeviation | None,
) -> str:
    options = target_options(target, cases_folders)
    if result is TargetResult.NOT_JUDGED:
        return rerun_failed_command(options)
    if recorded is not None:
        return recorded_command(recorded.id, target_options(target))
    if result is TargetResult.DIFFERS and cause is not None and cause.records and target.has_scripts:
        return repro_command(cause.records[0], options)
    return ""


_ADVICE = {
    TargetResult.CONFORMS: "Nothing to do. Give this log to a later run as --baseline to see only new failures.",
    TargetResult.DEVIATES_AS_RECORDED: "Nothing is new. To see the worst recorded deviation without this suite, run:",
    TargetResult.BROKEN_BEFORE: "Nothing broke since the baseline. Fix the worst cause, or record it as a deviation.",
    TargetResult.EXCUSED: "Read what the other nodes do under “What differs”: they are too often to blame.",
    TargetResult.DIFFERS: "Open the worst cause. For a bug report, write it as a script:",
    TargetResult.NOT_ASKED: "Declare in its adapter what the framework can do, or leave the target out of this run.",
    TargetResult.NOTHING_COMPARED: "Read the reasons under “Not compared”, and select checks that the target can run.",
    TargetResult.NOT_JUDGED: "Fix the adapter, then run, with --output as in this run:",
    TargetResult.NOT_FINISHED: "Continue the run: give its command again with --resume.",
    TargetResult.NOT_STARTED: "Fix the problem, then run again.",
}
