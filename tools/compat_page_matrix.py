"""The matrix of an engine on the page of an operator version: its releases as columns, the newest first.

A row is the operator version, an element type, which unfolds into its forms, a form, a clause, or an element type that
the version does not list. Consecutive releases
with the same answer are one cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.compat.data import CompatCell, CompatData, CompatFeature, CompatOperator
from conformance.compat.letters import LETTERS
from conformance.compat.series import ranges
from conformance.compat.statements import refusal, sentence
from conformance.report.document import HtmlNode, node
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
    """All of an operator version, or what of it has an element type, a form, both, or a clause; or whether calls are
    refused with a type that the version does not list.
    """

    dtype: str = ""
    form: str = ""
    clause: str = ""
    says: str = ""
    is_refused: bool = False

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
    cells = {part: _cells_of(data, operator, engine, part) for part in _parts(data.operators[operator])}
    return {
        part.key: refusal(found) if part.is_refused else f"Supported {sentence(found)}"
        for part, found in cells.items()
        if any(found.values())
    }


def findings_by_row(data: CompatData, operator: str, engine: str) -> dict[str, list[str]]:
    """The keys of the rows that each finding of an engine is in, by its id."""
    found: dict[str, list[str]] = {}
    for part in _parts(data.operators[operator]):
        of_part = {"dtype": part.dtype, "form": part.form, "clause": part.clause}
        for finding in [] if part.is_refused else data.findings_of(operator, engine, **of_part):
            found.setdefault(finding.id, []).append(part.key)
    return found


def _parts(of: CompatOperator) -> list[Part]:
    return [one for _, rows in _groups(of) for part, inner in rows for one in (part, *inner)]


def _cells_of(data: CompatData, operator: str, engine: str, part: Part) -> dict[str, CompatCell | None]:
    if part.is_refused:
        return data.refusals(operator, engine, part.dtype)
    return data.cells(operator, engine, dtype=part.dtype, form=part.form, clause=part.clause)


def cell_text(cell: CompatCell, words: str = "") -> str:
    """A cell in a table: its letter, its words, how many checks deviate, and how many recorded faults it has."""
    share = f"{cell.deviating}/{cell.judged}" if cell.deviating else ""
    return " ".join(filter(None, (cell.letter, words, share, f"+{cell.findings}" if cell.findings else "")))


def letter_class(letter: str) -> str:
    """The class of the style sheet for a letter: short, since a page has thousands of cells."""
    return f"of-{letter}"


def meaning(letter: str) -> str:
    """What a letter says; a letter that is not known says nothing."""
    return LETTERS.get(letter, "")


def _groups(of: CompatOperator) -> Iterator[tuple[str, list[tuple[Part, list[Part]]]]]:
    """The rows by group, each with those that it unfolds into."""
    yield "", [(Part(), [])]
    for argument, dtypes in of.listed.items():
        names = [of.type_name(f"{argument}={dtype}") for dtype in dtypes]
        yield f"Element types of {argument}, in valid calls", [(Part(dtype=name), _forms(of, name)) for name in names]
    title = "Element types that this version does not list: whether they are refused"
    yield title, [(Part(dtype=dtype, is_refused=True), []) for dtype in of.refused]
    yield "Forms: how the arguments reach the framework", [(Part(form=form), []) for form in of.forms]
    yield "Clauses of the page", [(Part(clause=name, says=one.says), []) for name, one in of.clauses.items()]


def _forms(of: CompatOperator, dtype: str) -> list[Part]:
    return [Part(dtype=dtype, form=form) for form in of.types.get(dtype, CompatFeature()).forms]


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
    is_listed = part.dtype and not part.form and not part.is_refused
    if not any(cells.values()) and not is_listed:
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
        *(_cell(cell, len(releases), is_refused=part.is_refused) for cell, releases in newest_first),
        kind="version" if part.dtype and part.form else None,
        data_dtype=part.dtype or None,
        data_form=part.form or None,
        data_clause=part.clause or None,
        data_refused="true" if part.is_refused else None,
    )


def _head(release: str, day: str) -> HtmlNode:
    return node("th", one_line(release), node("small", day[:7]) if day else None, scope="col", data_release=release)


def _cell(cell: CompatCell | None, width: int, *, is_refused: bool) -> HtmlNode:
    colspan, is_wide = width if width > 1 else None, width >= _WIDE
    if cell is None:
        return node("td", node("span", "not asked") if is_wide else None, colspan=colspan)
    text = cell_text(cell, WORDS.get(cell.letter, "") if is_wide else "")
    kind = letter_class(cell.letter)
    if is_refused and cell.letter == "y":
        text, kind = "refused", f"{kind} refused"
    counts = f"{cell.deviating}/{cell.judged}/{cell.asked}"
    shown = text if width == 1 else node("span", text)
    return node("td", shown, kind=kind, colspan=colspan, data_counts=counts, data_findings=cell.findings or None)
