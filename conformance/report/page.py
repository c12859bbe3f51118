"""The basis of all our HTML pages: templates that escape every value, and a policy that lets nothing load.

Every value goes through `_fit` and then Jinja's escaping, so that a template cannot forget either. Style and script
are inline; the content security policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from conformance.values.text import BLOCK, visible


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


def template(name: str, names: Mapping[str, object]) -> Template:
    """A template of the report, with `names` as its globals."""
    environment = Environment(
        loader=PackageLoader("conformance.report"),
        autoescape=True,
        finalize=_fit,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= names
    return environment.get_template(name)


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script in the folder of the templates."""
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")


def policy(style: str, script: str = "") -> str:
    """The content security policy of a page with this style and, unless it is empty, this script."""
    allowed = [f"style-src {_hash(style)}", *([f"script-src {_hash(script)}"] if script else [])]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fit(value: object) -> object:
    """The value that an expression puts into the page: markup and numbers unchanged, text made visible and bounded."""
    return visible(value, BLOCK) if isinstance(value, str) and not isinstance(value, Markup) else value
