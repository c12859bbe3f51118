"""The history of a framework as a tree: its releases side by side, and what each of them fixed and broke."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.compat.letters import LETTERS
from conformance.history.bisect import Evidence, HistoryEdge
from conformance.history.store import AnswerCount, HistoryCell, StoredRelease, cell_of, rows_of
from conformance.report.document import (
    ALL,
    Items,
    ReportSection,
    ReportTree,
    Sentence,
    Table,
    TableCell,
    TableRow,
    Tone,
    columns,
    row,
)
from conformance.values.text import counted

_TONES = {"y": Tone.GOOD, "i": Tone.GOOD, "p": Tone.KNOWN, "n": Tone.QUIET, "x": Tone.QUIET, "u": Tone.QUIET}
_STALE = "?"


def history_tree(
    releases: Sequence[StoredRelease],
    operators: Sequence[str],
    counts: Mapping[int, Sequence[AnswerCount]],
) -> ReportTree:
    """What the releases answered for these operator versions, in one table for each line of releases.

    `counts` are the answers of each release, by its id.
    """
    letters: set[str] = set()
    sections = [
        ReportSection(title=_title(line), blocks=list(_tables(list(of_line), operators, counts, letters)))
        for line, of_line in groupby(releases, key=lambda release: release.line)
    ]
    return ReportTree(
        product="History",
        headline=f"{counted(len(releases), 'release')} of {counted(len(operators), 'operator version')}",
        result=[Sentence(_legend(letters))],
        sections=sections,
    )


def changes_tree(releases: Sequence[StoredRelease], edges: Iterable[HistoryEdge]) -> ReportTree:
    """What each release fixed and broke, by cause, the newest first."""
    found = list(edges)
    by_release = [(pair, list(own)) for pair, own in groupby(found, key=lambda edge: (edge.before, edge.release))]
    sections = [
        ReportSection(
            title=f"{_title(release.line)} {release.version}, after {before.version}",
            blocks=[Items([f"{_change(edge)}: {edge.cause}; first {edge.example}" for edge in own], few=ALL)],
        )
        for (before, release), own in reversed(by_release)
    ]
    without = len(releases) - len({edge.release for edge in found})
    headline = f"{counted(len(found), 'change')} in {counted(len(releases), 'release')}"
    return ReportTree(
        product="History",
        headline=headline,
        result=[Sentence(f"{counted(without, 'release')} with no change, or nothing before it to compare with.")],
        sections=sections,
    )


def evidence_tree(found: Sequence[Evidence]) -> ReportTree:
    """The digests of what releases answered."""
    lines = [
        f"{one.operator} {one.release.target} {one.release.version}, {counted(one.answers, 'answer')} to cases "
        f"{one.suite[:12]}: {one.digest}"
        for one in found
    ]
    return ReportTree(product="Evidence", headline=counted(len(found), "digest"), result=[Items(lines, few=ALL)])


def _title(line: tuple[str, str, str]) -> str:
    target, system, instruction_set = line
    return f"{target} on {system} {instruction_set}".rstrip()


def _change(edge: HistoryEdge) -> str:
    kind = "not supported" if edge.severity is None else edge.severity.value
    parts = {"broke": edge.broke, "fixed": edge.fixed}
    said = [f"{name} {counted(count, 'check')}" for name, count in parts.items() if count]
    return f"{', '.join(said)} ({kind})"


def _tables(
    releases: Sequence[StoredRelease],
    operators: Sequence[str],
    counts: Mapping[int, Sequence[AnswerCount]],
    letters: set[str],
) -> Iterator[Table]:
    """One row for each operator version; of a single one, for each element type and each form."""
    answers = {release.id: counts[release.id] for release in releases}
    names = _OF_ALL if len(operators) > 1 else _OF_ONE
    for name, name_of in names.items():
        heads = columns(name, *(release.version for release in releases))
        yield Table(name=name, columns=heads, rows=_rows(answers, name_of, letters), few=ALL, kind="numbers")


_OF_ALL: Mapping[str, Callable[[AnswerCount], str]] = {"operator": lambda counted: counted.operator}
_OF_ONE: Mapping[str, Callable[[AnswerCount], str]] = {
    "element type": lambda counted: counted.dtype or "no data",
    "form": lambda counted: counted.form.value,
}


def _rows(
    answers: Mapping[int, Sequence[AnswerCount]],
    name: Callable[[AnswerCount], str],
    letters: set[str],
) -> list[TableRow]:
    """A row for each name, with a cell for each release."""
    by_release = [rows_of(own, name) for own in answers.values()]
    names = sorted({found for rows in by_release for found in rows})
    table = []
    for found in names:
        cells = [cell_of(rows[found]) if found in rows else None for rows in by_release]
        letters.update(cell.answered.letter for cell in cells if cell is not None)
        table.append(row(found, *map(_cell, cells)))
    return table


def _cell(cell: HistoryCell | None) -> TableCell:
    if cell is None:
        return TableCell("")
    found = cell.answered
    share = f" {found.deviating}/{found.judged}" if found.deviating else ""
    return TableCell(f"{found.letter}{share}{_STALE * cell.is_stale}", tone=_TONES.get(found.letter, Tone.BAD))


def _legend(letters: set[str]) -> str:
    shown = [f"{letter} {says}" for letter, says in LETTERS.items() if letter in letters]
    about = f"A share is of the checks that deviate; {_STALE} marks answers of other cases, adapters or environments."
    return f"{'; '.join(shown)}. {about}"
