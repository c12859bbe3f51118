"""Writes a tree as GitHub's Markdown, for a pull request or a CI job; all foreign text is escaped and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.report import document as tree
from conformance.report.document import SpanKind, Tone, left_out, line_of, plain_text, spans
from conformance.tensors.text import counted, one_line

_MAX_BYTES = 55_000
_MAX_COLUMNS = 12
_COMMAND = 4000
_ACTIVE = re.compile(r"[\\`*_\[\]#+!|~$]|(?<!\S)-")
_LINKING = re.compile(r"(?<!\w)[@#](?=\w)|://|\bwww(?=\.)")
_PLAIN_LINK = re.compile(r"https?://[\w./#?=%-]{1,300}")
_ZERO_WIDTH_SPACE = "\u200b"


def markdown_of(document: tree.ReportTree) -> str:
    """The report, as much of it as fits into a job summary or a comment on GitHub, with a note if some does not."""
    parts: list[str] = []
    size = 0
    for part in _parts(document):
        size += len(part.encode())
        if size > _MAX_BYTES:
            parts.append("\n*More does not fit here; the HTML report has all of it.*\n")
            break
        parts.append(part)
    return "".join(parts)


def escaped(text: str, limit: int = 300) -> str:
    """Text on one line without active Markdown or HTML; mentions, references and links are broken up."""
    return _ACTIVE.sub(r"\\\g<0>", _inert(one_line(text, limit)))


def _inert(text: str) -> str:
    """Text without active HTML, and without mentions, references and links."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    return _LINKING.sub(f"\\g<0>{_ZERO_WIDTH_SPACE}", text)


def code(text: str, limit: int = 300) -> str:
    """Text as a code span without active characters; a pipe becomes `¦`, because it would end a table's cell."""
    plain = one_line(text, limit).replace("|", "¦") or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    gap = " " if "`" in (plain[0], plain[-1]) else ""
    return f"{fence}{gap}{plain}{gap}{fence}"


def inline(text: tree.Text) -> str:
    """The pieces of a text on one line."""
    return "".join(map(_piece, spans(text)))


def _piece(span: tree.Span) -> str:
    if span.kind in (SpanKind.CODE, SpanKind.NAME, SpanKind.CASE):
        return code(span.text, span.limit)
    if span.link == span.text and _PLAIN_LINK.fullmatch(span.text):
        return span.text
    shown = _ACTIVE.sub(r"\\\g<0>", _inert(line_of(span)))
    return f"**{shown}**" if span.kind is SpanKind.STRONG else shown


def _parts(document: tree.ReportTree) -> Iterator[str]:
    yield f"## {document.product}: {escaped(document.headline)}\n\n"
    if document.note:
        yield f"{escaped(document.note, 600)}\n\n"
    for reason in document.reasons:
        yield f"> **{document.reason.capitalize()}:** {escaped(reason, 600)}\n>\n"
    yield "\n"
    yield from _written([*document.opening, *document.result, *document.sections], 3)


def _written(blocks: Iterable[tree.ReportBlock], level: int) -> Iterator[str]:
    """Blocks below a heading; what can stand in a list alone is a list of its own."""
    for block in blocks:
        match block:
            case tree.ReportSection() if tree.Medium.MARKDOWN in block.media:
                yield f"\n{'#' * level} {inline(block.title)}\n\n"
                if block.about:
                    yield f"{inline(block.about)}\n\n"
                yield from _written(block.blocks, level + 1)
            case tree.Details():
                yield f"\n<details><summary>{_inert(plain_text(block.head))}</summary>\n\n"
                yield from _written(block.blocks, level)
                yield "\n</details>\n"
            case tree.Table():
                yield from _table(block)
            case tree.Only() if tree.Medium.MARKDOWN in block.media:
                yield from _written(block.blocks, level)
            case tree.Only() | tree.ReportSection() | tree.Drawing():
                pass
            case tree.ShellCommand():
                lines = (f"$ {one_line(line, _COMMAND)}\n" for line in block.text.splitlines())
                yield f"```console\n{''.join(lines).replace('`' * 3, chr(39) * 3)}```\n"
            case tree.Sentence():
                yield f"{inline(block.text)}\n\n"
            case _:
                yield from (*_listed(block, ""), "\n")


def _listed(block: tree.ReportBlock, indent: str) -> Iterator[str]:
    """A block as entries of a list."""
    match block:
        case tree.Items():
            yield from _items(block, indent)
        case tree.Cards():
            for card in sorted(block.cards, key=lambda card: card.number):
                name = f"{card.sign} **[{card.number}]** {code(card.name)}"
                yield from _list_item(f"{name} {escaped(card.sentence, 600)}", card.blocks, indent)
        case tree.Facts():
            facts = ((name, inline(value)) for name, value in block.facts.items())
            yield from (f"{indent}- **{escaped(name)}**: {value}\n" for name, value in facts if value)
        case tree.Only() if tree.Medium.MARKDOWN in block.media:
            yield from (line for inner in block.blocks for line in _listed(inner, indent))
        case tree.Sentence():
            yield f"{indent}- {inline(block.text)}\n"
        case tree.ShellCommand():
            yield f"{indent}- {code(block.text, _COMMAND)}\n"
        case tree.Only() | tree.Drawing():
            pass
        case _:
            raise TypeError(f"a list has no {type(block).__name__}")


def _items(block: tree.Items, indent: str) -> Iterator[str]:
    shown = block.items[: 3 * block.few]
    for item in shown:
        yield from _entry(item, indent)
    if more := left_out(block, len(shown)):
        yield f"{indent}- {more}\n"


def _entry(item: tree.Text | tree.ListItem | tree.Details, indent: str) -> Iterator[str]:
    match item:
        case tree.Details():
            line = f" {inline(item.line)}" if item.line else ""
            yield from _list_item(inline(item.brief) or f"**{inline(item.head)}**{line}", item.blocks, indent)
        case tree.ListItem():
            yield from _list_item(inline(item.text), item.blocks, indent)
        case _:
            yield f"{indent}- {inline(item)}\n"


def _list_item(text: str, blocks: Iterable[tree.ReportBlock], indent: str) -> Iterator[str]:
    yield f"{indent}- {text}\n"
    for block in blocks:
        yield from _listed(block, f"{indent}  ")


def _table(table: tree.Table) -> Iterator[str]:
    columns = table.columns[: _MAX_COLUMNS + 1]
    rows = table.rows[: 3 * table.few]
    yield _line(escaped(column.short or column.name) for column in columns)
    yield _line("---:" if column.is_number else "---" for column in columns)
    for row in (*rows, table.footer) if table.footer is not None and len(rows) > 1 else rows:
        first, *others = row.cells[: len(columns)]
        yield _line([inline(first.text), *map(_cell, others)])
    more = len(table.columns) - len(columns)
    notes = (
        escaped(table.caption, 1000) if table.caption else "",
        left_out(table, len(rows)),
        f"{counted(more, 'further column')} left out" if more > 0 else "",
    )
    if any(notes):
        yield f"\n<sub>{'; '.join(filter(None, notes))}</sub>\n"
    yield "\n"


def _line(cells: Iterable[str]) -> str:
    return f"|{''.join(f' {cell} |' for cell in cells)}\n"


def _cell(cell: tree.TableCell) -> str:
    text = inline(cell.text)
    return "<br>".join(
        [f"**{text}**" if cell.is_rate and cell.tone is Tone.BAD else text, *(inline(note.text) for note in cell.notes)]
    )
