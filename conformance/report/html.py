"""The report as one HTML page that opens offline: nothing in it can run, load or phone home but its own script.

Every value goes through `_fit` and then Jinja's escaping, so that a template cannot forget either. Style and script
are inline and named by their hashes in the content security policy.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from conformance.record import CheckRecord
from conformance.report import sections, wording
from conformance.report.call_text import argument_texts, call_line, dims_text, rerun_command
from conformance.report.causes import dtype_of
from conformance.report.counts import Counts
from conformance.report.grid import GridCell, comparison_of
from conformance.report.summary import Summary, harness_reasons, result_of
from conformance.report.text import BLOCK, counted, duration, one_line, visible


def render_html(summary: Summary) -> Iterator[str]:
    """The page, piece by piece."""
    template = _environment().get_template("report.html.j2")
    return template.generate(
        s=summary,
        policy=_policy(),
        style=Markup(_asset("report.css")),  # noqa: S704 - ours, and named by its hash
        script=Markup(_asset("report.js")),  # noqa: S704 - ours, and named by its hash
        groups=sections.cause_groups(summary),
        whats=wording.deviation_texts(summary),
        deviations={(seen.entry.target, seen.entry.id): seen for seen in summary.deviations},
        check_id=_CheckIds(),
    )


class _CheckIds:
    """Gives each check an id that stays the same from report to report; a second one of the same name gets a suffix."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def __call__(self, record: CheckRecord) -> str:
        name = f"{record.target}\0{record.case}\0{record.form.value}".encode("utf-8", "surrogatepass")
        given = plain = f"check-{hashlib.sha256(name).hexdigest()[:12]}"
        number = 1
        while given in self._given:
            number += 1
            given = f"{plain}-{number}"
        self._given.add(given)
        return given


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
        "argument_texts": argument_texts,
        "call_line": call_line,
        "cells_markup": _cells_markup,
        "comparison_of": comparison_of,
        "counted": counted,
        "dims_text": dims_text,
        "dtype_of": dtype_of,
        "duration": duration,
        "harness_reasons": harness_reasons,
        "is_link": _is_link,
        "no_counts": Counts(),
        "one_line": one_line,
        "rerun_command": rerun_command,
        "result_of": result_of,
        "words": wording,
    }
    return environment


def _fit(value: object) -> object:
    """What an expression puts into the page: markup as it is, numbers as they are, text made visible and bounded."""
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value


def _cells_markup(cells: Sequence[GridCell | None]) -> Markup:
    """The cells of one row; written here because a page has up to a million of them."""
    parts = []
    for cell in cells:
        if cell is None:
            parts.append('<td class="absent"></td>')
        elif cell.differs:
            bits = f"<small>{escape(cell.bits)}</small>" if cell.bits else ""
            parts.append(f'<td class="differs">≠&nbsp;<b>{escape(cell.text)}</b>{bits}</td>')
        else:
            parts.append(f"<td>{escape(cell.text)}</td>")
    return Markup("".join(parts))  # noqa: S704 - what is not ours is escaped above


def _is_link(text: str) -> bool:
    return text.startswith(("https://", "http://")) and len(text) < BLOCK


@cache
def _asset(name: str) -> str:
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")


def _policy() -> str:
    style, script = (_hash(_asset(name)) for name in ("report.css", "report.js"))
    return f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
