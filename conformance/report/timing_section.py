"""The functions that the template of the section on times calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from conformance.records.record import TimeEntry
from conformance.records.summary import Summary
from conformance.report import timing, timing_charts
from conformance.report.nodes import markup
from conformance.values.text import counted, duration, one_line


def timing_names() -> dict[str, object]:
    """The names that the template can use."""
    return {
        "comparison_drawing": _comparison_drawing,
        "curve_drawing": lambda curve, numbers: markup(timing_charts.curve_drawing(curve, numbers)),
        "curves": timing.curves,
        "interval_text": _interval_text,
        "middle": timing.median_ns,
        "places_of_timing": _places,
        "series_legend": lambda summary: markup(timing_charts.legend([one_line(t.name) for t in summary.targets])),
        "speed_text": timing.speed_text,
        "target_numbers": _target_numbers,
        "timed_cases": timing.timed_cases,
        "times_copy_text": timing.times_copy_text,
    }


def _target_numbers(summary: Summary) -> dict[str, int]:
    return {target.name: number for number, target in enumerate(summary.targets)}


def _comparison_drawing(cases: Sequence[timing.TimedCase], numbers: Mapping[str, int]) -> Markup:
    drawing = timing_charts.comparison_drawing(cases, numbers)
    return Markup() if drawing is None else markup(drawing)


def _interval_text(time: TimeEntry) -> str:
    if time.low_ns is None or time.high_ns is None:
        return "too few samples"
    shown = f"{duration(time.low_ns)} to {duration(time.high_ns)}"
    return f"{shown} (wide)" if timing.clear_interval(time) is None else shown


def _places(summary: Summary, target: str) -> str:
    """`4 threads in the process, on cores 0, 1`."""
    timed = [record for record in summary.timings if record.target == target and record.run is not None]
    if not timed:
        return ""
    threads = max(record.threads for record in timed)
    cores = ", ".join(map(str, timed[-1].affinity))
    return f"{counted(threads, 'thread')} in the process{f', allowed on the cores {cores}' if cores else ''}"
