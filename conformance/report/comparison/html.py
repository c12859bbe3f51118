"""A comparison as one HTML page that opens offline, and in which nothing can run or load."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.comparison.compare import Comparison, unsound_reasons
from conformance.report.comparison import wording
from conformance.report.text import BLOCK, counted, one_line, visible

_STYLES = ("report.css", "comparison.css")


def render_html(comparison: Comparison) -> Iterator[str]:
    """The page, piece by piece."""
    style = "".join(map(_asset, _STYLES))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("comparison.html.j2")
        .generate(
            c=comparison,
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
            style=Markup(style),  # noqa: S704 - ours, and named by its hash
            reasons=unsound_reasons(comparison),
            changes=wording.changes_met(comparison),
        )
    )


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
    environment.globals |= {"counted": counted, "one_line": one_line, "words": wording}
    return environment


def _fit(value: object) -> object:
    """What an expression puts into the page: markup and numbers as they are, text made visible and bounded."""
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _asset(name: str) -> str:
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")
