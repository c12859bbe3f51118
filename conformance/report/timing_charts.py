"""Charts of times as SVG: medians with their intervals on logarithmic scales.

A target has one mark and one colour in all charts of a page. The tables beside them have every number.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.log.record import TimeEntry
from conformance.report.drawing import legend_of, picture
from conformance.report.nodes import HtmlNode, node
from conformance.report.timing import COPY, TIMES, Curve, Points, TimedCase, bytes_text, title_of
from conformance.values.text import duration, one_line, shortened

NUM_KINDS = 6
_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 28, 12, 40
_ROW, _NAMES = 24, 236
_MAX_ROWS = 60
_CAP = 4
_LEAST_NS, _MOST_NS = 0.1, 1e15


@dataclass(frozen=True, slots=True)
class LogScale:
    """Maps values from `low` to `high` to pixels from `start` to `end`; equal ratios have equal distances."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """The pixel of a value."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def powers(self, base: int) -> list[float]:
        """The powers of a base within the scale; only every second or third one if there are many."""
        first, last = math.ceil(math.log(self.low, base) - 1e-9), math.floor(math.log(self.high, base) + 1e-9)
        step = max(1, -(-(last - first + 1) // 8))
        return [float(base) ** power for power in range(first, last + 1, step)]


def scale_over(values: Sequence[float], start: float, end: float, base: int = 10) -> LogScale:
    """A scale from the power of the base below all values to the one above them."""
    low = float(base) ** math.floor(math.log(min(values), base) + 1e-9)
    high = float(base) ** math.ceil(math.log(max(values), base) - 1e-9)
    return LogScale(low, high if high > low else low * base, start, end)


def legend(targets: Collection[str]) -> HtmlNode:
    """The mark of each target."""
    entries = [(one_line(name), _kind(number), number) for number, name in enumerate(targets)]
    entries.append(("plain copy of the same bytes", "copy", len(targets)))
    return legend_of(((_mark(kind, number, 8, 8), name) for name, kind, number in entries), 16)


def curve_drawing(curve: Curve, numbers: Mapping[str, int]) -> HtmlNode:
    """Time against size or number of parts; `numbers` has the number of each target in the report."""
    points = [point for found in curve.series.values() for point in found]
    times = [end for _, time in points for end in _ends(time)]
    x = scale_over([place for place, _ in points], _LEFT, _WIDTH - _RIGHT, 2)
    y = scale_over(times, _HEIGHT - _BOTTOM, _TOP)
    shapes = [*_times_axis(y), *_places_axis(x, curve.against)]
    for name, found in curve.series.items():
        number = numbers.get(name, len(numbers))
        shapes += _line(found, "copy" if name == COPY else _kind(number), number, x, y)
    said = (f"{name}: {', '.join(duration(time.median_ns) for _, time in of)}" for name, of in curve.series.items())
    return picture(shapes, (_WIDTH, _HEIGHT), f"{curve.title}. {'; '.join(said)}.")


def comparison_drawing(cases: Sequence[TimedCase], numbers: Mapping[str, int]) -> HtmlNode | None:
    """One row per case with the time of each target relative to a plain copy; None without times."""
    rows = [(case, found) for case in cases[:_MAX_ROWS] if (found := _ratios(case))]
    if not rows:
        return None
    height = _TOP + _ROW * len(rows) + _BOTTOM
    x = scale_over([1.0, *(end for _, found in rows for _, ends in found for end in ends)], _NAMES, _WIDTH - _RIGHT)
    shapes: list[HtmlNode] = []
    for value in x.powers(10):
        kind, at, bottom = "axis" if value == 1 else "grid", x.place(value), height - _BOTTOM
        shapes.append(node("line", kind=kind, y1=_TOP, y2=bottom, x1=at, x2=at))
        shapes.append(node("text", f"{value:g} {TIMES}", kind="tick middle", x=at, y=bottom + 15))
    middle = f"{(_NAMES + _WIDTH - _RIGHT) / 2:.0f}"
    shapes.append(node("text", "times a plain copy of the same bytes", kind="tick middle", x=middle, y=height - 8))
    said = []
    for row, (case, found) in enumerate(rows):
        y = _TOP + _ROW * (row + 0.5)
        shapes.append(node("text", shortened(title_of(case), 36), kind="row", x="0", y=y + 4))
        for name, (low, at, high) in found:
            number = numbers.get(name, len(numbers))
            interval = node("line", kind=f"interval {_kind(number)}", x1=x.place(low), x2=x.place(high), y1=y, y2=y)
            shapes += [interval, _mark(_kind(number), number, x.place(at), y)]
        said.append(f"{title_of(case)}: " + ", ".join(f"{name} {at:.3g}" for name, (_, at, _) in found))
    return picture(shapes, (_WIDTH, height), f"Times a plain copy of the same bytes. {'; '.join(said)}.")


def _ratios(case: TimedCase) -> list[tuple[str, tuple[float, float, float]]]:
    """For each target, the ratio of a call's time to that of a copy: lowest, by the medians, highest."""
    found = []
    for record in case:
        if record.run is not None and record.copy is not None:
            (low, middle, high), (copy_low, copy, copy_high) = _ends(record.run), _ends(record.copy)
            found.append((record.target, (low / copy_high, middle / copy, high / copy_low)))
    return found


def _ends(time: TimeEntry) -> tuple[float, float, float]:
    low = time.median_ns if time.low_ns is None else time.low_ns
    high = time.median_ns if time.high_ns is None else time.high_ns
    return _drawn(low), _drawn(time.median_ns), _drawn(high)


def _drawn(nanoseconds: float) -> float:
    """The time, limited to what a logarithmic scale can show, whatever the log says."""
    return min(max(_LEAST_NS, nanoseconds), _MOST_NS)


def _times_axis(y: LogScale) -> Iterator[HtmlNode]:
    for value in y.powers(10):
        at = y.place(value)
        tick = "1 s" if value == 1e9 else duration(value).replace(".00", "").replace(".0", "")
        yield node("line", kind="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at)
        yield node("text", tick, kind="tick end", x=_LEFT - 6, y=at + 4)


def _places_axis(x: LogScale, against: str) -> Iterator[HtmlNode]:
    bottom = _HEIGHT - _BOTTOM
    yield node("line", kind="axis", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=bottom, y2=bottom)
    for value in x.powers(2):
        text = bytes_text(value) if against == "size" else f"{value:g}"
        yield node("text", text, kind="tick middle", x=x.place(value), y=bottom + 16)
    name = "size of the data" if against == "size" else "number of parts"
    yield node("text", name, kind="tick middle", x=f"{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}", y=_HEIGHT - 6)


def _line(points: Points, kind: str, number: int, x: LogScale, y: LogScale) -> Iterator[HtmlNode]:
    placed = [(x.place(place), [y.place(end) for end in _ends(time)]) for place, time in points]
    if len(placed) > 1:
        path = " ".join(f"{at:.1f},{middle:.1f}" for at, (_, middle, _) in placed)
        yield node("polyline", kind=f"curve {kind}", points=path)
    for at, (low, middle, high) in placed:
        yield node("line", kind=f"interval {kind}", x1=at, x2=at, y1=low, y2=high)
        for end in (low, high):
            yield node("line", kind=f"interval {kind}", x1=at - _CAP, x2=at + _CAP, y1=end, y2=end)
        yield _mark(kind, number, at, middle)


def _mark(kind: str, number: int, x: float, y: float) -> HtmlNode:
    """A mark. The first `NUM_KINDS` targets have different shapes, so that colour alone does not distinguish them."""
    if kind == "copy":
        return node("path", kind="mark copy", d=f"M{x - 4:.1f} {y:.1f}h8")
    paths = (
        f"M{x - 4:.1f} {y:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        f"M{x - 3.5:.1f} {y - 3.5:.1f}h7v7h-7z",
        f"M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z",
        f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z",
        f"M{x:.1f} {y + 4.5:.1f}l4.5 -8h-9z",
        f"M{x - 1.5:.1f} {y - 4.5:.1f}h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    )
    return node("path", kind=f"mark {kind}", d=paths[number % NUM_KINDS])


def _kind(number: int) -> str:
    return f"series-{number % NUM_KINDS}"
