"""The report as one HTML page that opens offline. Only its own script can run; nothing can load or phone home.

What is readable without the script is a tree; the blocks of `data_blocks` hold the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from conformance.findings.summary import Summary
from conformance.log.log_file import records_of
from conformance.log.record import Line, TargetEntry
from conformance.report.columns import Columns
from conformance.report.data_blocks import ScriptOf, check_details, columns_block
from conformance.report.document import Cards
from conformance.report.page import Banner, asset, banner_node, page_of
from conformance.report.run_tree import tree_of
from conformance.report.tensors import call_text
from conformance.values.text import one_line

_SCRIPTS = ("nodes", "columns", "query", "completion", "list", "finder", "case", "page")
"""The modules of the page's script, which share one scope, each after those that it uses."""
_MAX_CLAUSES = 2000


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
    tree, before, title = tree_of(summary), [], ""
    if banner is not None:
        before, title = [banner_node(banner)], f"{banner.eyebrow}: {banner.title}"
        result = [block for block in tree.result if not isinstance(block, Cards)]
        tree = replace(tree, product=banner.eyebrow, headline="The run behind this certificate", result=result)
    script = "\n".join(asset(f"script/{name}.js") for name in _SCRIPTS)
    return page_of(tree, script=script, title=title, before=before, after=_after(summary, columns, script_of))


def _after(summary: Summary, columns: Columns, script_of: ScriptOf) -> Iterator[Markup]:
    yield Markup('<main id="case" aria-labelledby="case-title" hidden></main>\n')
    blocks, places = check_details(summary, columns, script_of)
    yield from blocks
    clauses = [
        (f"{operator} {clause}", one_line(says))
        for operator, clauses in summary.header.suite.operators.items()
        for clause, says in clauses.items()
    ]
    facts = {
        "clauses": {one_line(name): says for name, says in clauses[:_MAX_CLAUSES]},
        "options": list(call_text.options_by_target(summary).values()),
        "commands": [_commands(target) for target in summary.targets],
        "details": places,
    }
    yield columns_block(columns, facts)


def _commands(target: TargetEntry) -> dict[str, str]:
    """The commands that a page offers for each check of a target, by title."""
    offered = {"Run it again": call_text.RERUN}
    return {**offered, "Write a script for the bug report": call_text.REPRO} if target.has_scripts else offered
