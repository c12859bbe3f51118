"""The times of a run as one table: of each case and target the median, its interval, and the ratio to the fastest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from conformance.log.answers import Pace, clear_interval, pace_of
from conformance.log.record import TimeEntry, TimingRecord
from conformance.log.summary import Summary
from conformance.report.document import (
    Facts,
    Medium,
    Only,
    ReportSection,
    Sentence,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableRow,
    columns,
    row,
)
from conformance.tensors.text import counted, duration

TIMES = "\N{MULTIPLICATION SIGN}"
_TOO_WIDE = 0.25
"""An interval wider than this fraction of its median is marked."""
_ABOUT = (
    "Medians of steady calls with their intervals, divided by that of the fastest target and by a plain copy of the "
    "same bytes. A dash means that noise hides the difference. Only cases whose outputs were right have times."
)
_MOST_ROWS = 24
_COLUMNS = ("Case", "Target", "Median", "Interval", "/ fastest", "/ plain copy")
TimedCase = Sequence[TimingRecord]
"""The records of one case, in the order of the targets; the first has the facts about the case."""


def timing(summary: Summary) -> ReportSection:
    """The section of a run that measured times."""
    records = [(case, record) for case in timed_cases(summary) for record in case]
    numbers = {target.name: f"[{number}]" for number, target in enumerate(summary.targets, 1)}
    short = [row(_named(case, one), numbers.get(one.target, ""), *_times(case, one)[:-1]) for case, one in records]
    whole = [row(_named(case, one), Span(one.target, SpanKind.NAME), *_times(case, one)) for case, one in records]
    is_alone = all(record.is_framework_alone for record in summary.timings if record.run)
    facts = {
        "Not shown": left_out_sentence(summary),
        "*": "" if is_alone else "the adapter's own work is within the measured call",
        **{target.name: _places(summary, target.name) for target in summary.targets},
    }
    return ReportSection(
        title="How long it took",
        id="timing",
        blocks=[
            Only(Medium.TERMINAL, [_table(short, _COLUMNS[:-1])]),
            Only(Medium.FILE, [Sentence(_ABOUT), _table(whole, _COLUMNS), Facts(facts)]),
        ],
    )


def _table(rows: Sequence[TableRow], names: Sequence[str]) -> Table:
    return Table(name="Times", columns=columns(*names, numbers_from=2), rows=rows, few=_MOST_ROWS, kind="numbers")


def timed_cases(summary: Summary) -> list[TimedCase]:
    """The timed cases, each with the times of its targets."""
    order = {target.name: place for place, target in enumerate(summary.targets)}
    records = sorted(summary.timings, key=lambda one: (one.case, order.get(one.target, len(order))))
    return [list(of) for _, of in groupby(records, key=lambda one: one.case)]


def left_out_sentence(summary: Summary) -> str:
    """How many times no report shows; empty if all are shown."""
    count = summary.timings_left_out
    return f"{counted(count, 'further time')}, which the log holds." if count else ""


def _named(case: TimedCase, record: TimingRecord) -> TableCell:
    notes = [TableCell(about(record))] if record is case[0] else []
    return TableCell(Span(record.case, SpanKind.CODE, limit=200), notes)


def _times(case: TimedCase, record: TimingRecord) -> list[str]:
    """The cells of the columns from the median on."""
    if record.run is None:
        return [f"no time: {record.reason or 'none was recorded'}", "—", "—", "—"]
    return [
        f"{duration(record.run.median_ns)}{'' if record.is_framework_alone else ' *'}",
        interval_text(record.run),
        against_fastest(case, record.run),
        against_copy(record),
    ]


def about(record: TimingRecord) -> str:
    """`1 MiB of float32 in 4 parts, inner axis`."""
    return f"{bytes_text(record.nbytes)} of {record.dtype} in {counted(record.parts, 'part')}, {_axis_text(record)}"


def against_fastest(case: TimedCase, run: TimeEntry) -> str:
    """The time divided by that of the fastest target of the case.

    A dash if it is the only one, if the noise does not tell both apart, or is too high to say.
    """
    runs = [one.run for one in case if one.run is not None]
    fastest = min(runs, key=lambda one: one.median_ns)
    if len(runs) < 2 or any(clear_interval(one) is None for one in runs):
        return "—"
    if run is fastest:
        return _ratio(1)
    return "—" if pace_of(fastest, run) is Pace.ALIKE else _ratio(run.median_ns / fastest.median_ns)


def against_copy(record: TimingRecord) -> str:
    """The time divided by that of a plain copy of the same bytes, with `(view)` if the outputs are views."""
    if record.run is None or record.copy is None or not record.copy.median_ns:
        return "—"
    return f"{_ratio(record.run.median_ns / record.copy.median_ns)}{' (view)' if record.is_view else ''}"


def _ratio(times: float) -> str:
    shown = f"{times:.{2 if times < 10 else 1 if times < 100 else 0}f}" if times >= 0.01 else "< 0.01"
    return f"{shown} {TIMES}"


def interval_text(time: TimeEntry) -> str:
    """`38 µs to 42 µs`, and whether that is wide."""
    if time.low_ns is None or time.high_ns is None:
        return "too few samples"
    wide = time.high_ns - time.low_ns > _TOO_WIDE * time.median_ns
    return f"{duration(time.low_ns)} to {duration(time.high_ns)}{' (wide)' if wide else ''}"


def bytes_text(nbytes: float) -> str:
    """`16 KiB`, `256 MiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:g} {unit}"
    return f"{nbytes:g} bytes"


def _places(summary: Summary, target: str) -> str:
    """`4 threads in the process, allowed on the cores 0, 1`; empty for a target without times."""
    timed = [record for record in summary.timings if record.target == target and record.run is not None]
    if not timed:
        return ""
    threads = max(record.threads for record in timed)
    cores = ", ".join(map(str, timed[-1].affinity))
    return f"{counted(threads, 'thread')} in the process{f', allowed on the cores {cores}' if cores else ''}"


def _axis_text(record: TimingRecord) -> str:
    last = len(record.shape) - 1
    if record.axis == last == 0:
        return "the only axis"
    return "outer axis" if record.axis == 0 else "inner axis" if record.axis == last else f"axis {record.axis}"
