"""The run as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.findings.causes import Cause, detail_of
from conformance.findings.counts import Counts
from conformance.findings.summary import Summary, harness_reasons, result_of
from conformance.log.record import TimingRecord
from conformance.report import wording
from conformance.report.markdown import bounded, code, escaped
from conformance.report.sections import CauseGroup, cause_groups, operator_rows, part_sentence
from conformance.report.tensors.call_text import recorded_command, target_options
from conformance.report.timing import is_wide, left_out_sentence, timed_cases, times_copy_text
from conformance.values.text import counted, duration

_MAX_CAUSES = 40
_MAX_CASES = 3
_MAX_TARGETS = 12
_MAX_TIMED_CASES = 200
_PLAIN_LINK = re.compile(r"https?://[\w./#?=%-]{1,300}")


def render_markdown(summary: Summary) -> str:
    """The summary, short enough for a job summary or a comment on GitHub."""
    return bounded(_parts(summary))


def _parts(summary: Summary) -> Iterator[str]:
    yield f"## Conformance: {escaped(wording.headline(summary))}\n\n"
    if part := part_sentence(summary.header.selection):
        yield f"{escaped(part, 600)}\n\n"
    for reason in harness_reasons(summary):
        yield f"> **Not judged:** {escaped(reason, 600)}\n>\n"
    yield "\n"
    for number, target in enumerate(summary.targets, 1):
        sign = result_of(summary, target).sign
        sentence = escaped(wording.target_sentence(summary, target), 600)
        yield f"- {sign} **[{number}]** {code(target.name)} {sentence}\n"
    yield from _matrix(summary)
    for group in cause_groups(summary):
        yield from _group(summary, group)
    yield from _times(summary)
    unseen = [seen.entry for seen in summary.deviations if not seen.counts.total]
    if unseen:
        yield "\nRecorded, but not met in this run: "
        yield ", ".join(f"{code(entry.id)} of {code(entry.target)}" for entry in unseen[:20]) + ".\n"


def _matrix(summary: Summary) -> Iterator[str]:
    numbers = range(1, min(len(summary.targets), _MAX_TARGETS) + 1)
    shown = summary.targets[:_MAX_TARGETS]
    yield f"\n| operator |{''.join(f' [{number}] |' for number in numbers)}\n|---|{'---:|' * len(numbers)}\n"
    for operator, versions in operator_rows(summary).items():
        yield _row(code(operator, 100), (summary.counts_of(versions, target.name) for target in shown))
    yield _row("**all operators**", (summary.counts(target.name) for target in shown))
    more = len(summary.targets) - len(shown)
    left_out = f" {counted(more, 'further target')} left out." if more else ""
    yield f"\n<sub>{escaped(wording.DENOMINATORS, 600)} n/e: not expressible.{left_out}</sub>\n"


def _times(summary: Summary) -> Iterator[str]:
    """Steady times against a plain copy; nothing without times."""
    cases = [case for operator in summary.operators for case in timed_cases(summary, operator)]
    if not cases:
        return
    shown = summary.targets[:_MAX_TARGETS]
    yield f"\n<details><summary>Steady times of {counted(len(cases), 'case')} against a plain copy</summary>\n\n"
    yield f"| case |{''.join(f' [{number}] |' for number in range(1, len(shown) + 1))}\n|---|{'---:|' * len(shown)}\n"
    for case in cases[:_MAX_TIMED_CASES]:
        by_target = {record.target: record for record in case.records}
        cells = (f" {_time_cell(by_target.get(target.name))} |" for target in shown)
        yield f"| {code(case.case, 120)} |{''.join(cells)}\n"
    about = "With ~ the interval of the median is wide, or there is none; a view copies nothing."
    yield f"\n<sub>{' '.join(filter(None, [about, left_out_sentence(summary)]))}</sub>\n"
    yield "\n</details>\n"


def _time_cell(record: TimingRecord | None) -> str:
    if record is None or record.run is None:
        return "—"
    mark = " ~" if is_wide(record.run) else ""
    return f"{times_copy_text(record)}{mark}<br>{duration(record.run.median_ns)}"


def _row(name: str, counts: Iterable[Counts]) -> str:
    return f"| {name} |{''.join(f' {_cell(item)} |' for item in counts)}\n"


def _cell(counts: Counts) -> str:
    rate = f"**{wording.rate(counts)}**" if counts.deviating else wording.rate(counts)
    return "<br>".join([rate, *wording.short_marks(counts)])


def _group(summary: Summary, group: CauseGroup) -> Iterator[str]:
    checks = counted(sum(cause.count for cause in group.causes), "check")
    yield f"\n### {group.title}: {checks}\n\n{group.about}\n\n"
    for cause in group.causes[:_MAX_CAUSES]:
        yield _cause(summary, cause)
    if len(group.causes) > _MAX_CAUSES:
        yield f"- and {counted(len(group.causes) - _MAX_CAUSES, 'further cause')}\n"


def _cause(summary: Summary, cause: Cause) -> str:
    title = escaped(wording.cause_title(summary, cause))
    head = f"- **{wording.cause_kind(cause)}** {counted(cause.count, 'check')} on {code(cause.target)}: {title}"
    if cause.deviation:
        return f"{head} ({code(cause.deviation)})\n{_recorded(summary, cause)}"
    lines = [f"{head}\n"]
    lines += [
        f"  - {code(record.case, 200)} ({record.form.value}) {escaped(detail_of(cause, record, 300))}\n"
        for record in cause.records[:_MAX_CASES]
    ]
    if cause.count > _MAX_CASES:
        lines.append(f"  - and {cause.count - _MAX_CASES:,} more\n")
    return "".join(lines)


def _recorded(summary: Summary, cause: Cause) -> str:
    """The reason for a recorded deviation, its review date, the command of its script, and its upstream report."""
    entry = summary.recorded(cause.target, cause.deviation)
    if entry is None:
        return ""
    upstream = entry.upstream if _PLAIN_LINK.fullmatch(entry.upstream) else escaped(entry.upstream)
    target = next(item for item in summary.targets if item.name == cause.target)
    script = code(recorded_command(entry.id, target_options(target)))
    why = f"  {escaped(entry.why)} Reproduce: {script}; review by {escaped(entry.review)}"
    return f"{why}; {upstream}\n" if upstream else f"{why}\n"
