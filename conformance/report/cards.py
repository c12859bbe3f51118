"""The first screen of a report: for each target its result, its worst cause, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.findings.causes import Cause, rank_of
from conformance.findings.summary import Summary, TargetResult, result_of
from conformance.language.verdict import Section
from conformance.log.record import RecordedDeviation, TargetEntry
from conformance.report import wording
from conformance.report.case_view import badge
from conformance.report.document import (
    Drawing,
    Medium,
    Only,
    ReportBlock,
    ResultCard,
    Sentence,
    ShellCommand,
    Span,
    SpanKind,
)
from conformance.report.drawing import share_drawing
from conformance.report.links import cause_id
from conformance.report.rates import RESULT_TONES
from conformance.report.tensors.call_text import recorded_command, repro_command, rerun_failed_command, target_options

_WORST_OF = (Section.NEW, Section.NOT_JUDGED, Section.BEFORE, Section.KNOWN, Section.NEIGHBOURS)


def cards(summary: Summary) -> list[ResultCard]:
    """A card for each target, the worst result first, of equal results that with the worst cause."""
    found = []
    for number, target in enumerate(summary.targets, 1):
        result, cause = result_of(summary, target), _worst_cause(summary, target)
        rank = -list(TargetResult).index(result), rank_of(cause.severity if cause else None)
        found.append((rank, number, _card(summary, number, result, cause)))
    return [card for _, _, card in sorted(found, key=lambda one: one[:2])]


def _card(summary: Summary, number: int, result: TargetResult, cause: Cause | None) -> ResultCard:
    target = summary.targets[number - 1]
    blocks: list[ReportBlock] = [Drawing(share_drawing(summary.counts(target.name)))]
    if cause is not None:
        shown = Span("-", page=badge(cause.verdict, wording.worst_judged(cause)))
        title = Span(wording.cause_title(summary, cause), link=f"#{cause_id(cause)}")
        extent = Span(wording.cause_extent(cause), SpanKind.MUTED)
        blocks.append(Sentence([Span("Worst ", SpanKind.STRONG), shown, " ", title, " ", extent]))
    blocks.append(Sentence([Span("Next ", SpanKind.STRONG), _ADVICE[result]]))
    recorded = summary.recorded(target.name, cause.deviation) if cause is not None else None
    command = _command(result, target, summary.header.cases_folders, cause, recorded)
    blocks += [ShellCommand(command)] if command else []
    return ResultCard(
        number=number,
        name=target.name,
        sign=result.sign,
        tone=RESULT_TONES[result.colour],
        sentence=wording.target_sentence(summary, target),
        blocks=[Only(Medium.PAGE, blocks)],
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
