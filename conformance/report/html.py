"""The report as one HTML page that opens offline. Only its own script can run; nothing can load or phone home.

The templates hold what is readable without the script; the blocks of `data_blocks` hold the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from markupsafe import Markup

from conformance.findings.causes import Cause, dtype_of
from conformance.findings.counts import Counts
from conformance.findings.summary import Summary, harness_reasons
from conformance.log.log_file import records_of
from conformance.log.record import Line, TargetEntry
from conformance.report import case_view, sections, timing, timing_charts, wording
from conformance.report.cards import cards
from conformance.report.columns import Columns
from conformance.report.data_blocks import Details, ScriptOf, columns_block
from conformance.report.drawing import share_drawing
from conformance.report.links import check_fragment
from conformance.report.nodes import deeper, markup
from conformance.report.page import Banner, asset, rendered
from conformance.report.tensors import call_text
from conformance.values.text import one_line

_SCRIPTS = ("nodes", "columns", "query", "completion", "list", "finder", "case", "page")
"""The modules of the page's script, which share one scope, each after those that it uses."""
_FIRST_CASES_CHARACTERS = 700_000
_MAX_CLAUSES = 2000
_LEVELS_BELOW_A_CASE = 3
"""The headings of a result have level 3. In a cause, whose own heading has level 6, they must be lower."""


def render_html(
    summary: Summary, log: Path | Iterable[Line], script_of: ScriptOf, *, banner: Banner | None = None
) -> Iterator[str]:
    """The page of a log, its summary and its scripts, piece by piece; a `banner` stands at its top.

    Raises:
        RunLogError: the file is not a log.
    """
    columns = Columns([target.name for target in summary.targets])
    for record in records_of(log):
        columns.add(record)
    values: dict[str, object] = {
        "call_text": call_text,
        "case_view": case_view,
        "check_fragment": check_fragment,
        "charts": timing_charts,
        "dtype_of": dtype_of,
        "harness_reasons": harness_reasons,
        "no_counts": Counts(),
        "median": median,
        "sections": sections,
        "share": share_drawing,
        "timing": timing,
        "words": wording,
        "s": summary,
        "banner": banner,
        "cards": cards(summary),
        "has_scripts": {target.name: target.has_scripts for target in summary.targets},
        "options": call_text.options_by_target(summary),
        "groups": sections.cause_groups(summary),
        "first_case": _FirstCases(),
        "data_blocks": _data_blocks(summary, columns, script_of),
    }
    script = "\n".join(asset(f"script/{name}.js") for name in _SCRIPTS)
    return rendered("report.html.j2", ["report.css"], values, script)


def _data_blocks(summary: Summary, columns: Columns, script_of: ScriptOf) -> Iterator[Markup]:
    details = Details(summary, columns, script_of)
    yield from details.blocks()
    clauses = [
        (f"{operator} {clause}", one_line(says))
        for operator, clauses in summary.header.suite.operators.items()
        for clause, says in clauses.items()
    ]
    facts = {
        "clauses": {one_line(name): says for name, says in clauses[:_MAX_CLAUSES]},
        "options": list(call_text.options_by_target(summary).values()),
        "commands": [_commands(target) for target in summary.targets],
        "details": details.places,
    }
    yield columns_block(columns, facts)


def _commands(target: TargetEntry) -> dict[str, str]:
    """The commands that a page offers for each check of a target, by title."""
    offered = {"Run it again": call_text.RERUN}
    return {**offered, "Write a script for the bug report": call_text.REPRO} if target.has_scripts else offered


class _FirstCases:
    """Renders the first case of each cause in full, up to `_FIRST_CASES_CHARACTERS`, for readers without the script."""

    def __init__(self) -> None:
        self._room = _FIRST_CASES_CHARACTERS

    def __call__(self, cause: Cause) -> Markup:
        if not cause.records or self._room <= 0:
            return Markup()
        result = deeper(case_view.result_view(cause.records[0]), _LEVELS_BELOW_A_CASE)
        shown = markup(case_view.call_view(cause.records[0])) + markup(result)
        self._room -= len(shown)
        return shown
