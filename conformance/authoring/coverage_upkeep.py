"""Keeps tables true to their cases: finds problems, and writes tables that are out of date."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.authoring.made_rows import (
    have_most_pairs,
    made_rows,
    rows_that_are_wrong,
    rows_that_make_calls,
    wrong_rows,
)
from conformance.spec.reference import OPERATORS
from conformance.suite.case_file import ARGUMENT, CLASS, FORM, LEFT_OUT, SEED, CaseFamily, wrong_label
from conformance.suite.coverage_tables import (
    Row,
    Space,
    cells_of_table,
    rows_of_table,
    text_of_table,
)
from conformance.suite.suite import Suite
from conformance.tensors.errors import CaseFileError
from conformance.tensors.files import written


@dataclass(frozen=True, slots=True)
class Upkeep:
    """A table that was looked at, and whether it was written anew."""

    path: Path
    rows: int
    is_new: bool


def table_problems(suite: Suite) -> Iterator[CaseFileError]:
    """Problems of the tables of a suite's cases: redundant exclusions, wrong rows and missing combinations."""
    for family in _covered(suite):
        yield from exception_problems(family)
        yield from _problems(family, family.table)


def unused_tables(suite: Suite) -> Iterator[CaseFileError]:
    """The tables that belong to no case."""
    used = {family.table for family in _covered(suite)}
    for path in sorted(set(suite.root.glob("*/*/*.tsv")) - used):
        yield CaseFileError(_shown(path), "belongs to no case", fix="remove it")


def keep_tables(suite: Suite) -> Iterator[Upkeep]:
    """Write missing and outdated tables. A correct table stays unchanged; an outdated one keeps its correct rows.

    Raises:
        CaseFileError: an exclusion has no meaning, or calls are made of an operator without a reference.
    """
    for _, versions in itertools.groupby(_covered(suite), key=lambda family: (family.file, family.entry.id)):
        yield from _made_tables(list(versions)[::-1])


def exception_problems(family: CaseFamily) -> Iterator[CaseFileError]:
    """Redundant exclusions of a case."""
    space = family.space()
    for index, exclusion in enumerate(space.exclusions):
        others = Space(space.parameters, space.exclusions[:index] + space.exclusions[index + 1 :])
        rows = itertools.product(*(sorted(values) for values in exclusion.when.values()))
        excluded = others.met_by if family.has_wrong_calls else others.exclusion_of
        if all(excluded(dict(zip(exclusion.when, row, strict=True))) for row in rows):
            what = f"{exclusion.because!r} excludes nothing of {family.operator.id} that other exceptions do not"
            yield family.problem(("except",), what, "remove it, or narrow its `versions`")


def _covered(suite: Suite) -> list[CaseFamily]:
    found = [family for family in suite.families if family.entry.has_table]
    return sorted(found, key=lambda family: (family.file, family.entry.id, family.operator.version))


def _made_tables(versions: Iterable[CaseFamily]) -> Iterator[Upkeep]:
    """The tables of made calls, whose newest version comes first."""
    newer = list[Row]()
    for family in versions:
        yield _kept(family, newer)
        columns = family.columns()
        newer = [dict(zip(columns, row, strict=True)) for row in rows_of_table(family.table, columns)]


def _kept(family: CaseFamily, newer: Sequence[Row]) -> Upkeep:
    path = family.table
    space = family.space()
    columns = list(family.columns())
    kept = _right_rows(family, path, space)
    if family.operator.id not in OPERATORS:
        what = f"the reference has no operator {family.operator.id}, and says of each made call whether it is valid"
        raise family.problem(("made",), what, "add it to reference.py")
    if family.has_wrong_calls:
        kept = rows_that_are_wrong(family.operator, kept)
    else:
        kept = rows_that_make_calls(family.operator, space, kept)
    if path.is_file() and not list(_problems(family, path)) and kept == list(rows_of_table(path, family.columns())):
        return Upkeep(path, len(kept), is_new=False)
    if family.has_wrong_calls:
        rows = wrong_rows(family.operator, space, kept)
    else:
        rows = made_rows(family.operator, space, kept, [*newer, *_earlier(family, path, space)])
    written(path, text_of_table(columns, rows).encode())
    return Upkeep(path, len(rows), is_new=True)


def _right_rows(family: CaseFamily, path: Path, space: Space) -> list[tuple[str, ...]]:
    """The rows of a table that are still products of its case: their ids stay."""
    columns = family.columns()
    known = [frozenset(values) for values in columns.values()]
    return [
        row
        for row in _rows_in_columns(family, path)
        if all(label in labels for label, labels in zip(row, known, strict=True))
        if space.met_by(family.choices_of(dict(zip(columns, row, strict=True)))) is None
    ]


def _earlier(family: CaseFamily, path: Path, space: Space) -> list[Row]:
    """The rows that the table of made calls has, right or not, if they were made for pairs."""
    rows = _rows_in_columns(family, path)
    return [dict(zip(space.parameters, row, strict=True)) for row in rows] if have_most_pairs(space, rows) else []


def _rows_in_columns(family: CaseFamily, path: Path) -> list[tuple[str, ...]]:
    """The different rows of a table that has the columns of its case, right or not; none of another table."""
    if not path.is_file():
        return []
    names, *rows = cells_of_table(path)
    return [row for row in dict.fromkeys(rows) if len(row) == len(names)] if names == tuple(family.columns()) else []


def _problems(family: CaseFamily, path: Path) -> Iterator[CaseFileError]:
    """The problems of a table for one operator version."""
    space = family.space()
    shown = f"{_shown(path)}: {family.id}"
    fix = "run `conformance cover` on the case file"
    try:
        columns = family.columns()
        rows = list(rows_of_table(path, columns))
    except CaseFileError as error:
        yield error
        return
    if len(set(rows)) < len(rows):
        yield CaseFileError(shown, "has a row twice", fix=fix)
    for number, row in enumerate(rows, start=2):
        named = family.choices_of(dict(zip(columns, row, strict=True)))
        met = space.met_by(named)
        if met is not None:
            yield CaseFileError(f"{shown}: line {number}", f"is excluded, because: {met.because}", fix=fix)
    if family.has_wrong_calls:
        yield from _unshown_classes(space, columns, rows, shown)
        return
    yield from _unmade_classes(space, rows, shown)
    if not have_most_pairs(space, rows):
        yield CaseFileError(shown, "lacks most pairs of choices", fix=fix)


def _unmade_classes(space: Space, rows: Sequence[tuple[str, ...]], shown: str) -> Iterator[CaseFileError]:
    """The classes of arguments that no call has and nothing excludes. Forms need no reason: they fit a call or not."""
    for place, (name, classes) in enumerate(space.parameters.items()):
        made = {row[place] for row in rows}
        for one in classes if name not in (FORM, SEED) else ():
            if one not in made and one != LEFT_OUT and space.exclusion_of({name: one}) is None:
                fix = f"run `conformance cover`, or exclude it: `except: [{{when: {{{name}: {one}}}, because: ...}}]`"
                yield CaseFileError(shown, f"has no call with {name}={one}", fix=fix)


def _unshown_classes(
    space: Space, columns: Collection[str], rows: Sequence[tuple[str, ...]], shown: str
) -> Iterator[CaseFileError]:
    """Two rows with one id, and the ways in which an argument can be wrong that no row has and nothing excludes."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    labels = Counter(map(wrong_label, named))
    fix = "run `conformance cover` on the case file"
    yield from (CaseFileError(shown, f"has two rows {one}", fix=fix) for one, count in labels.items() if count > 1)
    found = {(row[ARGUMENT], row[CLASS]) for row in named}
    for name, classes in space.parameters.items():
        for one in classes:
            if one != LEFT_OUT and (name, one) not in found and space.met_by({name: one}) is None:
                fix = f"run `conformance cover`, or exclude it: `except: [{{when: {{{name}: {one}}}, because: ...}}]`"
                yield CaseFileError(shown, f"has no call with a wrong {name}={one}", fix=fix)


def _shown(path: Path) -> str:
    return "/".join(path.parts[-4:])
