"""The index of the pages of the published data: operator versions by engines, with the newest answer and since when."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from compat_page_frame import finder, json_block, legend, page_with
from compat_page_matrix import WORDS, badge, cell_text, letter_class
from compat_page_operator import engines_of

from conformance.compat.data import CompatCell, CompatData
from conformance.compat.series import gathered
from conformance.compat.statements import since
from conformance.report.document import Drawing, HtmlNode, ReportSection, ReportTree, Sentence, node
from conformance.values.text import counted, one_line

_ABOUT = (
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
        headline=f"{counted(len(pages), 'operator version')}, {counted(releases, 'release')} of {engines}",
        opening=[Sentence(_ABOUT)],
        result=[Drawing(finder("slice int4 1.24 runtime", "Search")), Drawing(legend(data))],
        sections=[
            _section(data, dialect, operators, pages) for dialect, operators in _operators_by_dialect(pages).items()
        ],
    )
    block = json_block("engines", {name: of.releases for name, of in data.engines.items()})
    return page_with(tree, ("terms", "index"), title="What each release answers", after=[block])


def _operators_by_dialect(operators: Mapping[str, str]) -> dict[str, list[str]]:
    """The operator versions of each product, by name, the newest version of each first."""
    found: dict[str, list[str]] = {}
    for operator in sorted(operators, key=_order):
        found.setdefault(operator.partition(".")[0], []).append(operator)
    return found


def _order(operator: str) -> tuple[str, int]:
    name, _, version = operator.rpartition("-")
    return (name, -int(version)) if version.isdecimal() else (operator, 0)


def _section(data: CompatData, dialect: str, operators: Sequence[str], pages: Mapping[str, str]) -> ReportSection:
    asked = {engine for operator in operators for engine in engines_of(data, operator)}
    engines = [engine for engine in engines_of_most(data) if engine in asked]
    heads = [node("th", "operator version", scope="col"), *(_head(data, engine) for engine in engines)]
    rows = (_row(data, operator, engines, pages[operator]) for operator in operators)
    table = node(
        "table", node("thead", node("tr", *heads)), node("tbody", *rows), kind="versions", aria_label=one_line(dialect)
    )
    scroll = node("div", table, kind="scroll", role="group", aria_label=one_line(dialect), tabindex="0")
    return ReportSection(title=dialect, id=f"of-{dialect}", bar=dialect, blocks=[Drawing(scroll)])


def engines_of_most(data: CompatData) -> list[str]:
    """The engines, those with most releases first."""
    return sorted(data.engines, key=lambda engine: -len(data.engines[engine].releases))


def _head(data: CompatData, engine: str) -> HtmlNode:
    newest = data.engines[engine].releases[-1]
    release = node("span", one_line(newest), kind="release")
    return node("th", one_line(engine), " ", release, scope="col", data_engine=engine)


def _row(data: CompatData, operator: str, engines: Sequence[str], page: str) -> HtmlNode:
    of = data.operators[operator]
    name = node("th", node("a", one_line(operator.partition(".")[2] or operator), href=page), scope="row")
    cells = (_cell(data, operator, engine) for engine in engines)
    return node(
        "tr", name, *cells, data_operator=operator, data_parts=" ".join([*of.type_names(), *of.refused, *of.forms])
    )


def _cell(data: CompatData, operator: str, engine: str) -> HtmlNode:
    cells = data.cells(operator, engine)
    if not any(cells.values()):
        return node("td", data_series="{}")
    newest = next(reversed(cells.values()))
    return node(
        "td",
        badge(_text(newest), newest.letter if newest else ""),
        " ",
        node("small", since(cells)),
        _strip(list(reversed(cells.values()))),
        data_series=json.dumps(gathered({release: _text(cell) for release, cell in cells.items()}, list(cells))),
    )


def _strip(cells: Sequence[CompatCell | None]) -> HtmlNode:
    """A bar for each release, in this order: what deviates, in the colour of its letter, stands on what does not."""
    rects = []
    place = 0
    for (letter, deviating), same in groupby(map(_bar, cells)):
        width = len(list(same)) * _STEP
        if letter and deviating < _HEIGHT:
            rest = "y" if deviating else letter
            rects.append(
                node("rect", x=place, y=deviating, width=width, height=_HEIGHT - deviating, kind=letter_class(rest))
            )
        if deviating:
            rects.append(node("rect", x=place, width=width, height=deviating, kind=f"{letter_class(letter)} deviating"))
        place += width
    return node("svg", *rects, kind="strip", width=place, height=_HEIGHT, aria_hidden="true")


def _bar(cell: CompatCell | None) -> tuple[str, int]:
    """The letter of a cell, and how many pixels deviate: at least one if any check does."""
    if cell is None:
        return "", 0
    return cell.letter, math.ceil(_HEIGHT * cell.deviating / cell.judged) if cell.judged else 0


def _text(cell: CompatCell | None) -> str:
    return "no answer" if cell is None else cell_text(cell, WORDS.get(cell.letter, ""))
