"""A comparison as one HTML page that opens offline, and in which nothing can run or load."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from conformance.comparison.compare import Comparison, unsound_reasons
from conformance.report.comparison import wording
from conformance.report.page import asset, policy, template
from conformance.values.text import counted, one_line

_STYLES = ("report.css", "comparison.css")


def render_html(comparison: Comparison) -> Iterator[str]:
    """The page, piece by piece."""
    style = "".join(map(asset, _STYLES))
    names = {"counted": counted, "one_line": one_line, "words": wording}
    return template("comparison.html.j2", names).generate(
        c=comparison,
        policy=policy(style),
        style=Markup(style),  # noqa: S704 - ours, and named by its hash
        reasons=unsound_reasons(comparison),
        changes=wording.changes_met(comparison),
    )
