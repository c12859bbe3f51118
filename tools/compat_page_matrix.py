"""The matrix of an engine on the page of an operator version: its releases as columns, the newest first.

A row is the operator version, an element type, which unfolds into its forms, a form, or a clause. Consecutive releases
with the same answer are one cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.compat.data import CompatCell, CompatData, CompatOperator
from conformance.compat.letters import LETTERS
from conformance.compat.series import ranges
from conformance.compat.statements import sentence
from conformance.report.nodes import HtmlNode, node
from conformance.values.text import one_line

WORDS: Mapping[str, str] = {
    "y": "conforms",
    "i": "interpretation",
    "p": "in part",
    "m": "memory",
    "c": "crashes",
    "w": "wrong results",
    "a": "accepts invalid",
    "r": "rejects valid",
    "n": "not supported",
    "x": "cannot be asked",
    "u": "not judged",
}
"""What each letter says, in a word or two."""
_WIDE = 3
"""Releases from which on a cell has room for words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """All of an operator version, or what of it has an element type, a form, both, or a clause."""

    dtype: str = ""
    form: str = ""
    clause: str = ""
    says: str = ""

    @property
    def name(self) -> str:
        """Its name in a row."""
        return self.clause or self.form or self.dtype or "all checks"

    @property
    def key(self) -> str:
        """The name by which the script finds what is said of the row."""
        return f"{self.dtype}\n{self.form}\n{self.clause}"


def matrix(data: CompatData, operator: str, engine: str, days: Mapping[str, str]) -> HtmlNode:
    """The matrix; `days` has the day of releases."""
    releases = data.engines[engine].releases[::-1]
    of = data.operators[operator]
    heads = [
        node("th", "what was asked", scope="col"),
        *(_head(release, days.get(release, "")) for release in releases),
    ]
    cols = [node("col", kind="what"), *(node("col") for _ in releases)]
    bodies = [body for title, parts in _groups(of) for body in _bodies(data, operator, engine, title, parts)]
    table = node(
        "table",
        node("colgroup", *cols),
        node("thead", node("tr", *heads)),
        *bodies,
        kind="matrix releases",
        data_engine=engine,
        aria_label=one_line(f"{operator}, releases of {engine}"),
    )
    return node("div", table, kind="scroll tall", role="group", aria_label=one_line(engine), tabindex="0")


def badge(text: str, letter: str) -> HtmlNode:
    """A text in the colour of a letter."""
    return node("span", text, kind=f"answer {letter_class(letter)}" if letter else "answer")


def sentences(data: CompatData, operator: str, engine: str) -> dict[str, str]:
    """What the answers of an engine say of each row: since when, until when, with what."""
    parts = [one for _, rows in _groups(data.operators[operator]) for part, inner in rows for one in (part, *inner)]
    cells = {part: _cells_of(data, operator, engine, part) for part in parts}
    return {part.key: sentence(found) for part, found in cells.items() if any(found.values())}


def _cells_of(data: CompatData, operator: str, engine: str, part: Part) -> dict[str, CompatCell | None]:
    return data.cells(operator, engine, dtype=part.dtype, form=part.form, clause=part.clause)


def cell_text(cell: CompatCell, words: str = "") -> str:
    """A cell in a table: its letter, its words and, if checks deviate, how many."""
    share = f"{cell.deviating}/{cell.judged}" if cell.deviating else ""
    return " ".join(filter(None, (cell.letter, words, share)))


def letter_class(letter: str) -> str:
    """The class of the style sheet for a letter: short, since a page has thousands of cells."""
    return f"of-{letter}"


def meaning(letter: str) -> str:
    """What a letter says; a letter that is not known says nothing."""
    return LETTERS.get(letter, "")


def _groups(of: CompatOperator) -> Iterator[tuple[str, list[tuple[Part, list[Part]]]]]:
    """The rows by group, each with those that it unfolds into."""
    yield "", [(Part(), [])]
    yield (
        "Element types",
        [
            (Part(dtype=dtype), [Part(dtype=dtype, form=form) for form in feature.forms])
            for dtype, feature in of.types.items()
        ],
    )
    yield "Forms: how the arguments reach the framework", [(Part(form=form), []) for form in of.forms]
    yield "Clauses of the page", [(Part(clause=name, says=one.says), []) for name, one in of.clauses.items()]


def _bodies(
    data: CompatData, operator: str, engine: str, title: str, parts: Sequence[tuple[Part, list[Part]]]
) -> Iterator[HtmlNode]:
    bodies = []
    for part, inner in parts:
        rows = [_row(data, operator, engine, one, has_inner=bool(inner) and one is part) for one in (part, *inner)]
        if rows[0] is not None:
            bodies.append(node("tbody", *rows))
    if bodies and title:
        width = len(data.engines[engine].releases) + 1
        yield node(
            "tbody",
            node("tr", node("th", node("span", title), scope="rowgroup", colspan=str(width))),
            kind="group",
        )
    yield from bodies


def _row(data: CompatData, operator: str, engine: str, part: Part, *, has_inner: bool) -> HtmlNode | None:
    cells = _cells_of(data, operator, engine, part)
    if not any(cells.values()):
        return None
    name: HtmlNode | str = one_line(part.name)
    if has_inner:
        name = node("label", node("input", type="checkbox", kind="unfold"), one_line(part.name))
    head = node(
        "th",
        name,
        node("small", one_line(part.says), kind="says") if part.says else None,
        scope="row",
    )
    newest_first = ranges({release: cells[release] for release in reversed(cells)})
    return node(
        "tr",
        head,
        *(_cell(cell, len(releases)) for cell, releases in newest_first),
        kind="version" if part.dtype and part.form else None,
        data_dtype=part.dtype or None,
        data_form=part.form or None,
        data_clause=part.clause or None,
    )


def _head(release: str, day: str) -> HtmlNode:
    return node("th", one_line(release), node("small", day[:7]) if day else None, scope="col", data_release=release)


def _cell(cell: CompatCell | None, width: int) -> HtmlNode:
    if cell is None:
        return node("td", colspan=width if width > 1 else None)
    counts, kind = f"{cell.deviating}/{cell.judged}/{cell.asked}", letter_class(cell.letter)
    if width == 1:
        return node("td", cell_text(cell), kind=kind, data_counts=counts)
    words = WORDS.get(cell.letter, "") if width >= _WIDE else ""
    text = node("span", cell_text(cell, words))
    return node("td", text, kind=kind, colspan=width, data_counts=counts)
