"""The report as one HTML page that opens offline: nothing in it can run, load or phone home but its own script.

What can be read without the script is in the templates; what takes it is in the blocks of `data_blocks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from markupsafe import Markup

from conformance.display.call_text import REPRO, RERUN, repro_command, rerun_command
from conformance.records.causes import Cause, dtype_of
from conformance.records.counts import Counts
from conformance.records.log_file import read_lines
from conformance.records.record import CheckRecord, Line
from conformance.records.summary import Summary, harness_reasons, result_of
from conformance.report import sections, wording
from conformance.report.case_view import badge, call_view, check_link, deviation_view, result_view
from conformance.report.columns import Columns
from conformance.report.data_blocks import Details, ScriptOf, columns_block
from conformance.report.drawing import share_drawing
from conformance.report.nodes import markup
from conformance.report.page import asset, policy, template
from conformance.report.timing_section import timing_names
from conformance.values.text import BLOCK, counted, duration, one_line

_SCRIPTS = ("nodes", "columns", "query", "completion", "list", "finder", "case", "page")
_FIRST_CASES_CHARACTERS = 700_000
_MAX_CLAUSES = 2000


def render_html(
    summary: Summary, log: Path | Iterable[Line], script_of: ScriptOf, *, banner: str = ""
) -> Iterator[str]:
    """The page of a log, its summary and its scripts, piece by piece; a `banner` says first what else the page is.

    Raises:
        RunLogError: it is not a log.
    """
    columns = Columns([target.name for target in summary.targets])
    for line in read_lines(log) if isinstance(log, Path) else log:
        if isinstance(line, CheckRecord):
            columns.add(line)
    style, script = asset("report.css"), _script()
    return template("report.html.j2", _NAMES).generate(
        s=summary,
        banner=banner,
        policy=policy(style, script),
        style=Markup(style),  # noqa: S704 - ours, and named by its hash
        script=Markup(script),  # noqa: S704 - ours, and named by its hash
        groups=sections.cause_groups(summary),
        whats=wording.deviation_texts(summary),
        deviations={(seen.entry.target, seen.entry.id): seen for seen in summary.deviations},
        first_case=_FirstCases(),
        data_blocks=_data_blocks(summary, columns, script_of),
    )


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
        "commands": {"Run it again": RERUN, "Write a script for the bug report": REPRO},
        "details": details.places,
    }
    yield columns_block(columns, facts)


class _FirstCases:
    """Gives the first case of each cause in full, as long as a page that is read without its script has room."""

    def __init__(self) -> None:
        self._room = _FIRST_CASES_CHARACTERS

    def __call__(self, cause: Cause) -> Markup:
        if not cause.records or self._room <= 0:
            return Markup()
        shown = markup(call_view(cause.records[0])) + markup(result_view(cause.records[0]))
        self._room -= len(shown)
        return shown


def _is_link(text: str) -> bool:
    return text.startswith(("https://", "http://")) and len(text) < BLOCK


def _script() -> str:
    """All of the page's script: modules of one scope, in the order in which they use each other."""
    return "\n".join(asset(f"script/{name}.js") for name in _SCRIPTS)


_NAMES: dict[str, object] = {
    **{name: getattr(sections, name) for name in sections.__all__},
    "badge": lambda verdict: markup(badge(verdict)),
    "check_link": check_link,
    "counted": counted,
    "deviation_view": lambda entry: markup(deviation_view(entry)),
    "dtype_of": dtype_of,
    "duration": duration,
    "harness_reasons": harness_reasons,
    "is_link": _is_link,
    "no_counts": Counts(),
    "one_line": one_line,
    "repro_command": repro_command,
    "rerun_command": rerun_command,
    "result_of": result_of,
    "share": lambda counts: markup(share_drawing(counts)),
    "words": wording,
    **timing_names(),
}
