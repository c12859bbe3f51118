"""A trend as one HTML page that opens offline; nothing in it can run or load."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from conformance.findings.trend import CauseShift, Trend, TrendPoint
from conformance.report.case_view import check_fragment
from conformance.report.page import rendered, report_link
from conformance.report.sections import cause_id
from conformance.report.trend import wording
from conformance.report.trend.chart import kinds_legend, trend_drawing
from conformance.values.text import one_line

_STYLES = ("report.css", "comparison.css", "trend.css", "stacked.css")
_MAX_EVENTS = 50


def render_html(trend: Trend, page: Path) -> Iterator[str]:
    """The page, piece by piece, with links from its place to the reports of the runs."""

    def report_of(run: int) -> str:
        return report_link(trend.runs[run].report, page)

    def cause_link(shift: CauseShift) -> str:
        report = report_of(shift.run)
        return f"{report}#{cause_id(shift)}" if report else ""

    def command(point: TrendPoint) -> str:
        logs = (one_line(trend.runs[run].log) for run in (point.since or 0, point.run))
        return f"conformance compare {' '.join(map(shlex.quote, logs))} --html changes.html"

    values = {
        "cause_link": cause_link,
        "check_fragment": check_fragment,
        "command": command,
        "drawing": lambda target: trend_drawing(trend, target),
        "legend": kinds_legend,
        "max_events": _MAX_EVENTS,
        "report_of": report_of,
        "t": trend,
        "words": wording,
    }
    return rendered("trend.html.j2", _STYLES, values)
