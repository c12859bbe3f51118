"""Writes a tree as a page: HTML, or GitHub's Markdown for a pull request or a CI job."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import get_args

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from conformance.report import document as tree
from conformance.report.document import SCRIPTED, Tone
from conformance.tensors.text import counted, one_line, visible

# HTML that loads nothing: templates render the blocks, and escape all text. Style and script are inline; the content
# security policy names their hashes.

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
    sections = [section for section in document.sections if section.id]
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
        auto_reload=False,
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = (attributes, counted, one_line, tree.left_out, tree.line_of, tree.plain_text, tree.spans)
    made.globals.update({function.__name__: function for function in names}, SCRIPTED=SCRIPTED)
    made.tests.update({kind.__name__: partial(_is, kind) for kind in get_args(tree.ReportBlock)})
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


# Markdown: all foreign text is escaped and bounded.

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
    return "".join(map(_piece, tree.spans(text)))


def _piece(span: tree.Span) -> str:
    if span.kind in (tree.SpanKind.CODE, tree.SpanKind.NAME, tree.SpanKind.CASE):
        return code(span.text, span.limit)
    if span.link == span.text and _PLAIN_LINK.fullmatch(span.text):
        return span.text
    shown = _ACTIVE.sub(r"\\\g<0>", _inert(tree.line_of(span)))
    return f"**{shown}**" if span.kind is tree.SpanKind.STRONG else shown


def _parts(document: tree.ReportTree) -> Iterator[str]:
    yield f"## {document.product}: {escaped(document.headline)}\n\n"
    if document.note:
        yield f"{escaped(document.note, 600)}\n\n"
    for reason in document.reasons:
        yield f"> **{document.reason.capitalize()}:** {escaped(reason, 600)}\n>\n"
    yield "\n"
    yield from _markdown([*document.opening, *document.result, *document.sections], 3)


def _markdown(blocks: Iterable[tree.ReportBlock], level: int) -> Iterator[str]:
    """Blocks below a heading; what can stand in a list alone is a list of its own."""
    for block in blocks:
        match block:
            case tree.ReportSection():
                yield f"\n{'#' * level} {inline(block.title)}\n\n" if block.title else "\n"
                if block.about:
                    yield f"{inline(block.about)}\n\n"
                yield from _markdown(block.blocks, level + 1)
            case tree.Details():
                yield f"\n<details><summary>{_inert(tree.plain_text(block.head))}</summary>\n\n"
                yield from _markdown(block.blocks, level)
                yield "\n</details>\n"
            case tree.Table():
                yield from _table(block)
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
        case tree.Sentence():
            yield f"{indent}- {inline(block.text)}\n"
        case _:
            raise TypeError(f"a list has no {type(block).__name__}")


def _items(block: tree.Items, indent: str) -> Iterator[str]:
    shown = block.items[: 3 * block.few]
    for item in shown:
        if isinstance(item, tree.Details):
            line = f" {inline(item.line)}" if item.line else ""
            yield from _list_item(f"**{inline(item.head)}**{line}", item.blocks, indent)
        else:
            yield f"{indent}- {inline(item)}\n"
    if more := tree.left_out(block, len(shown)):
        yield f"{indent}- {more}\n"


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
        tree.left_out(table, len(rows)),
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
