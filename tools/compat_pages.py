"""Makes the pages of the published data: `python tools/compat_pages.py compat/data.json.xz FOLDER`.

FOLDER gets index.html and a page for each operator version. Each is one file that loads nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from conformance.compat.data import (
    FAULTS,
    LETTERS,
    CompatCell,
    CompatData,
    CompatDeviation,
    CompatFeature,
    CompatFrameworks,
    CompatOperator,
    gathered,
    load,
    load_frameworks,
    ranges,
    spread,
)
from conformance.compat.statements import refusal, sentence, since
from conformance.log.history import LETTER_OF_SEVERITY
from conformance.report.document import (
    ALL,
    Drawing,
    Items,
    ReportSection,
    ReportTree,
    Sentence,
    Span,
    SpanKind,
)
from conformance.report.page import asset, data_block, page_of, rendered
from conformance.report.releases import evidence_commands, target_at
from conformance.report.writers import write_text
from conformance.spec.verdict import Severity
from conformance.tensors.text import counted, visible

# The matrix of an engine on the page of an operator version: its releases as columns, the newest first.
#
# A row is the operator version, an element type, which unfolds into its forms, a form, a clause, or an element type
# that the version does not list. Consecutive releases with the same answer are one cell.

_TEMPLATES = Path(__file__).parent / "templates"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """The same answer of `width` consecutive releases, or none; `kind` is its class in the style sheet."""

    text: str
    width: int
    kind: str | None = None
    counts: str | None = None
    findings: int | None = None


def matrix(data: CompatData, operator: str, engine: str, days: Mapping[str, str]) -> Markup:
    """The matrix; `days` has the day of releases."""
    releases = data.engines[engine].releases[::-1]
    groups = [(title, [*_bodies(data, operator, engine, parts)]) for title, parts in _groups(data.operators[operator])]
    return rendered(
        "compat-matrix.html.j2",
        _TEMPLATES,
        operator=operator,
        engine=engine,
        releases=releases,
        days={release: days.get(release, "") for release in releases},
        groups=[(title, bodies) for title, bodies in groups if bodies],
    )


def badge(text: str, letter: str) -> Markup:
    """A text in the colour of a letter."""
    kind = f"answer {letter_class(letter)}" if letter else "answer"
    return Markup('<span class="{}">{}</span>').format(visible(kind), visible(text))


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
    data: CompatData, operator: str, engine: str, parts: Sequence[tuple[Part, list[Part]]]
) -> Iterator[list[tuple[Part, list[MatrixCell], bool]]]:
    """The rows of each part and of those that it unfolds into; without rows that have no answer."""
    for part, inner in parts:
        rows = []
        for one in (part, *inner):
            cells = _cells_of(data, operator, engine, one)
            is_listed = one.dtype and not one.form and not one.is_refused
            if any(cells.values()) or is_listed:
                newest_first = ranges({release: cells[release] for release in reversed(cells)})
                shown = [_cell(cell, len(of), is_refused=one.is_refused) for cell, of in newest_first]
                rows.append((one, shown, bool(inner) and one is part))
        if rows and rows[0][0] is part:
            yield rows


def _cell(cell: CompatCell | None, width: int, *, is_refused: bool) -> MatrixCell:
    if cell is None:
        return MatrixCell(text="not asked" if width >= _WIDE else "", width=width)
    text = cell_text(cell, WORDS.get(cell.letter, "") if width >= _WIDE else "")
    kind = letter_class(cell.letter)
    if is_refused and cell.letter == "y":
        text, kind = "refused", f"{kind} refused"
    counts = f"{cell.deviating}/{cell.judged}/{cell.asked}"
    return MatrixCell(text=text, width=width, kind=kind, counts=counts, findings=cell.findings or None)


# What the pages of the published data have in common: the frame with its style and script, and the query.

_OF_ALL_PAGES = ("nodes", "blocks", "frame")


def page_with(tree: ReportTree, scripts: Sequence[str], after: Sequence[Markup]) -> Iterator[str]:
    """The page of a tree, with the scripts of these names, each after those that it uses."""
    texts = [asset(f"script/{name}.js") for name in _OF_ALL_PAGES]
    texts += [(_TEMPLATES / f"compat-{name}.js").read_text("utf-8") for name in scripts]
    style = (_TEMPLATES / "compat.css").read_text("utf-8")
    return page_of(tree, script="\n".join(texts), style=style, after=after)


def finder(data: CompatData, example: str, label: str) -> Drawing:
    """The query of a page, which its script makes visible, and what each letter says."""
    of = {"example": example, "label": label, "letters": data.letters, "words": WORDS, "badge": badge}
    return Drawing(rendered("compat-finder.html.j2", _TEMPLATES, **of))


def web_link(link: str) -> str:
    """The link if it leads to a page of the web; else none."""
    return link if link.startswith("https://") else ""


def json_block(name: str, data: object) -> Markup:
    """Data for the script, with its texts made visible as those of the page are."""
    return data_block(name, json.dumps(_shown(data)).encode())


def _shown(data: object) -> object:
    if isinstance(data, Mapping):
        return {visible(str(name)): _shown(one) for name, one in data.items()}
    if isinstance(data, list):
        return [_shown(one) for one in data]
    return visible(data) if isinstance(data, str) else data


# The page of an operator version: what each release of each engine answers to it, and why.

_ABOUT = (
    "The newest release stands first; 3/100: of 100 checks that were judged, 3 deviate; +1: a recorded fault that its "
    "script shows. Striped cells were not asked. "
    "Choose a cell for what it counts, the causes, and the commands that show them. The arrow keys lead from cell to "
    "cell, Enter opens one, Escape closes it, and / leads to the query."
)
Days = Mapping[str, Mapping[str, str]]
"""The day of each release, by package."""


def days_of(frameworks: CompatFrameworks) -> Days:
    """The day of each release, by package."""
    return {
        package: {release: facts.date for release, facts in found.releases.items()}
        for package, found in frameworks.engines.items()
    }


def operator_page(data: CompatData, operator: str, days: Days, index: str) -> Iterator[str]:
    """The page, piece by piece; `index` links to the index."""
    engines = engines_of(data, operator)
    tree = ReportTree(
        product="Releases",
        title=f"{operator}: what each release answers",
        headline=operator,
        opening=[
            Sentence(
                [
                    Span("All operator versions", link=index),
                    " · ",
                    Span("specification", link=web_link(data.operators[operator].spec_url)),
                ],
                kind="meta",
            )
        ],
        result=[
            Items([_summary(data, operator, engine, number) for number, engine in enumerate(engines, 1)], few=ALL),
            finder(data, "int4 runtime 1.24", "Rows and releases"),
            Sentence(_ABOUT, kind="about"),
        ],
        sections=[_section(data, operator, engine, number, days) for number, engine in enumerate(engines, 1)],
    )
    sheet = Markup('<aside id="answer" aria-labelledby="answer-title" tabindex="-1" hidden></aside>\n')
    block = json_block("answers", _answers(data, operator, engines))
    return page_with(tree, ("terms", "matrix", "answer", "operator"), [sheet, block])


def engines_of(data: CompatData, operator: str) -> list[str]:
    """The engines that have answers to an operator version, those with most releases first."""
    found = (engine for engine in data.engines if any(data.cells(operator, engine).values()))
    return sorted(found, key=lambda engine: -len(data.engines[engine].releases))


def _summary(data: CompatData, operator: str, engine: str, number: int) -> list[str | Span]:
    """The newest answer of an engine, and since when."""
    cells = data.cells(operator, engine)
    release, cell = next((release, cell) for release, cell in reversed(cells.items()) if cell is not None)
    text = cell_text(cell, meaning(cell.letter))
    answer = Span(text, page=badge(text, cell.letter))
    return [Span(f"{engine} {release}", link=f"#engine-{number}"), " ", answer, " ", Span(since(cells), SpanKind.MUTED)]


def _section(data: CompatData, operator: str, engine: str, number: int, days: Days) -> ReportSection:
    of = data.engines[engine]
    conditions = spread(of.conditions, of.releases)[of.releases[-1]]
    ran = f"{conditions.system} {conditions.instruction_set}".rstrip() if conditions else ""
    return ReportSection(
        title=engine,
        about=f"Run on {ran}." if ran else (),
        bar=engine,
        id=f"engine-{number}",
        blocks=[Drawing(matrix(data, operator, engine, days.get(of.package, {})))],
    )


def _answers(data: CompatData, operator: str, engines: Sequence[str]) -> dict[str, object]:
    """What the script shows of a cell other than its counts."""
    return {
        "operator": operator,
        "letters": dict(data.letters),
        "says": {engine: sentences(data, operator, engine) for engine in engines},
        "engines": {engine: _facts(data, operator, engine) for engine in engines},
        "findings": [one for engine in engines for one in _findings(data, operator, engine)],
        "deviations": [
            _deviation(data, one) for one in data.deviations if operator in one.operators and one.engine in engines
        ],
    }


def _facts(data: CompatData, operator: str, engine: str) -> dict[str, dict[str, object]]:
    """The target and the evidence of each release of an engine."""
    return {
        release: {
            "target": target_at(engine, release),
            "evidence": digest,
            "again": evidence_commands(engine, release, operator, data.engines[engine].profile) if digest else [],
        }
        for release, digest in data.evidence(operator, engine).items()
    }


def _findings(data: CompatData, operator: str, engine: str) -> Iterator[dict[str, object]]:
    """The recorded faults of an engine, with the rows and the releases that have them."""
    rows = findings_by_row(data, operator, engine)
    for one in data.findings_of(operator, engine):
        shown = spread(one.operators[operator], data.engines[engine].releases)
        yield {
            "engine": engine,
            "id": one.id,
            "letter": one.letter,
            "what": one.what,
            "upstream": web_link(one.upstream),
            "rows": rows[one.id],
            "releases": [release for release, is_shown in shown.items() if is_shown],
        }


def _deviation(data: CompatData, one: CompatDeviation) -> dict[str, object]:
    checks = spread(one.checks, data.engines[one.engine].releases)
    return {
        "engine": one.engine,
        "letter": _letter(one.severity),
        "severity": one.severity,
        "cause": one.cause,
        "what": one.what,
        "upstream": web_link(one.upstream),
        "operators": one.operators,
        "checks": {release: count for release, count in checks.items() if count},
        "case": one.example.case,
        "form": one.example.form,
    }


def _letter(severity: str) -> str:
    """The letter of a severity, by its name; the mildest for one that is not known."""
    found = (LETTER_OF_SEVERITY[one] for one in Severity if one.value == severity)
    return next(found, FAULTS[-1])


# The index of the pages of the published data: operator versions by engines, with the newest answer and since when.

_ABOUT_INDEX = (
    "What each release of each framework answers to each version of the tensor operators. Name an operator, an element "
    "type, a form and a release; the page of an operator version shows the rest. A strip has a bar for each release, "
    "the newest first, with the share of the checks that deviate above."
)
_STEP, _HEIGHT = 6, 14
"""Pixels of a release in a strip."""


def index_page(data: CompatData, pages: Mapping[str, str]) -> Iterator[str]:
    """The index, piece by piece; `pages` has the link to the page of each operator version."""
    releases = sum(len(engine.releases) for engine in data.engines.values())
    engines = counted(len(data.engines), "engine")
    tree = ReportTree(
        product="Releases",
        title="What each release answers",
        headline=f"{counted(len(pages), 'operator version')}, {counted(releases, 'release')} of {engines}",
        opening=[Sentence(_ABOUT_INDEX)],
        result=[finder(data, "slice int4 1.24 runtime", "Search")],
        sections=[
            _index_section(data, dialect, operators, pages)
            for dialect, operators in _operators_by_dialect(pages).items()
        ],
    )
    block = json_block("engines", {name: of.releases for name, of in data.engines.items()})
    return page_with(tree, ("terms", "index"), [block])


def _operators_by_dialect(operators: Mapping[str, str]) -> dict[str, list[str]]:
    """The operator versions of each product, by name, the newest version of each first."""
    found: dict[str, list[str]] = {}
    for operator in sorted(operators, key=_order):
        found.setdefault(operator.partition(".")[0], []).append(operator)
    return found


def _order(operator: str) -> tuple[str, int]:
    name, _, version = operator.rpartition("-")
    return (name, -int(version)) if version.isdecimal() else (operator, 0)


def _index_section(data: CompatData, dialect: str, operators: Sequence[str], pages: Mapping[str, str]) -> ReportSection:
    asked = {engine for operator in operators for engine in engines_of(data, operator)}
    engines = [engine for engine in engines_of_most(data) if engine in asked]
    table = rendered(
        "compat-index.html.j2",
        _TEMPLATES,
        dialect=dialect,
        engines={engine: data.engines[engine].releases[-1] for engine in engines},
        rows=[_index_row(data, operator, engines, pages[operator]) for operator in operators],
        height=_HEIGHT,
    )
    return ReportSection(title=dialect, id=f"of-{dialect}", bar=dialect, blocks=[Drawing(table)])


def engines_of_most(data: CompatData) -> list[str]:
    """The engines, those with most releases first."""
    return sorted(data.engines, key=lambda engine: -len(data.engines[engine].releases))


def _index_row(data: CompatData, operator: str, engines: Sequence[str], page: str) -> dict[str, object]:
    of = data.operators[operator]
    return {
        "operator": operator,
        "page": page,
        "parts": " ".join([*of.type_names(), *of.refused, *of.forms]),
        "cells": [_index_cell(data.cells(operator, engine)) for engine in engines],
    }


def _index_cell(cells: dict[str, CompatCell | None]) -> dict[str, object]:
    """What the template shows of an engine; without an answer, nothing."""
    if not any(cells.values()):
        return {"answer": None}
    newest = next(reversed(cells.values()))
    return {
        "answer": badge(_text(newest), newest.letter if newest else ""),
        "since": since(cells),
        "series": json.dumps(gathered({release: _text(cell) for release, cell in cells.items()}, list(cells))),
        "width": len(cells) * _STEP,
        "rects": [*_strip(list(reversed(cells.values())))],
    }


def _strip(cells: Sequence[CompatCell | None]) -> Iterator[dict[str, str | int | None]]:
    """A bar for each release, in this order: what deviates, in the colour of its letter, stands on what does not."""
    place = 0
    for (letter, deviating), same in groupby(map(_bar, cells)):
        width = len(list(same)) * _STEP
        if letter and deviating < _HEIGHT:
            kind = letter_class("y" if deviating else letter)
            yield {"kind": kind, "x": place, "y": deviating, "width": width, "height": _HEIGHT - deviating}
        if deviating:
            kind = f"{letter_class(letter)} deviating"
            yield {"kind": kind, "x": place, "y": None, "width": width, "height": deviating}
        place += width


def _bar(cell: CompatCell | None) -> tuple[str, int]:
    """The letter of a cell, and how many pixels deviate: at least one if any check does."""
    if cell is None:
        return "", 0
    return cell.letter, math.ceil(_HEIGHT * cell.deviating / cell.judged) if cell.judged else 0


def _text(cell: CompatCell | None) -> str:
    return "no answer" if cell is None else cell_text(cell, WORDS.get(cell.letter, ""))


INDEX = "index.html"
MAX_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def pages_of(data: CompatData, frameworks: CompatFrameworks) -> Iterator[tuple[str, str]]:
    """The name and the text of each page, the index last.

    Raises:
        ValueError: an operator version has a name that no file can have, or a page is too large.
    """
    if unfit := [operator for operator in data.operators if not _NAME.fullmatch(operator)]:
        raise ValueError(f"no file can have the name of {unfit[0]!r}")
    days = days_of(frameworks)
    names = {operator: f"{operator}.html" for operator in data.operators}
    for operator, name in names.items():
        yield name, _bounded(name, operator_page(data, operator, days, INDEX))
    yield INDEX, _bounded(INDEX, index_page(data, names))


def _bounded(name: str, pieces: Iterator[str]) -> str:
    text = "".join(pieces)
    if (size := len(text.encode())) > MAX_BYTES:
        raise ValueError(f"{name} has {size:,} bytes; a page has at most {MAX_BYTES:,}")
    return text


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="compat_pages", description="Make the pages of the published data.")
    parser.add_argument("data", type=Path, help="data.json.xz; engines.json is next to it")
    parser.add_argument("folder", type=Path, help="the folder that gets the pages")
    options = parser.parse_args(arguments)
    frameworks = load_frameworks(options.data.with_name("engines.json"))
    sizes = {}
    for name, text in pages_of(load(options.data), frameworks):
        write_text([text], options.folder / name)
        sizes[name] = len(text.encode())
    largest = max(sizes, key=lambda name: sizes[name])
    print(f"{options.folder / INDEX}: {len(sizes)} pages, the largest {largest} with {sizes[largest]:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
