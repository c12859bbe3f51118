"""Writes a tree as an HTML page that loads nothing: templates render its blocks, and escape all text.

Style and script are inline; the content security policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.report import document as tree
from conformance.report.document import SCRIPTED, Medium, Tone
from conformance.tensors.text import counted, one_line, visible

_TEMPLATES = Path(__file__).parent / "templates"


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


def page_of(
    document: tree.ReportTree,
    *,
    script: str = "",
    style: str = "",
    banner: Banner | None = None,
    after: Iterable[Markup] = (),
) -> Iterator[str]:
    """The page of a document, piece by piece.

    Args:
        document: what it shows.
        script: its script; without one, nothing can run.
        style: what its style sheet has beyond that of all pages.
        banner: a notice at its top.
        after: what stands behind all sections.
    """
    style = asset("report.css") + style
    sections = [section for section in document.sections if section.id and Medium.PAGE in section.media]
    template = _environment(_TEMPLATES).get_template("page.html.j2")
    return template.generate(
        document=document,
        bar=[(section, section.bar or section.id.replace("-", " ").capitalize()) for section in sections],
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - ours, and named by its hash
        script=Markup(script),  # noqa: S704 - ours, and named by its hash
        title=document.title or f"{document.product}: {document.headline}",
        banner=banner,
        after=after,
    )


def written(blocks: Iterable[tree.ReportBlock], level: int = 2) -> Markup:
    """Blocks as HTML; the headings of their sections have this level."""
    return rendered("written.html.j2", blocks=blocks, level=level)


def rendered(name: str, folder: Path | None = None, **names: object) -> Markup:
    """A piece of a page, from a template here or in another folder."""
    return Markup(_environment(folder or _TEMPLATES).get_template(name).render(**names))  # noqa: S704 - it escapes


@cache
def _environment(folder: Path) -> Environment:
    """The templates in a folder: no value can become markup or hide a character."""
    made = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = (attributes, counted, one_line, tree.left_out, tree.line_of, tree.plain_text, tree.spans)
    made.globals.update({function.__name__: function for function in names}, Medium=Medium, SCRIPTED=SCRIPTED)
    made.tests.update({kind.__name__: partial(_is, kind) for kind in (*get_args(tree.ReportBlock), tree.ListItem)})
    return made


def attributes(**values: str | float | None) -> Markup:
    """The attributes of an element: without those that are None, and `_` in a name is `-`."""
    given = {name.replace("_", "-"): visible(str(value)) for name, value in values.items() if value is not None}
    return Markup("").join(Markup(' {}="{}"').format(*one) for one in given.items())


def _shown(value: object) -> object:
    """What an expression puts into a page: text is made visible and bounded, and Jinja escapes it after that."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _is(kind: type, value: object) -> bool:
    return isinstance(value, kind)


def data_block(name: str, data: bytes) -> Markup:
    """Data for the script, deflated: base64 can be neither markup nor code."""
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return Markup('<script type="application/octet-stream" id="data-{}">{}</script>\n').format(name, text)


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script in the folder of the templates."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The content security policy of a page with this style and, unless it is empty, this script."""
    allowed = [f"style-src {_hash(style)}", *([f"script-src {_hash(script)}"] if script else [])]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
