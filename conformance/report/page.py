"""The basis of all our HTML pages: templates that escape every value, and a policy that lets nothing load.

Every value goes through `_fit` and then Jinja's escaping, so that a template cannot forget either. Style and script
are inline; the content security policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.report.nodes import markup
from conformance.values.text import BLOCK, counted, duration, one_line, options_text, visible


class Tone(Enum):
    """The colour of a banner: of a good result, of recorded deviations, of a failure, or of none."""

    GOOD = "good"
    KNOWN = "known"
    BAD = "bad"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """A notice at the top of a page: facts by name, a command with a sentence about it, and links by name."""

    eyebrow: str
    title: str
    tone: Tone
    facts: Mapping[str, str]
    about: str
    command: str
    links: Mapping[str, str] = field(default_factory=dict)


def rendered(name: str, styles: Iterable[str], values: Mapping[str, object], script: str = "") -> Iterator[str]:
    """The page of a template, piece by piece; `values` are what it uses besides the functions of all templates."""
    style = "".join(map(asset, styles))
    environment = Environment(
        loader=PackageLoader("conformance.report"),
        autoescape=True,
        finalize=_fit,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markup"] = markup
    environment.globals.update(values, counted=counted, duration=duration, one_line=one_line, options_text=options_text)
    return environment.get_template(name).generate(
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - ours, and named by its hash
        script=Markup(script),  # noqa: S704 - ours, and named by its hash
    )


def report_link(report: str, page: Path) -> str:
    """The relative link from a page to a report, whatever characters its path has; empty if there is no report."""
    if not report:
        return ""
    way = os.path.relpath(Path(report).resolve(), page.parent.resolve())
    return quote(os.fsencode(Path(way).as_posix()))


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script in the folder of the templates."""
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The content security policy of a page with this style and, unless it is empty, this script."""
    allowed = [f"style-src {_hash(style)}", *([f"script-src {_hash(script)}"] if script else [])]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fit(value: object) -> object:
    """The value that an expression puts into the page: markup and numbers unchanged, text made visible and bounded."""
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value
