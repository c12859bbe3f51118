"""A comparison as one HTML page that opens offline; nothing in it can run or load."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from conformance.findings.change import Change
from conformance.findings.compare import ChangeGroup, Comparison, unsound_reasons
from conformance.report.case_view import check_fragment
from conformance.report.comparison import wording
from conformance.report.page import rendered, report_link

_STYLES = ("report.css", "comparison.css", "stacked.css")


def render_html(comparison: Comparison, page: Path) -> Iterator[str]:
    """The page, piece by piece, with links from its place to the reports of both runs."""
    changes = wording.changes_met(comparison)
    values = {
        "c": comparison,
        "changed": [change for change in changes if change is not Change.UNCHANGED],
        "check_fragment": check_fragment,
        "groups_by_kind": _groups_by_kind,
        "reasons": unsound_reasons(comparison),
        "report_of": lambda side: report_link(side.report, page),
        "words": wording,
    }
    return rendered("comparison.html.j2", _STYLES, values)


def _groups_by_kind(comparison: Comparison, change: Change) -> list[tuple[str, list[ChangeGroup]]]:
    """The groups of a change; those that regressed under the kind of each, all others under no heading."""
    groups = [group for group in comparison.groups if group.change is change]
    if change is not Change.REGRESSED:
        return [("", groups)] if groups else []
    return [(wording.kind_word(kind), list(found)) for kind, found in groupby(groups, lambda group: group.severity)]
