"""What changed between two states of the data: what a new release or a corrected verdict changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from .data import CompatCell, CompatData
from .series import extent, ranges
from .statements import CellByRelease


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
