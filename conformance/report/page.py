"""The basis of all our HTML pages: a policy that lets nothing load.

Style and script are inline; the content security policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from conformance.report.document import Medium, ReportSection, ReportTree, Tone
from conformance.report.nodes import Child, HtmlNode, facts_list, markup, node
from conformance.report.page_blocks import SCRIPTED, written
from conformance.values.text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAssets:
    """The script of a page, and what its style sheet has beyond that of all pages."""

    script: str = ""
    style: str = ""


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
    document: ReportTree,
    *,
    assets: PageAssets | None = None,
    title: str = "",
    before: Iterable[HtmlNode] = (),
    after: Iterable[Markup] = (),
) -> Iterator[str]:
    """The page of a document, piece by piece.

    Args:
        document: what it shows.
        assets: its script, and its own style; without a script nothing can run.
        title: its title; by default the product and the headline.
        before: what stands before the result.
        after: what stands behind all sections.
    """
    script, style = ("", "") if assets is None else (assets.script, assets.style)
    style = asset("report.css") + style
    head = [
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy(style, script)),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("meta", name="color-scheme", content="light dark"),
        node("meta", name="referrer", content="no-referrer"),
        node("title", title or f"{document.product}: {document.headline}"),
    ]
    yield '<!doctype html>\n<html lang="en">\n<head>\n'
    yield "\n".join(map(markup, head))
    yield f"\n<style>{style}</style>\n</head>\n<body>\n"
    yield from (f"{markup(part)}\n" for part in _bar(document))
    yield '<main id="report">\n'
    for part in (*before, _result(document)):
        yield f"{markup(part)}\n"
    for section in document.sections:
        yield from (f"{markup(part)}\n" for part in written([section]))
    yield "</main>\n"
    yield from after
    if script:
        yield f'<script type="module">{script}</script>\n'
    yield "</body>\n</html>\n"


def _bar(document: ReportTree) -> Iterator[HtmlNode]:
    """The links that lead to the sections."""
    sections = [section for section in document.sections if section.id and Medium.PAGE in section.media]
    yield node("a", "Skip to the result", kind="skip", href=f"#{document.id}")
    for section in sections:
        if section.kind == SCRIPTED:
            yield node("a", f"Skip to the {section.id}", kind=f"skip {SCRIPTED}", href=f"#{section.id}", hidden="")
    links = [node("li", node("a", "Result", href=f"#{document.id}")), *map(_link, sections)]
    nav = node("nav", node("strong", document.product, kind="product"), node("ul", *links), aria_label="Sections")
    yield node("header", nav, kind="bar")


def _link(section: ReportSection) -> HtmlNode:
    name = section.bar or section.id.replace("-", " ").capitalize()
    later = {"kind": SCRIPTED, "hidden": ""} if section.kind == SCRIPTED else {}
    return node("li", node("a", one_line(name, 40), href=f"#{section.id}"), **later)


def _result(document: ReportTree) -> HtmlNode:
    alert: list[Child] = []
    if document.reasons:
        reasons = node("ul", *(node("li", reason) for reason in document.reasons))
        alert = [node("div", node("p", node("strong", document.alert)), reasons, kind="alert", role="note")]
    note = node("p", document.note) if document.note else None
    parts = [*written(document.opening), note, *alert, *written(document.result)]
    heading = node("h1", document.headline, id="headline")
    return node("section", heading, *parts, id=document.id, aria_labelledby="headline")


def banner_node(banner: Banner) -> HtmlNode:
    """The notice of a page."""
    links: list[Child] = []
    for name, link in banner.links.items():
        links += [" · " * bool(links), node("a", name, href=link)]
    return node(
        "aside",
        node("p", banner.eyebrow, kind="eyebrow"),
        node("p", banner.title, kind="title"),
        facts_list((name, [value]) for name, value in banner.facts.items()),
        node("p", banner.about, kind="verify"),
        node("pre", banner.command, kind="command"),
        node("p", *links, kind="verify") if links else None,
        kind=f"banner {banner.tone.value}",
        aria_label=banner.eyebrow,
    )


def data_block(name: str, data: bytes) -> Markup:
    """Data for the script, deflated: base64 can be neither markup nor code."""
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return Markup(f'<script type="application/octet-stream" id="data-{name}">{text}</script>\n')  # noqa: S704


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script in the folder of the templates."""
    return files("conformance.report").joinpath("templates", name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """The content security policy of a page with this style and, unless it is empty, this script."""
    allowed = [f"style-src {_hash(style)}", *([f"script-src {_hash(script)}"] if script else [])]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
