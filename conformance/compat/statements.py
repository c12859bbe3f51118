"""Statements derived from the cells of releases, as those of browser-compat-data: since when, until when, with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .data import CompatCell, CompatData
from .letters import FAULTS, LETTERS, UNSUPPORTED
from .series import ranges

NOT_ASKED = "whether it is refused was not asked"
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
        return "not asked"
    newest, cell = answered[-1]
    return f"{since(cells)}; {newest} {described(cell)}"


def since(cells: CellByRelease) -> str:
    """All statements, as "since 1.18.0 (w 1.24.1 to 1.25.1)"."""
    return "; ".join(f"{_extent(one)}{_bracketed(one.notes)}" for one in statements(cells)) or "in no release"


def described(cell: CompatCell) -> str:
    """What a cell says, as "gives wrong results at worst: 3 of 100 checks deviate, 20 more were not judged"."""
    worst = " at worst" if cell.deviating or cell.findings else ""
    return f"{LETTERS[cell.letter]}{worst}: {', '.join(_counts(cell))}"


def absence(data: CompatData, operator: str, dtype: str) -> str:
    """Which versions of an operator list an element type that this one does not; empty if it does.

    Raises:
        CompatError: the operator version is not known.
    """
    versions = data.versions_with(operator, dtype)
    if operator in versions:
        return ""
    others = ", ".join(name.rpartition("-")[2] for name in versions)
    return f"not in this version, but in {others}" if others else "neither in this version nor in another"


def refusal(cells: CellByRelease) -> str:
    """Whether calls with a type that is not listed are refused, as "1.32.0 refuses 1 of 1 check with it"."""
    answered = [(release, cell) for release, cell in cells.items() if cell is not None]
    if not answered:
        return NOT_ASKED
    newest, cell = answered[-1]
    if not cell.judged:
        return f"whether {newest} refuses it could not be judged"
    return f"{newest} refuses {cell.judged - cell.deviating} of {_checks(cell.judged)} with it"


def _counts(cell: CompatCell) -> Iterator[str]:
    more = cell.asked - cell.judged
    if cell.judged:
        is_worse = cell.deviating or cell.findings
        deviate = "deviates" if cell.judged == 1 else "deviate"
        yield f"{cell.deviating:,} of {_checks(cell.judged)} {deviate}" if is_worse else _checks(cell.judged)
        if more:
            yield f"{more:,} more {'was' if more == 1 else 'were'} not judged"
    else:
        yield f"none of {_checks(more)} was judged" if more else "no check asks for it"
    if cell.findings:
        many = "fault shown by a script" if cell.findings == 1 else "faults shown by scripts"
        yield f"{cell.findings} recorded {many}"


def _checks(number: int) -> str:
    return f"{number:,} check{'' if number == 1 else 's'}"


def _extent(one: Statement) -> str:
    until = f", not from {one.version_removed} on" if one.version_removed else ""
    return f"since {one.version_added}{until}"


def _bracketed(notes: Sequence[str]) -> str:
    return f" ({', '.join(notes)})" if notes else ""


def _notes(cells: Mapping[str, CompatCell]) -> Iterator[str]:
    """What deviates or is missing, as "w 1.24.1 to 1.25.1"; consecutive releases with one letter are one note."""
    for letter, releases in ranges({release: cell.letter for release, cell in cells.items()}):
        if letter in FAULTS or letter == "p":
            yield f"{letter} {releases[0]}{f' to {releases[-1]}' if len(releases) > 1 else ''}"
