"""A badge for a README: a row for each target with its rate, as SVG that needs no font and no script."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.findings.summary import Summary, TargetResult, result_of
from conformance.language.verdict import ExitCode
from conformance.log.record import TargetEntry
from conformance.report.drawing import picture
from conformance.report.nodes import HtmlNode, markup, node
from conformance.values.text import shortened

_MAX_ROWS = 20
_ROW = 20
_GAP = 4
_CHARACTER = 6.6
_PADDING = 12
_LABEL = "#3b4148"
_FILLS = {"green": "#14602f", "red": "#a40e26", "amber": "#6f4e00", "grey": "#57606a", "orange": "#8a3d00"}
"""White text has a contrast of more than 5:1 on each of them."""


def render_badge(summary: Summary) -> bytes:
    """The badge, with at most `_MAX_ROWS` targets."""
    rows = [
        (_name(target), _said(summary, target), _FILLS[result_of(summary, target).colour])
        for target in summary.targets[:_MAX_ROWS]
    ]
    widths = [_width(max((row[column] for row in rows), key=len, default="")) for column in (0, 1)]
    height = max(1, len(rows)) * (_ROW + _GAP) - _GAP
    sentence = "; ".join(f"{name}: {said}" for name, said, _ in rows) or "no target"
    shapes = [node("title", sentence)]
    for number, (name, said, fill) in enumerate(rows):
        top = number * (_ROW + _GAP)
        shapes += _field(name, _LABEL, 0, top, widths[0])
        shapes += _field(said, fill, widths[0], top, widths[1])
    svg = picture(shapes, (sum(widths), height), sentence, kind=None, xmlns="http://www.w3.org/2000/svg")
    return f"{markup(svg)}\n".encode()


def _field(text: str, fill: str, left: int, top: int, width: int) -> Iterator[HtmlNode]:
    """A rectangle and its text; the text is squeezed to fit if the reader's font is wider than ours."""
    yield node("rect", x=left, y=top, width=width, height=_ROW, fill=fill)
    font = {"font_family": "system-ui, Verdana, DejaVu Sans, sans-serif", "font_size": "11", "text_anchor": "middle"}
    fitted = {"textLength": f"{len(text) * _CHARACTER:g}", "lengthAdjust": "spacingAndGlyphs"}
    yield node("text", text, x=f"{left + width / 2:g}", y=top + 14, fill="#ffffff", **font, **fitted)


def _name(target: TargetEntry) -> str:
    """`onnxruntime 1.31.1 [optimization=disabled]`."""
    return shortened(target.name.replace("@", " ", 1).replace("[", " [", 1), 60)


def _said(summary: Summary, target: TargetEntry) -> str:
    counts, result = summary.counts(target.name), result_of(summary, target)
    rate = f"{counts.conforming:,}/{counts.compared:,} conform" if counts.compared else ""
    if rate and result.exit_code is not ExitCode.HARNESS:
        return f"{rate}, the rest as recorded" if result is TargetResult.DEVIATES_AS_RECORDED else rate
    return result.value


def _width(text: str) -> int:
    return round(len(text) * _CHARACTER) + _PADDING
