"""Drawings of a report: the share of checks that conform, the cuts of a tensor, and what all charts have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.findings.counts import Counts
from conformance.report.nodes import HtmlNode, node
from conformance.report.parts_found import Cuts, Part

_SHARE_WIDTH = 220
_WIDTH = 620
_MARGIN = 96
_TOP = 4
_HEIGHT = 22
_ROW = 46
_MIN_LETTER = 7
_DIGIT = 7


_Bar = tuple[str, tuple[Part, ...]]
"""A name, and parts along one axis, which are drawn on a bar that stands for the whole axis."""


def picture(
    shapes: Iterable[HtmlNode], size: tuple[int, int], says: str, kind: str | None = "chart", xmlns: str | None = None
) -> HtmlNode:
    """Shapes as an image of this width and height, with what it says in words; a file of its own needs `xmlns`."""
    return node("svg", *shapes, kind=kind, role="img", aria_label=says, xmlns=xmlns, **_sized(*size))


def legend_of(marks: Iterable[tuple[HtmlNode, str]], size: int) -> HtmlNode:
    """Marks, each on a square of this size, and what they stand for."""
    items = (
        node("li", node("svg", mark, kind="chart", aria_hidden="true", **_sized(size, size)), f" {name}")
        for mark, name in marks
    )
    return node("ul", *items, kind="series-legend")


def _sized(width: int, height: int) -> dict[str, str]:
    return {"viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height)}


def share_drawing(counts: Counts) -> HtmlNode:
    """A bar of all checks: those that conform, deviate as recorded, differ anew, and were not compared."""
    shares = (("good", counts.conforming), ("known", counts.excused), ("new", counts.deviating))
    placed, x = [], 0.0
    for kind, count in shares:
        width = _SHARE_WIDTH * count / max(counts.total, 1)
        if count:
            width = max(width, 2)
            placed.append(node("rect", kind=kind, x=f"{x:.2f}", y="0", width=f"{width:.2f}", height="8"))
        x += width
    size = {"viewBox": f"0 0 {_SHARE_WIDTH} 8", "height": "8", "preserveAspectRatio": "none"}
    whole = node("rect", kind="rest", x="0", y="0", width=_SHARE_WIDTH, height="8")
    return node("svg", whole, *placed, kind="share", aria_hidden="true", **size)


def cuts_drawing(cuts: Cuts) -> HtmlNode:
    """The parts that the spec requires above the actual ones, with a sentence that says the same."""
    bars: list[_Bar] = [("expected", cuts.expected)]
    for axis in sorted({part.axis for part in cuts.actual}):
        bars += (("actual", lane) for lane in _lanes([part for part in cuts.actual if part.axis == axis]))
    shapes = [shape for number, bar in enumerate(bars) for shape in _bar(cuts, *bar, _TOP + number * _ROW)]
    height = _TOP + len(bars) * _ROW
    drawing = picture(shapes, (_WIDTH, height), _sentence(cuts, bars), kind="cuts")
    said = {"is not a contiguous slice of the input": cuts.not_slices, "is missing": cuts.absent}
    notes = [f"Output {', '.join(map(str, outputs))} {what}." for what, outputs in said.items() if outputs]
    return node("div", drawing, *(node("p", note, kind="muted") for note in notes), kind="drawing")


def _lanes(parts: Sequence[Part]) -> list[tuple[Part, ...]]:
    """The parts on several lanes, so that none overlaps another; they overlap if outputs repeat elements."""
    lanes: list[list[Part]] = []
    for part in sorted(parts, key=lambda one: (one.start, one.output)):
        lane = next((lane for lane in lanes if lane[-1].stop <= part.start), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(part)
    return [tuple(lane) for lane in lanes]


def _bar(cuts: Cuts, name: str, parts: Sequence[Part], top: int) -> Iterator[HtmlNode]:
    axis = parts[0].axis
    length = cuts.shape[axis]
    scale = (_WIDTH - _MARGIN - 8) / max(length, 1)
    yield node("text", name, kind="row", x="0", y=top + 11)
    yield node("text", f"axis {axis}", kind="place", x="0", y=top + 25)
    yield _rect("whole", _MARGIN, top, length * scale)
    yield from _places(parts, length, scale, top + _HEIGHT + 13)
    for part in parts:
        x, width = _MARGIN + part.start * scale, (part.stop - part.start) * scale
        label, kind = (f"{part.output}", "part") if part in cuts.expected else (f"≠ {part.output}", "part moved")
        yield _rect(kind, x, top, width)
        if width >= _MIN_LETTER * (len(label) + 1):
            yield node("text", label, kind="label", x=x + width / 2, y=top + 15)


def _places(parts: Sequence[Part], length: int, scale: float, y: int) -> Iterator[HtmlNode]:
    """The indices where parts begin and end, as many as fit; the length of the axis is always shown."""
    end = _MARGIN + length * scale
    room = end - _DIGIT * len(str(length)) - _DIGIT
    x = float(_MARGIN)
    for place in sorted({0, *(part.start for part in parts), *(part.stop for part in parts)} - {length}):
        start, width = max(_MARGIN + place * scale, 0.0), _DIGIT * len(str(place))
        if start >= x and start + width <= room:
            yield node("text", str(place), kind="place", x=start, y=y)
            x = start + width + _DIGIT
    yield node("text", str(length), kind="place end", x=end, y=y)


def _rect(kind: str, x: float, top: int, width: float) -> HtmlNode:
    return node("rect", kind=kind, x=float(x), y=top, width=max(width, 1.0), height=_HEIGHT, rx="2")


def _sentence(cuts: Cuts, bars: Sequence[_Bar]) -> str:
    said = []
    for name, parts in bars:
        places = ", ".join(f"output {part.output} from {part.start} to {part.stop}" for part in parts)
        said.append(f"{name} along axis {parts[0].axis}: {places}")
    return f"Parts of the data of shape {list(cuts.shape)}. {'; '.join(said)}."
