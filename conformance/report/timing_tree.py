"""The times of a run as a section: of single calls, and steady times against a plain copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from conformance.findings.counts import MedianTime
from conformance.findings.summary import Summary
from conformance.log.record import TimingRecord
from conformance.report import timing as times
from conformance.report import timing_charts as charts
from conformance.report.document import (
    Details,
    Drawing,
    Facts,
    Medium,
    Only,
    ReportBlock,
    ReportSection,
    Sentence,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableColumn,
    Text,
    columns,
    row,
)
from conformance.report.nodes import HtmlNode, node
from conformance.values.text import counted, duration

_FEW, _MANY = 12, 70
_COPY = "A view copies nothing; with ~ the interval of the median is wide, or there is none."
_MEDIANS = (
    "Medians inside the adapter's process, to about 2 %, over the checks that produced outputs. A run with small "
    "tensors times the call, not the copying."
)


def timing(summary: Summary) -> ReportSection:
    """The section; its text is short, and its page has charts."""
    by_operator = {operator: times.timed_cases(summary, operator) for operator in summary.operators}
    cases = [case for found in by_operator.values() for case in found]
    notable = [case for found in by_operator.values() for case in times.notable_cases(found)]
    text: list[ReportBlock] = []
    if cases:
        title = f"Steady times of {counted(len(cases), 'case')} against a plain copy"
        left_out = times.left_out_sentence(summary)
        whole: list[ReportBlock] = [_brief(summary, cases, _MANY), Sentence(" ".join(filter(None, [_COPY, left_out])))]
        text = [
            Only(Medium.TERMINAL, [_brief(summary, notable, _FEW)]),
            Only(Medium.MARKDOWN, [Details(head=title, blocks=whole)]),
        ]
    return ReportSection(
        title="How long it took",
        id="timing",
        media=Medium.ANY if cases else Medium.PAGE,
        blocks=[*text, Only(Medium.PAGE, [_medians(summary), *_steady(summary, by_operator)])],
    )


def _brief(summary: Summary, cases: Sequence[times.TimedCase], few: int) -> Table:
    rows = []
    for case in cases:
        by_target = {record.target: record for record in case}
        cells = [_against_copy(by_target.get(target.name)) for target in summary.targets]
        rows.append(row(Span(case[0].case, SpanKind.CODE, limit=200), *cells))
    name = "steady time / plain copy"
    targets = (TableColumn(target.name, f"[{n}]", is_number=True) for n, target in enumerate(summary.targets, 1))
    return Table(name=name, columns=[TableColumn(name), *targets], rows=rows, few=few, kind="numbers")


def _against_copy(record: TimingRecord | None) -> TableCell:
    if record is None or record.run is None:
        return TableCell("—")
    mark = " ~" if times.is_wide(record.run) else ""
    return TableCell(f"{times.times_copy_text(record)}{mark}", [TableCell(duration(record.run.median_ns))])


def _medians(summary: Summary) -> Table:
    rows = []
    for operator in summary.operators:
        for target in summary.targets:
            cell = summary.cell(operator, target.name)
            if cell.run is not None:
                both = [text for typical in (cell.prepare, cell.run) for text in _typical(typical)]
                rows.append(row(operator, Span(target.name, SpanKind.NAME), *both))
    names = columns("Operator", "Target", "Prepare", "n", "Run", "n", numbers_from=2)
    return Table(name="Times of single calls", columns=names, rows=rows, caption=_MEDIANS, kind="numbers")


def _typical(typical: MedianTime | None) -> tuple[str, str]:
    return ("—", "0") if typical is None else (duration(typical.median_ns), f"{typical.count:,}")


def _steady(summary: Summary, by_operator: dict[str, list[times.TimedCase]]) -> Iterator[ReportBlock]:
    settings = summary.header.timing
    if not summary.timings or settings is None:
        return
    numbers = {target.name: number for number, target in enumerate(summary.targets)}
    about = (
        f"After a warm-up, each call was repeated until its median was precise enough, in "
        f"{counted(settings.rounds, 'round')} over all targets in turn. An interval contains the median with "
        f"{settings.confidence_percent} % confidence, whatever the distribution. A plain copy of the same bytes was "
        "measured in the same way, in the same process, right after. A split is at best such a copy, or free where the "
        "outputs are views of the data. Only cases whose outputs were right have times."
    )
    groups: list[ReportBlock] = [
        ReportSection(title=operator, blocks=[*_charts(cases, numbers), _all_times(operator, cases)])
        for operator, cases in by_operator.items()
        if cases
    ]
    is_alone = all(record.is_framework_alone for record in summary.timings if record.run)
    stopped = (
        f"an interval of {settings.width_percent:g} % of the median, {settings.limit_ns / 1e9:g} s, or "
        f"{settings.max_samples} samples a round"
    )
    facts = {
        "Not shown": times.left_out_sentence(summary),
        "Stopped at": stopped,
        **{target.name: times.places(summary, target.name) for target in summary.targets},
        "*": "" if is_alone else "the adapter's own work is within the measured call",
    }
    blocks = [Drawing(charts.legend(numbers)), *groups, Facts(facts)]
    yield ReportSection(title="Steady-state time against memcpy", blocks=[Sentence(about), *blocks])


def _charts(cases: Sequence[times.TimedCase], numbers: dict[str, int]) -> Iterator[Drawing]:
    compared = charts.comparison_drawing(cases, numbers)
    if compared is not None:
        yield Drawing(_figure("All cases, against a plain copy of the same bytes", compared))
    figures = [_figure(curve.title, charts.curve_drawing(curve, numbers)) for curve in times.curves(cases)]
    yield Drawing(node("div", *figures, kind="curves"))


def _figure(caption: str, drawing: HtmlNode) -> HtmlNode:
    return node("figure", node("figcaption", caption), drawing, kind="drawing")


_NAMES = ("Prepare", "First run", "Steady run", "Interval", "Speed", "Plain copy", "Times copy", "Cores busy")


def _all_times(operator: str, cases: Sequence[times.TimedCase]) -> Details:
    caption = (
        "Medians; of steady calls with their interval, which is called wide where it allows no comparison. The speed "
        "counts the bytes of the data once."
    )
    rows = [
        row(_named(case, record), Span(record.target, SpanKind.NAME), *_times(record))
        for case in cases
        for record in case
    ]
    names = columns("Case", "Target", *_NAMES, numbers_from=2)
    table = Table(name=f"Times of {operator}", columns=names, rows=rows, caption=caption, kind="numbers times")
    return Details(head=f"All times of {operator}", blocks=[table], kind="folded")


def _named(case: times.TimedCase, record: TimingRecord) -> TableCell:
    notes = [TableCell(text) for text in (times.about(case), times.note(case)) if text]
    return TableCell(times.title_of(case), notes if record is case[0] else ())


def _times(record: TimingRecord) -> list[Text]:
    if record.run is None or record.copy is None:
        return [Span(f"no time: {record.reason or 'none was recorded'}", SpanKind.MUTED), *["—"] * 7]
    return [
        duration(median(record.prepare_ns)) if record.prepare_ns else "—",
        duration(median(record.first_run_ns)) if record.first_run_ns else "—",
        f"{duration(record.run.median_ns)}{'' if record.is_framework_alone else ' *'}",
        times.interval_text(record.run),
        times.speed_text(record),
        duration(record.copy.median_ns),
        times.times_copy_text(record),
        f"{record.run.busy_cores:.2f}",
    ]
