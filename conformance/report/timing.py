"""Compares times: each with a plain copy of the same bytes, and targets with each other, as far as the noise allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.findings.summary import Summary
from conformance.findings.timed import Pace, clear_interval, pace_of
from conformance.log.record import TimeEntry, TimingRecord
from conformance.values.text import counted, duration, one_line

TIMES = "\N{MULTIPLICATION SIGN}"
TOO_WIDE = 0.25
"""An interval wider than this fraction of its median is marked."""


COPY = "plain copy"
TimedCase = tuple[TimingRecord, ...]
"""The records of one case, in the order of the targets; the first has the facts about the case."""
Points = list[tuple[float, TimeEntry]]
"""Medians with their intervals, each at a place on the horizontal axis."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A chart of time against `size` or `parts`, as `against` says, with the points of each target and of the copy."""

    title: str
    against: str
    series: Mapping[str, Points]


def title_of(case: TimedCase) -> str:
    """The id without its operator."""
    return case[0].case.partition("/")[2] or case[0].case


def about(case: TimedCase) -> str:
    """`1 MiB of float32 in 4 parts, inner axis`."""
    record = case[0]
    return f"{bytes_text(record.nbytes)} of {record.dtype} in {counted(record.parts, 'part')}, {_axis_text(record)}"


def note(case: TimedCase) -> str:
    """The fastest target, or that the noise is too high to say; empty for fewer than two timed targets."""
    timed = [(one_line(record.target, 60), record.run) for record in case if record.run is not None]
    if len(timed) < 2:
        return ""
    (name, fastest), *others = sorted(timed, key=lambda item: item[1].median_ns)
    if noisy := [name for name, run in timed if clear_interval(run) is None]:
        return f"Too noisy to compare: {', '.join(noisy)}."
    if alike := [name for name, run in others if pace_of(fastest, run) is Pace.ALIKE]:
        return f"The noise does not tell these apart: {', '.join([name, *alike])}."
    ratio = others[0][1].median_ns / fastest.median_ns
    return f"{name} is fastest; the next takes {ratio:.2f} times as long."


def timed_cases(summary: Summary, operator: str) -> list[TimedCase]:
    """The timed cases of an operator, each with the times of its targets."""
    order = {target.name: place for place, target in enumerate(summary.targets)}
    by_case: dict[str, list[TimingRecord]] = {}
    for record in summary.timings:
        if record.operator == operator:
            by_case.setdefault(record.case, []).append(record)
    return [tuple(sorted(of, key=lambda one: order.get(one.target, len(order)))) for of in by_case.values()]


def left_out_sentence(summary: Summary) -> str:
    """How many times no report shows; empty if all are shown."""
    count = summary.timings_left_out
    return f"{counted(count, 'further time')}, which the log holds." if count else ""


def notable_cases(cases: Sequence[TimedCase]) -> list[TimedCase]:
    """The cases for a short table: those with the largest data, and those with the most parts."""
    largest = max((case[0].nbytes for case in cases), default=0)
    most = max((case[0].parts for case in cases), default=0)
    return [case for case in cases if case[0].nbytes == largest or case[0].parts == most]


def curves(cases: Sequence[TimedCase]) -> list[Curve]:
    """Charts of time against size and against the number of parts, for cases that differ in nothing else."""
    return [
        *_curves(cases, "size", lambda record: record.nbytes, lambda record: record.parts),
        *_curves(cases, "parts", lambda record: record.parts, lambda record: record.nbytes),
    ]


def is_wide(time: TimeEntry) -> bool:
    """Whether the interval of a time is missing, or so wide that a reader should not rely on it."""
    if time.low_ns is None or time.high_ns is None:
        return True
    return time.high_ns - time.low_ns > TOO_WIDE * time.median_ns


def times_copy_text(record: TimingRecord) -> str:
    """The time of a call divided by that of a plain copy of the same bytes, with `(view)` if the outputs are views.

    A dash if either time is missing.
    """
    if record.run is None or record.copy is None or not record.copy.median_ns:
        return "—"
    times = record.run.median_ns / record.copy.median_ns
    shown = f"{times:.{2 if times < 10 else 1 if times < 100 else 0}f}" if times >= 0.01 else "< 0.01"
    shown = f"{shown} {TIMES}"
    return f"{shown} (view)" if record.is_view else shown


def speed_text(record: TimingRecord) -> str:
    """Bytes of the data divided by the time of a call, as `26.4 GB/s`; a dash if the outputs are views."""
    if record.run is None or record.is_view or not record.run.median_ns:
        return "—"
    return f"{record.nbytes / record.run.median_ns:.3g} GB/s"


def bytes_text(nbytes: float) -> str:
    """`16 KiB`, `256 MiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:g} {unit}"
    return f"{nbytes:g} bytes"


def interval_text(time: TimeEntry) -> str:
    """`38 µs to 42 µs`, and whether that is wide."""
    if time.low_ns is None or time.high_ns is None:
        return "too few samples"
    shown = f"{duration(time.low_ns)} to {duration(time.high_ns)}"
    return f"{shown} (wide)" if is_wide(time) else shown


def places(summary: Summary, target: str) -> str:
    """`4 threads in the process, allowed on the cores 0, 1`; empty for a target without times."""
    timed = [record for record in summary.timings if record.target == target and record.run is not None]
    if not timed:
        return ""
    threads = max(record.threads for record in timed)
    cores = ", ".join(map(str, timed[-1].affinity))
    return f"{counted(threads, 'thread')} in the process{f', allowed on the cores {cores}' if cores else ''}"


_Of = Callable[[TimingRecord], int]


def _curves(cases: Sequence[TimedCase], against: str, place: _Of, fixed: _Of) -> list[Curve]:
    def key(case: TimedCase) -> tuple[str, int, int, int]:
        record = case[0]
        return record.dtype, len(record.shape), -1 if record.axis is None else record.axis, fixed(record)

    found = []
    placed = [case for case in cases if place(case[0]) > 0]
    for _, group in groupby(sorted(placed, key=key), key):
        alike = sorted(group, key=lambda case: place(case[0]))
        by_place = {place(case[0]): case for case in reversed(alike)}
        if len(by_place) > 2:
            ordered = [by_place[one] for one in sorted(by_place)]
            found.append(Curve(_title(ordered[0][0], against), against, _series(ordered, place)))
    return found


def _title(record: TimingRecord, against: str) -> str:
    rest = counted(record.parts, "part") if against == "size" else bytes_text(record.nbytes)
    name = "Time against size" if against == "size" else "Time against number of parts"
    return f"{name}: {record.dtype}, {rest}, {_axis_text(record)}"


def _axis_text(record: TimingRecord) -> str:
    last = len(record.shape) - 1
    if record.axis == last == 0:
        return "the only axis"
    return "outer axis" if record.axis == 0 else "inner axis" if record.axis == last else f"axis {record.axis}"


def _series(cases: Sequence[TimedCase], place: _Of) -> dict[str, Points]:
    points: dict[str, Points] = {}
    copies: Points = []
    for case in cases:
        at = place(case[0])
        for record in case:
            if record.run is not None:
                points.setdefault(record.target, []).append((at, record.run))
        measured = sorted((one.copy for one in case if one.copy is not None), key=lambda one: one.median_ns)
        if measured:
            copies.append((at, measured[len(measured) // 2]))
    return {**points, COPY: copies}
