"""The report as one HTML page that opens offline. Only its own script can run; nothing can load or phone home.

What is readable without the script is a tree. The rest is data for the script: blocks of deflated base64, which can be
neither markup nor code. The details of checks are spread over several blocks, so that opening a check inflates only a
small part. Their total size is bounded; details without room are only in the log, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from markupsafe import Markup

from conformance.findings.summary import Summary
from conformance.log.log_file import records_of
from conformance.log.record import CheckRecord, Line
from conformance.report.case_view import call_view, deviation_view, result_view
from conformance.report.columns import Columns
from conformance.report.document import Cards
from conformance.report.page import Banner, PageAssets, asset, banner_node, data_block, page_of
from conformance.report.run_tree import tree_of
from conformance.report.tensors import call_text
from conformance.values.text import one_line

_SCRIPTS = ("nodes", "blocks", "columns", "query", "completion", "list", "finder", "case", "frame", "page")
"""The modules of the page's script, which share one scope, each after those that it uses."""
_MAX_CLAUSES = 2000
_SCRIPTS_PER_CAUSE = 2
_BLOCK_CHARACTERS = 200_000
_MAX_DETAILS_BYTES = 3_000_000
ScriptOf = Callable[[CheckRecord], str | None]
"""The script that demonstrates a check; None if there is none."""


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
    return page_of(
        tree, assets=PageAssets(script=script), title=title, before=before, after=_after(summary, columns, script_of)
    )


def _after(summary: Summary, columns: Columns, script_of: ScriptOf) -> Iterator[Markup]:
    yield Markup('<main id="case" aria-labelledby="case-title" hidden></main>\n')
    blocks, places = _check_details(summary, columns, script_of)
    yield from blocks
    clauses = [
        (f"{operator} {clause}", one_line(says))
        for operator, clauses in summary.header.suite.operators.items()
        for clause, says in clauses.items()
    ]
    facts = {
        "clauses": {one_line(name): says for name, says in clauses[:_MAX_CLAUSES]},
        "laws": {name: "\n".join(map(one_line, lines)) for name, lines in summary.header.suite.laws.items()},
        "options": list(call_text.options_by_target(summary).values()),
        "commands": [call_text.commands_of(target) for target in summary.targets],
        "details": places,
    }
    yield data_block("columns", columns.packed(facts))


def _check_details(
    summary: Summary, columns: Columns, script_of: ScriptOf
) -> tuple[list[Markup], list[tuple[int, int, int]]]:
    """The blocks, and row, target and block of each check in them.

    A block is a list of row, target, call, result, recorded deviation and script.
    """
    adapters = {target.name: target.adapter for target in summary.targets}
    blocks: list[Markup] = []
    places: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for record, may_have_script in _by_place_in_cause(summary):
        place = columns.place(record)
        recorded = summary.recorded(record.target, record.deviation)
        deviation = None if recorded is None else deviation_view(recorded, adapters[record.target])
        script = script_of(record) if may_have_script else None
        views = (*place, call_view(record), result_view(record), deviation, script)
        texts.append(json.dumps(views, separators=(",", ":")))
        places.append((*place, len(blocks)))
        if sum(map(len, texts)) >= _BLOCK_CHARACTERS:
            blocks.append(_details(len(blocks), texts))
            texts = []
            if sum(map(len, blocks)) >= _MAX_DETAILS_BYTES:
                break
    return [*blocks, _details(len(blocks), texts)] if texts else blocks, places


def _by_place_in_cause(summary: Summary) -> Iterator[tuple[CheckRecord, bool]]:
    """The first check of each cause before the second of any, so that a big cause cannot take all the room; and whether
    it is among the first, which may have scripts.
    """
    for place, records in enumerate(zip_longest(*(cause.records for cause in summary.causes))):
        yield from ((record, place < _SCRIPTS_PER_CAUSE) for record in records if record is not None)


def _details(number: int, texts: Sequence[str]) -> Markup:
    return data_block(f"details-{number}", f"[{','.join(texts)}]".encode("ascii"))
