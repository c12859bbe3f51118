"""Writes the blocks of a tree as elements of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatchmethod

from markupsafe import Markup

from conformance.report import document as tree
from conformance.report.document import SpanKind, left_out, line_of, plain_text, spans
from conformance.report.nodes import Child, HtmlNode, node
from conformance.values.text import one_line

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
    kind = {"kind": span.kind.value} if span.kind.value and span.kind not in _TAGS else {}
    if span.kind is SpanKind.SIGN:
        return node("span", text, **kind, aria_hidden="true")
    if span.link:
        inner: Child = node("code", text) if span.kind is SpanKind.CODE else text
        away = {"rel": "noopener noreferrer"} if "://" in span.link else {}
        return node("a", inner, **kind, href=span.link, **away)
    return node(_TAGS.get(span.kind, "span"), text, **kind) if span.kind is not SpanKind.PLAIN else text


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes blocks; without a script on the page, a box that scrolls must be reached by the keyboard anyway."""

    has_script: bool = False

    def written(self, blocks: Iterable[tree.ReportBlock], level: int = 2) -> Iterator[HtmlNode | Markup]:
        """The elements of blocks; the headings of their sections have this level."""
        for block in blocks:
            yield from self._block(block, level)

    @singledispatchmethod
    def _block(self, block: tree.ReportBlock, level: int) -> Iterator[HtmlNode | Markup]:
        raise TypeError(f"a page cannot show {type(block).__name__} at level {level}")

    @_block.register
    def _(self, block: tree.Sentence, level: int) -> Iterator[HtmlNode | Markup]:
        del level
        yield node("p", *inline(block.text), **_kind(block.kind))

    @_block.register
    def _(self, block: tree.Cards, level: int) -> Iterator[HtmlNode | Markup]:
        yield node("ul", *(self._card(card, level) for card in block.cards), kind="cards")

    @_block.register
    def _(self, block: tree.Facts, level: int) -> Iterator[HtmlNode | Markup]:
        del level
        facts = ((name, inline(value)) for name, value in block.facts.items() if plain_text(value).strip())
        rows = (node("div", node("dt", one_line(name)), node("dd", *value)) for name, value in facts)
        yield node("dl", *rows, kind=f"facts {block.kind}".strip())

    @_block.register
    def _(self, block: tree.ShellCommand, level: int) -> Iterator[HtmlNode | Markup]:
        del level
        yield node("pre", block.text, kind="command")

    @_block.register
    def _(self, block: tree.Drawing, level: int) -> Iterator[HtmlNode | Markup]:
        del level
        yield block.html

    @_block.register
    def _(self, block: tree.Only, level: int) -> Iterator[HtmlNode | Markup]:
        if tree.Medium.PAGE in block.media:
            yield from self.written(block.blocks, level)

    @_block.register
    def _(self, section: tree.ReportSection, level: int) -> Iterator[HtmlNode | Markup]:
        if tree.Medium.PAGE not in section.media:
            return
        name = {"id": f"{section.id}-title"} if section.id else {}
        about = node("p", *inline(section.about), kind="about") if section.about else None
        parts = [node(f"h{level}", *inline(section.title), **name), about, *self.written(section.blocks, level + 1)]
        if section.id:
            later = {"hidden": ""} if section.kind == SCRIPTED else {}
            name = {"id": section.id, "aria_labelledby": f"{section.id}-title"}
            yield node("section", *parts, **_kind(section.kind), **name, **later)
        else:
            yield from (part for part in parts if part is not None)

    @_block.register
    def _(self, items: tree.Items, level: int) -> Iterator[HtmlNode | Markup]:
        shown = items.items[:_MAX_ITEMS]
        more = left_out(items, len(shown))
        if any(isinstance(item, tree.Details) for item in shown):
            yield from self.written((item for item in shown if isinstance(item, tree.Details)), level)
            if more:
                yield node("p", more, kind="muted")
            return
        entries = [self._item(item, level) for item in shown if not isinstance(item, tree.Details)]
        yield node("ul", *entries, node("li", more, kind="muted") if more else None, **_kind(items.kind))

    def _item(self, item: tree.Text | tree.ListItem, level: int) -> HtmlNode:
        if isinstance(item, tree.ListItem):
            return node("li", *inline(item.text), *self.written(item.blocks, level))
        return node("li", *inline(item))

    @_block.register
    def _(self, details: tree.Details, level: int) -> Iterator[HtmlNode | Markup]:
        head: list[Child] = inline(details.head)
        if details.kind == "cause":
            head = [node(f"h{level}", *head, kind="title")]
        line = (" ", node("span", *inline(details.line), kind="line")) if details.line else ()
        attributes = {**_kind(details.kind), **({"id": details.id} if details.id else {})}
        inside = node("div", *self.written(details.blocks, level + 1), kind="inside")
        yield node(
            "details", node("summary", *head, *line), inside, **attributes, **({"open": ""} if details.is_open else {})
        )

    def _card(self, card: tree.ResultCard, level: int) -> HtmlNode:
        name = node("a", plain_text(card.name), href=card.link) if card.link else plain_text(card.name)
        heading = node("h2", *inline(tree.Span(card.sign, SpanKind.SIGN)), " ", node("span", name, kind="name"))
        sentence = plain_text(card.sentence)
        says = node("p", sentence[:1].upper() + sentence[1:], kind="says")
        return node("li", heading, says, *self.written(card.blocks, level), kind=f"card {card.tone.value}")

    @_block.register
    def _(self, table: tree.Table, level: int) -> Iterator[HtmlNode | Markup]:
        del level
        names = [plain_text(tree.Span(column.name)) for column in table.columns]
        roles = _STACKED if table.kind == "stacked" else _NO_ROLES
        head = [
            node("th", name, scope="col", **roles["th"], **_kind("number" if column.is_number else ""))
            for name, column in zip(names, table.columns, strict=True)
        ]
        caption = node("caption", table.caption) if table.caption else None
        thead = node("thead", node("tr", *head, **roles["tr"]), **roles["group"])
        footer = () if table.footer is None else (node("tfoot", _row(table.footer, table, roles)),)
        whole = node("table", caption, thead, *_bodies(table, roles), *footer, **_kind(table.kind), **roles["table"])
        reached = {} if self.has_script else {"tabindex": "0"}
        yield node("div", whole, kind="scroll", role="group", aria_label=table.name, **reached)


_Roles = Mapping[str, Mapping[str, str]]
_PARTS = {"table": "table", "group": "rowgroup", "tr": "row", "th": "columnheader", "name": "rowheader", "td": "cell"}
_STACKED: _Roles = {part: {"role": role} for part, role in _PARTS.items()}
"""Where cells stand below each other, their roles must be said."""
_NO_ROLES: _Roles = {part: {} for part in _PARTS}


def _bodies(table: tree.Table, roles: _Roles) -> Iterator[HtmlNode]:
    if not any(row.inner for row in table.rows):
        yield node("tbody", *(_row(row, table, roles) for row in table.rows), **roles["group"])
        return
    for row in table.rows:
        inner = (_row(one, table, roles)._replace(attributes={"class": "version"}) for one in row.inner)
        yield node("tbody", _row(row, table, roles), *inner)


def _row(row: tree.TableRow, table: tree.Table, roles: _Roles) -> HtmlNode:
    first, *others = row.cells
    title: list[Child] = [*inline(first.text), *_notes(first)]
    if row.inner:
        title = [node("label", node("input", type="checkbox", kind="unfold"), *title)]
    cells = (_cell(cell, column, roles) for cell, column in zip(others, table.columns[1:], strict=True))
    return node("tr", node("th", *title, scope="row", **roles["name"]), *cells, **roles["tr"])


def _cell(cell: tree.TableCell, column: tree.TableColumn, roles: _Roles) -> HtmlNode:
    if cell.is_rate:
        tone = f"rate {cell.tone.value if cell.tone else 'empty'}"
        return node("td", node("span", *inline(cell.text), kind="value"), *_notes(cell), kind=tone)
    kinds = " ".join(
        filter(None, ["number" if column.is_number else "", f"tone-{cell.tone.value}" if cell.tone else ""])
    )
    label = {"data_name": one_line(column.name).lower()} if roles["td"] else {}
    inner = node("span", *inline(cell.text), *_notes(cell)) if label else None
    return node(
        "td", *([inner] if inner else [*inline(cell.text), *_notes(cell)]), **roles["td"], **label, **_kind(kinds)
    )


def _notes(cell: tree.TableCell) -> Iterator[Child]:
    for note in cell.notes:
        yield " "
        yield node("small", *inline(note.text), kind=f"mark {note.tone.value if note.tone else ''}".strip())


def _kind(kind: str) -> dict[str, str]:
    return {"kind": kind} if kind else {}
