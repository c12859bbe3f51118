"""The chart of a target over its runs as SVG: the rate above, and its deviations by kind below.

The tables beside it have every number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.findings.trend import Trend, TrendPoint, TrendTarget
from conformance.language.verdict import Severity
from conformance.report.drawing import legend_of, picture
from conformance.report.nodes import HtmlNode, node
from conformance.report.trend.wording import has_suite_changed, percent, when
from conformance.values.text import shortened

_WIDTH, _LEFT, _RIGHT = 760, 64, 20
_TOP, _RATES, _GAP, _BARS, _BOTTOM = 26, 110, 22, 70, 26
_HEIGHT = _TOP + _RATES + _GAP + _BARS + _BOTTOM
_STEP, _LABEL = 96, 88
_MOST_SAID = 30
_SPANS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_SPAN_OF_ALL = 0.01


@dataclass(frozen=True, slots=True)
class _PlotArea:
    """The places of the points, the lowest rate and the largest number of deviations."""

    xs: tuple[float, ...]
    low: float
    most: int

    def rate(self, point: TrendPoint) -> float:
        share = (point.conforming / point.compared - self.low) / (1 - self.low)
        return _TOP + _RATES * (1 - share)

    def height(self, count: int) -> float:
        return _BARS * count / self.most


def trend_drawing(trend: Trend, target: TrendTarget) -> HtmlNode:
    """The chart of one target; runs that are not whole have hollow marks."""
    frame = _frame(target.points)
    shapes = [
        *_axes(target, frame),
        *_bars(target, frame),
        *_rates(trend, target, frame),
        *_labels(trend, target, frame),
    ]
    return picture(shapes, (_WIDTH, _HEIGHT), _said(trend, target))


def kinds_legend(target: TrendTarget) -> HtmlNode | None:
    """The colour of each kind of deviation that the chart shows; None if there is none."""
    met = [severity for severity in Severity if any(_deviations(point)[severity] for point in target.points)]
    if not met:
        return None
    squares = (node("rect", kind=kind_of(severity), x=1, y=1, width=12, height=12) for severity in met)
    return legend_of(zip(squares, (severity.value for severity in met), strict=True), 14)


def _frame(points: Sequence[TrendPoint]) -> _PlotArea:
    room = _WIDTH - _LEFT - _RIGHT
    step = min(_STEP, room / len(points))
    worst = min((point.conforming / point.compared for point in points if point.compared), default=1.0)
    span = next(span for span in _SPANS if span >= 1 - worst) if worst < 1 else _SPAN_OF_ALL
    return _PlotArea(
        xs=tuple(_LEFT + step * (number + 0.5) for number in range(len(points))),
        low=1 - span,
        most=max(1, *(_deviations(point).total() for point in points)),
    )


def _axes(target: TrendTarget, frame: _PlotArea) -> Iterator[HtmlNode]:
    right = _WIDTH - _RIGHT
    for share in (1.0, (1 + frame.low) / 2, frame.low):
        y = _TOP + _RATES * (1 - (share - frame.low) / (1 - frame.low))
        yield node("line", kind="grid", x1=_LEFT, x2=right, y1=y, y2=y)
        yield node("text", f"{share * 100:.6g} %", kind="tick end", x=_LEFT - 6, y=y + 4)
    base = _TOP + _RATES + _GAP + _BARS
    yield node("line", kind="axis", x1=_LEFT, x2=right, y1=base, y2=base)
    if any(_deviations(point) for point in target.points):
        yield node("text", f"{frame.most:,}", kind="tick end", x=_LEFT - 6, y=base - _BARS + 4)
        yield node("text", "0", kind="tick end", x=_LEFT - 6, y=base + 4)


def _bars(target: TrendTarget, frame: _PlotArea) -> Iterator[HtmlNode]:
    width = max(1.0, min(22.0, (frame.xs[0] - _LEFT) * 1.2))
    for x, point in zip(frame.xs, target.points, strict=True):
        y = float(_TOP + _RATES + _GAP + _BARS)
        for severity, count in _deviations(point).items():
            height = max(1.0, frame.height(count))
            y -= height
            yield node("rect", kind=f"{kind_of(severity)} bar-part", x=x - width / 2, y=y, width=width, height=height)


def _rates(trend: Trend, target: TrendTarget, frame: _PlotArea) -> Iterator[HtmlNode]:
    shown = [(x, point) for x, point in zip(frame.xs, target.points, strict=True) if point.compared]
    if len(shown) > 1:
        path = " ".join(f"{x:.1f},{frame.rate(point):.1f}" for x, point in shown)
        yield node("polyline", kind="curve series-0", points=path)
    for x, point in shown:
        run = trend.runs[point.run]
        hollow = " hollow" if run.incomplete or run.is_part else ""
        yield node("circle", kind=f"dot series-0{hollow}", cx=x, cy=frame.rate(point), r=3.5)


def _labels(trend: Trend, target: TrendTarget, frame: _PlotArea) -> Iterator[HtmlNode]:
    """The framework where it changes, a line where the suite changes, and the first and last day."""
    base, free = _TOP + _RATES + _GAP + _BARS, float("-inf")
    version = None
    for number, (x, point) in enumerate(zip(frame.xs, target.points, strict=True)):
        if number and has_suite_changed(trend, point.run):
            at = (x + frame.xs[number - 1]) / 2
            yield node("line", kind="suite-change", x1=at, x2=at, y1=_TOP - 4, y2=base)
        if point.version != version and x >= free:
            yield node("text", shortened(point.version, 14), kind="tick", x=x - 4, y=_TOP - 12)
            free = x + _LABEL
        version = point.version
    first, last = frame.xs[0], frame.xs[-1]
    yield node("text", _day(trend, target.points[0]), kind="tick", x=first - 6, y=base + 16)
    if last > first + 2 * _LABEL:
        yield node("text", _day(trend, target.points[-1]), kind="tick end", x=last + 6, y=base + 16)


def _day(trend: Trend, point: TrendPoint) -> str:
    return when(trend.runs[point.run])[:10]


def _deviations(point: TrendPoint) -> Counter[Severity]:
    """The deviations of a point by severity, new and recorded, the worst first."""
    return Counter({s: count for s in Severity if (count := point.new.get(s, 0) + point.recorded.get(s, 0))})


def kind_of(severity: Severity) -> str:
    """The class of a severity in the style sheet."""
    return f"kind-{severity.name.lower()}"


def _said(trend: Trend, target: TrendTarget) -> str:
    shown = target.points[-_MOST_SAID:]
    rates = (f"{_day(trend, point)} {percent(point.conforming, point.compared)}" for point in shown)
    return f"{target.name}, conforming of compared checks by run: {', '.join(rates)}."
