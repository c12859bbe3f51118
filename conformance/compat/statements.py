"""Statements derived from the cells of releases, as those of browser-compat-data: since when, until when, with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .data import FAULTS, LETTERS, UNSUPPORTED, CompatCell, CompatData, extent, ranges

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


# What changed between two states of the data: what a new release or a corrected verdict changed.


def changes(before: CompatData, after: CompatData) -> Iterator[str]:
    """A line for each change, by engine, operator version, element type, form and cause.

    Of a release that both have, the change of its cells; of a new release, how it differs from the release before it.
    """
    yield from _engine_differences(before, after)
    for operator in _joined(before.operators, after.operators):
        if operator in before.operators and operator in after.operators:
            yield from _operator_differences(before, after, operator)
        else:
            yield f"{operator}: is {'new' if operator in after.operators else 'gone'}"
    yield from _cause_differences(before, after)


def _engine_differences(before: CompatData, after: CompatData) -> Iterator[str]:
    for engine in _joined(before.engines, after.engines):
        if engine not in before.engines or engine not in after.engines:
            yield f"{engine}: is {'new' if engine in after.engines else 'gone'}"
            continue
        old, new = before.engines[engine].releases, after.engines[engine].releases
        for word, found, others in (("gone", old, new), ("new", new, old)):
            if releases := [release for release in found if release not in others]:
                yield f"{engine}: {word} {', '.join(releases)}"


def _cause_differences(before: CompatData, after: CompatData) -> Iterator[str]:
    old, new = _causes(before), _causes(after)
    for cause in _joined(old, new):
        if cause not in old or cause not in new:
            yield f"{cause}: is {'new' if cause in new else 'gone'}"
        elif old[cause] != new[cause]:
            yield f"{cause}: other checks have it: {new[cause]}"


def _causes(data: CompatData) -> dict[str, str]:
    """The checks of each cause as text, by a name that says whose it is."""
    return {
        f"{one.engine} {one.operators[0].rpartition('-')[0]}: {one.severity}: {one.cause}": ", ".join(
            f"{release}: {count}" for release, count in one.checks.items()
        )
        for one in data.deviations
    }


def _operator_differences(before: CompatData, after: CompatData, operator: str) -> Iterator[str]:
    old, new = _parts(before, operator), _parts(after, operator)
    if before.operators[operator].suite != after.operators[operator].suite:
        yield f"{operator}: its cases changed"
    yield from (f"{name}: is gone" for name in old if name not in new)
    for engine in after.engines:
        if engine not in before.engines:
            continue
        known = before.engines[engine].releases
        for name, part in new.items():
            was = before.cells(operator, engine, **part) if name in old else {}
            for change, releases in _changes(was, after.cells(operator, engine, **part), known):
                yield f"{name}: {engine} {extent(releases[0], releases[-1])}: {change}"
        for dtype in _joined(before.operators[operator].refused, after.operators[operator].refused):
            refused = before.refusals(operator, engine, dtype), after.refusals(operator, engine, dtype)
            for change, releases in _changes(*refused, known):
                yield f"{operator} without {dtype}: {engine} {extent(releases[0], releases[-1])}: {change}"
        for is_other, releases in ranges(_other_evidence(before, after, operator, engine)):
            if is_other:
                yield f"{operator}: {engine} {extent(releases[0], releases[-1])}: other evidence for the same cells"


def _other_evidence(before: CompatData, after: CompatData, operator: str, engine: str) -> dict[str, bool]:
    """Whether the answers of each release changed, though the cell of the operator version did not."""
    old, new = before.evidence(operator, engine), after.evidence(operator, engine)
    was, becomes = before.cells(operator, engine), after.cells(operator, engine)
    return {
        release: release in old and old[release] != digest and was[release] == becomes[release]
        for release, digest in new.items()
    }


def _changes(was: CellByRelease, becomes: CellByRelease, known: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each change with the consecutive releases that have it."""
    previous = dict(pairwise([*becomes][::-1]))
    found = {}
    for release, cell in becomes.items():
        old = was.get(release) if release in known else becomes.get(previous.get(release, ""))
        found[release] = "" if old == cell else f"{_said(old)} -> {_said(cell)}"
    return ((change, releases) for change, releases in ranges(found) if change)


def _said(cell: CompatCell | None) -> str:
    return "no answer" if cell is None else str(cell)


def _parts(data: CompatData, operator: str) -> dict[str, dict[str, str]]:
    """All parts of an operator version by name, with the arguments of `CompatData.cells`."""
    entry = data.operators[operator]
    parts: dict[str, dict[str, str]] = {operator: {}}
    parts |= {f"{operator} {dtype}": {"dtype": dtype} for dtype in entry.type_names()}
    parts |= {f"{operator} {form}": {"form": form} for form in entry.forms}
    for dtype, feature in entry.types.items():
        parts |= {f"{operator} {dtype} {form}": {"dtype": dtype, "form": form} for form in feature.forms}
    return parts | {f"{operator} {clause}": {"clause": clause} for clause, one in entry.clauses.items() if one.results}


def _joined(*names: Mapping[str, object]) -> list[str]:
    return list(dict.fromkeys(name for known in names for name in known))
