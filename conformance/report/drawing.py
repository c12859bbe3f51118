"""The drawing of a report: the share of checks that conform."""

from __future__ import annotations

from conformance.findings.counts import Counts
from conformance.report.nodes import HtmlNode, node

_SHARE_WIDTH = 220


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
