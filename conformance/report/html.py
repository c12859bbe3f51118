"""The report as one HTML page that opens offline: nothing in it can run, load or phone home but its own script.

Every value goes through `_fit` and then Jinja's escaping, so that a template cannot forget either. Style and script
are inline and named by their hashes in the content security policy. What can be read without the script is in the
templates; what takes it is in the blocks of `data_blocks`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.record import CheckRecord, Line
from conformance.report import sections, wording
from conformance.report.call_text import REPRO, RERUN, repro_command, rerun_command
from conformance.report.case_view import badge, call_view, check_link, deviation_view, result_view
from conformance.report.causes import Cause, dtype_of
from conformance.report.columns import Columns
from conformance.report.counts import Counts
from conformance.report.data_blocks import Details, columns_block
from conformance.report.drawing import share_drawing
from conformance.report.nodes import markup
from conformance.report.summary import Summary, harness_reasons, result_of
from conformance.report.text import BLOCK, counted, duration, one_line, visible
from conformance.run_log import read_lines

_SCRIPTS = ("nodes", "columns", "query", "completion", "list", "finder", "case", "page")
_FIRST_CASES_CHARACTERS = 700_000
_MAX_CLAUSES = 2000


def render_html(summary: Summary, log: Path | Iterable[Line]) -> Iterator[str]:
    """The page of a log and its summary, piece by piece.

    Raises:
        RunLogError: it is not a log.
    """
    columns = Columns([target.name for target in summary.targets])
    for line in read_lines(log) if isinstance(log, Path) else log:
        if isinstance(line, CheckRecord):
            columns.add(line)
    template = _environment().get_template("report.html.j2")
    return template.generate(
        s=summary,
        policy=_policy(),
        style=Markup(_asset("report.css")),  # noqa: S704 - ours, and named by its hash
        script=Markup(_script()),  # noqa: S704 - ours, and named by its hash
        groups=sections.cause_groups(summary),
        whats=wording.deviation_texts(summary),
        deviations={(seen.entry.target, seen.entry.id): seen for seen in summary.deviations},
        first_case=_FirstCases(),
        data_blocks=_data_blocks(summary, columns),
    )


def _data_blocks(summary: Summary, columns: Columns) -> Iterator[Markup]:
    details = Details(summary, columns)
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


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("conformance.report"),
        autoescape=True,
        finalize=_fit,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {name: getattr(sections, name) for name in sections.__all__}
    environment.globals |= {
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
    }
    return environment


def _fit(value: object) -> object:
    """What an expression puts into the page: markup as it is, numbers as they are, text made visible and bounded."""
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value


def _is_link(text: str) -> bool:
    return text.startswith(("https://", "http://")) and len(text) < BLOCK


@cache
def _asset(name: str) -> str:
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")


def _script() -> str:
    """All of the page's script: modules of one scope, in the order in which they use each other."""
    return "\n".join(_asset(f"script/{name}.js") for name in _SCRIPTS)


def _policy() -> str:
    style, script = _hash(_asset("report.css")), _hash(_script())
    return f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
