"""A report as one tree of headings, sentences, tables, lists and details, which terminal, Markdown and HTML write.

A tree holds foreign texts as they are: each writer bounds and escapes them. What only a page can show, such as a grid
of elements, stands in it as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from markupsafe import Markup

from conformance.spec.verdict import ExitCode
from conformance.tensors.text import LINE, counted, one_line

ALL = 1_000_000
SCRIPTED = "scripted"
"""The class of what only the script of a page makes visible."""
_SENTENCE = 1000
"""Default length limit of a piece of text; twice our longest sentence."""


class Tone(Enum):
    """What a colour says; the values are classes of the style sheet."""

    GOOD = "good"
    KNOWN = "known"
    BAD = "new"
    WARNING = "harness"
    QUIET = "quiet"


class SpanKind(Enum):
    """What a piece of a text is; the values are classes of the style sheet."""

    PLAIN = ""
    STRONG = "strong"
    CODE = "code"
    NAME = "name"
    CASE = "case"
    MUTED = "muted"
    SIGN = "sign"
    COUNT = "count"
    KINDS = "kinds"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: on a page it may link, or be shown as `page`."""

    text: str
    kind: SpanKind = SpanKind.PLAIN
    link: str = ""
    limit: int = LINE
    page: Markup | None = None


Text = str | Span | Sequence[str | Span]


def spans(text: Text) -> list[Span]:
    """The pieces of a text."""
    pieces = [text] if isinstance(text, str | Span) else text
    return [Span(piece, limit=_SENTENCE) if isinstance(piece, str) else piece for piece in pieces if piece]


def line_of(span: Span) -> str:
    """The text of a piece on one line, bounded, with a blank at either end if it has one there."""
    inner = one_line(span.text, span.limit)
    before, after = (" " * end.isspace() for end in (span.text[:1], span.text[-1:]))
    return f"{before}{inner}{after}" if inner else before


def plain_text(text: Text) -> str:
    """The text on one line."""
    return "".join(map(line_of, spans(text)))


def left_out(items: Items | Table, shown: int) -> str:
    """`and 3 more`, `and 3 further causes`; empty if all are shown."""
    if isinstance(items, Table):
        count, noun = len(items.rows) - shown, ""
    else:
        count, noun = len(items.items) - shown + items.more, items.noun
    if count <= 0:
        return ""
    return f"and {counted(count, f'further {noun}')}" if noun else f"and {count:,} more"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph; `kind` is its class in the style sheet."""

    text: Text
    kind: str = ""
    tone: Tone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """An entry that unfolds: its head, a line below it, and its inside. `kind` is its class in the style sheet."""

    head: Text
    line: Text = ()
    blocks: Sequence[ReportBlock] = ()
    id: str = ""
    is_open: bool = False
    tone: Tone | None = None
    kind: str = "cause"


@dataclass(frozen=True, slots=True)
class Items:
    """A list. A terminal shows the first `few` items, Markdown three times as many; `more` others are left out."""

    items: Sequence[Text | Details]
    few: int = 12
    more: int = 0
    noun: str = ""
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table, with notes below its text; a rate has a colour of its own.

    On a page a note that has notes itself opens to show them; elsewhere they are left out.
    """

    text: Text
    notes: Sequence[TableCell] = ()
    tone: Tone | None = None
    is_rate: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row, the first cell of which names it; a page can unfold it into `inner` rows."""

    cells: Sequence[TableCell]
    inner: Sequence[TableRow] = ()


def row(*cells: TableCell | Text, inner: Sequence[TableRow] = ()) -> TableRow:
    """A row of these cells; a text alone is a cell."""
    return TableRow([cell if isinstance(cell, TableCell) else TableCell(cell) for cell in cells], inner)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column; terminal and Markdown call it `short`, if that is given. On a page its name may link."""

    name: str
    short: str = ""
    is_number: bool = False
    link: str = ""


def columns(*names: str, numbers_from: int = ALL) -> list[TableColumn]:
    """Columns of these names, which hold numbers from one place on."""
    return [TableColumn(name, is_number=place >= numbers_from) for place, name in enumerate(names)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table, of which a terminal shows the first `few` rows. `kind` is its class in the style sheet."""

    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[TableRow]
    footer: TableRow | None = None
    caption: str = ""
    few: int = 12
    kind: str = "stacked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCard:
    """The result of a target: its number, name and sign, a sentence, and what to know next."""

    number: int
    name: str
    sign: str
    tone: Tone
    sentence: str
    blocks: Sequence[ReportBlock] = ()


@dataclass(frozen=True, slots=True)
class Cards:
    """The results of all targets, on a page in this order, elsewhere by number."""

    cards: Sequence[ResultCard]


@dataclass(frozen=True, slots=True)
class Facts:
    """Values by name; those that are empty are left out. `kind` is their class in the style sheet."""

    facts: Mapping[str, Text]
    kind: str = "facts"


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command for a shell."""

    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What only a page shows."""

    html: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """A part with a heading. The bar of a page leads to it under the name `bar`, or by its id."""

    title: Text
    about: Text = ()
    blocks: Sequence[ReportBlock] = ()
    id: str = ""
    bar: str = ""
    kind: str = ""


ReportBlock = Sentence | Items | Table | Cards | Facts | ShellCommand | Drawing | ReportSection | Details


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTree:
    """A report. The headline is its result; `reasons` say, behind `reason`, why nothing can be concluded.

    `opening` stands before the reasons, `result` after them; `note` says what was left out. `title` is that of its
    page, by default the product and the headline.
    """

    product: str
    headline: str
    opening: Sequence[ReportBlock] = ()
    note: str = ""
    reason: str = ""
    reasons: Sequence[str] = ()
    alert: str = ""
    result: Sequence[ReportBlock] = ()
    sections: Sequence[ReportSection] = field(default=())
    exit_code: ExitCode | None = None
    id: str = "result"
    title: str = ""
