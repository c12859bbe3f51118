"""The basis of all our HTML pages: a policy that lets nothing load.

Style and script are inline; the content security policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, singledispatch
from importlib.resources import files

from markupsafe import Markup

from conformance.report import document as tree
from conformance.report.document import (
    Child,
    HtmlNode,
    Medium,
    ReportSection,
    ReportTree,
    SpanKind,
    Tone,
    facts_list,
    left_out,
    line_of,
    markup,
    node,
    plain_text,
    spans,
)
from conformance.tensors.text import one_line

# Writes the blocks of a tree as elements of a page.

SCRIPTED = "scripted"
"""The class of what the script alone makes visible."""
_MAX_ITEMS = 1000
_TAGS = {SpanKind.STRONG: "strong", SpanKind.CODE: "code"}


def inline(text: tree.Text) -> list[Child]:
    """The pieces of a text."""
    return [_piece(span) for span in spans(text)]


def _piece(span: tree.Span) -> Child:
    if span.page is not None:
        return span.page
    text = line_of(span)
    kind = None if span.kind in _TAGS else span.kind.value
    if span.kind is SpanKind.SIGN:
        return node("span", text, kind=kind, aria_hidden="true")
    if span.link:
        inner: Child = node("code", text) if span.kind is SpanKind.CODE else text
        return node("a", inner, kind=kind, href=span.link, rel="noopener noreferrer" if "://" in span.link else None)
    return node(_TAGS.get(span.kind, "span"), text, kind=kind) if span.kind is not SpanKind.PLAIN else text


def written(blocks: Iterable[tree.ReportBlock], level: int = 2) -> Iterator[HtmlNode | Markup]:
    """The elements of blocks; the headings of their sections have this level."""
    for block in blocks:
        yield from _block(block, level)


@singledispatch
def _block(block: tree.ReportBlock, level: int) -> Iterator[HtmlNode | Markup]:
    raise TypeError(f"a page cannot show {type(block).__name__} at level {level}")


@_block.register
def _(block: tree.Sentence, _: int) -> Iterator[HtmlNode | Markup]:
    yield node("p", *inline(block.text), kind=block.kind)


@_block.register
def _(block: tree.Cards, level: int) -> Iterator[HtmlNode | Markup]:
    yield node("ul", *(_card(card, level) for card in block.cards), kind="cards")


@_block.register
def _(block: tree.Facts, _: int) -> Iterator[HtmlNode | Markup]:
    facts = ((one_line(name), inline(of)) for name, of in block.facts.items() if plain_text(of).strip())
    yield facts_list(facts, kind="facts")


@_block.register
def _(block: tree.ShellCommand, _: int) -> Iterator[HtmlNode | Markup]:
    yield node("pre", block.text, kind="command")


@_block.register
def _(block: tree.Drawing, _: int) -> Iterator[HtmlNode | Markup]:
    yield block.html


@_block.register
def _(block: tree.Only, level: int) -> Iterator[HtmlNode | Markup]:
    if tree.Medium.PAGE in block.media:
        yield from written(block.blocks, level)


@_block.register
def _(section: tree.ReportSection, level: int) -> Iterator[HtmlNode | Markup]:
    if tree.Medium.PAGE not in section.media:
        return
    name = f"{section.id}-title" if section.id else None
    about = [node("p", *inline(section.about), kind="about")] if section.about else []
    parts = [node(f"h{level}", *inline(section.title), id=name), *about, *written(section.blocks, level + 1)]
    if name is None:
        yield from parts
    else:
        later = "" if section.kind == SCRIPTED else None
        yield node("section", *parts, kind=section.kind, id=section.id, aria_labelledby=name, hidden=later)


@_block.register
def _(items: tree.Items, level: int) -> Iterator[HtmlNode | Markup]:
    shown = items.items[:_MAX_ITEMS]
    more = left_out(items, len(shown))
    if any(isinstance(item, tree.Details) for item in shown):
        yield from written((item for item in shown if isinstance(item, tree.Details)), level)
        if more:
            yield node("p", more, kind="muted")
        return
    entries = [_item(item, level) for item in shown if not isinstance(item, tree.Details)]
    yield node("ul", *entries, node("li", more, kind="muted") if more else None, kind=items.kind)


def _item(item: tree.Text | tree.ListItem, level: int) -> HtmlNode:
    if isinstance(item, tree.ListItem):
        return node("li", *inline(item.text), *written(item.blocks, level))
    return node("li", *inline(item))


@_block.register
def _(details: tree.Details, level: int) -> Iterator[HtmlNode | Markup]:
    head: list[Child] = inline(details.head)
    if details.kind == "cause":
        head = [node(f"h{level}", *head, kind="title")]
    line = (" ", node("span", *inline(details.line), kind="line")) if details.line else ()
    inside = node("div", *written(details.blocks, level + 1), kind="inside")
    opened = "" if details.is_open else None
    yield node("details", node("summary", *head, *line), inside, kind=details.kind, id=details.id or None, open=opened)


def _card(card: tree.ResultCard, level: int) -> HtmlNode:
    name = node("a", plain_text(card.name), href=card.link) if card.link else plain_text(card.name)
    heading = node("h2", *inline(tree.Span(card.sign, SpanKind.SIGN)), " ", node("span", name, kind="name"))
    sentence = plain_text(card.sentence)
    says = node("p", sentence[:1].upper() + sentence[1:], kind="says")
    return node("li", heading, says, *written(card.blocks, level), kind=f"card {card.tone.value}")


@_block.register
def _(table: tree.Table, _: int) -> Iterator[HtmlNode | Markup]:
    head = (
        node("th", plain_text(tree.Span(column.name)), scope="col", kind="number" if column.is_number else None)
        for column in table.columns
    )
    whole = node(
        "table",
        node("caption", table.caption) if table.caption else None,
        node("thead", node("tr", *head)),
        *_bodies(table),
        None if table.footer is None else node("tfoot", _row(table.footer, table)),
        kind=table.kind,
    )
    shown = _with_roles(whole) if table.kind == "stacked" else whole
    yield node("div", shown, kind="scroll", role="group", aria_label=table.name, tabindex="0")


_ROLES = {
    "table": "table",
    **dict.fromkeys(("thead", "tbody", "tfoot"), "rowgroup"),
    "tr": "row",
    "td": "cell",
    "col": "columnheader",
    "row": "rowheader",
}
"""By the scope of a header, else by tag."""


def _with_roles(part: HtmlNode) -> HtmlNode:
    """A table whose cells may stand below each other: then their roles must be said."""
    role = _ROLES.get(part.attributes.get("scope", part.tag))
    if role is None:
        return part
    inner = tuple(child if isinstance(child, str) else _with_roles(child) for child in part.children)
    return HtmlNode(part.tag, {"role": role, **part.attributes}, inner)


def _bodies(table: tree.Table) -> Iterator[HtmlNode]:
    if not any(row.inner for row in table.rows):
        yield node("tbody", *(_row(row, table) for row in table.rows))
        return
    for row in table.rows:
        yield node("tbody", _row(row, table), *(_row(one, table, kind="version") for one in row.inner))


def _row(row: tree.TableRow, table: tree.Table, kind: str | None = None) -> HtmlNode:
    first, *others = row.cells
    title: list[Child] = [*inline(first.text), *_notes(first)]
    if row.inner:
        title = [node("label", node("input", type="checkbox", kind="unfold"), *title)]
    cells = (_cell(cell, column) for cell, column in zip(others, table.columns[1:], strict=True))
    return node("tr", node("th", *title, scope="row"), *cells, kind=kind)


def _cell(cell: tree.TableCell, column: tree.TableColumn) -> HtmlNode:
    if cell.is_rate:
        tone = f"rate {cell.tone.value if cell.tone else 'empty'}"
        return node("td", node("span", *inline(cell.text), kind="value"), *_notes(cell), kind=tone)
    kinds = ["number"] * column.is_number + ([f"tone-{cell.tone.value}"] if cell.tone else [])
    inner = node("span", *inline(cell.text), *_notes(cell))
    return node("td", inner, data_name=one_line(column.name).lower(), kind=" ".join(kinds))


def _notes(cell: tree.TableCell) -> Iterator[Child]:
    for note in cell.notes:
        yield " "
        kind = f"mark {note.tone.value if note.tone else ''}".strip()
        if note.notes:
            yield node("details", node("summary", *inline(note.text)), *_notes(note), kind=kind)
        else:
            yield node("small", *inline(note.text), kind=kind)


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
