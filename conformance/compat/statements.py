"""Statements derived from the cells of releases, as those of browser-compat-data: since when, until when, with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .data import CompatCell
from .letters import FAULTS, LETTERS, UNSUPPORTED
from .series import ranges

CellByRelease = Mapping[str, CompatCell | None]


@dataclass(frozen=True)
class Statement:
    """Consecutive releases that support something, from `version_added` on, and no longer from `version_removed` on.

    `version_added` is "≤1.15.0" if that is the oldest release with an answer. `partial_implementation` says that some
    of these releases deviate, or support a part; the `notes` say what, and which.
    """

    version_added: str
    version_removed: str = ""
    partial_implementation: bool = False
    notes: tuple[str, ...] = ()


def statements(cells: CellByRelease) -> list[Statement]:
    """The statements that follow from the cells of an engine's releases, the newest first.

    A release without an answer, or of which nothing was judged, belongs to those before it. No statement: no release
    supports it.
    """
    answered = {release: cell for release, cell in cells.items() if cell is not None and cell.letter != "u"}
    blocks = ranges({release: cell.letter not in UNSUPPORTED for release, cell in answered.items()})
    found = []
    for place, (is_supported, releases) in enumerate(blocks):
        if is_supported:
            removed = blocks[place + 1][1][0] if place + 1 < len(blocks) else ""
            notes = tuple(_notes({release: answered[release] for release in releases}))
            added = f"{'' if place else '≤'}{releases[0]}"
            found.append(Statement(added, removed, bool(notes), notes))
    return found[::-1]


def sentence(cells: CellByRelease) -> str:
    """All statements as one sentence, as "since 1.18.0 (w 1.24.1 to 1.25.1)", with the counts of the newest release."""
    answered = [(release, cell) for release, cell in cells.items() if cell is not None]
    if not answered:
        return "no answers"
    newest, cell = answered[-1]
    return f"{since(cells)}; {newest} {described(cell)}"


def since(cells: CellByRelease) -> str:
    """All statements, as "since 1.18.0 (w 1.24.1 to 1.25.1)"."""
    return "; ".join(f"{_extent(one)}{_in_brackets(one.notes)}" for one in statements(cells)) or "in no release"


def described(cell: CompatCell) -> str:
    """What a cell says, as "gives wrong results at worst: 3 of 100 checks deviate"."""
    share = f" at worst: {cell.deviating:,} of {cell.judged:,} checks deviate" if cell.deviating else ""
    return f"{LETTERS[cell.letter]}{share}"


def _extent(one: Statement) -> str:
    until = f", not from {one.version_removed} on" if one.version_removed else ""
    return f"since {one.version_added}{until}"


def _in_brackets(notes: Sequence[str]) -> str:
    return f" ({', '.join(notes)})" if notes else ""


def _notes(cells: Mapping[str, CompatCell]) -> Iterator[str]:
    """What deviates or is missing, as "w 1.24.1 to 1.25.1"; consecutive releases with one letter are one note."""
    for letter, releases in ranges({release: cell.letter for release, cell in cells.items()}):
        if letter in FAULTS or letter == "p":
            yield f"{letter} {releases[0]}{f' to {releases[-1]}' if len(releases) > 1 else ''}"
