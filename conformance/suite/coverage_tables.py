"""What the made calls of an operator combine: the space of parameters, the combinations it excludes, and its tables.

Tables, `*.tsv` next to the case files, have the products of a case with `made`, one line of labels for each.
`conformance cover` writes them. They are kept with the cases so that ids do not depend on how rows are computed. This
module owns the format.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from pydantic import Field

from conformance.spec.operator import Operator
from conformance.suite.literals import label_of
from conformance.suite.operator_file import VersionRange, applies_to
from conformance.suite.yaml_file import FileModel, KeyPath, SchemaError
from conformance.tensors.errors import CaseFileError, UsageError, nearest
from conformance.tensors.files import content_of, opened

Row = Mapping[str, str]
"""A value for some parameters, by name."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Combinations that make no sense: those that have one of the values in `when` for each of its names."""

    when: Mapping[str, frozenset[str]]
    because: str

    def __hash__(self) -> int:
        return hash((frozenset(self.when.items()), self.because))

    def holds_of(self, row: Row) -> bool:
        """Whether the row has one of the excluded values for each name in `when`."""
        return all(row.get(name) in values for name, values in self.when.items())


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters with their values, in the order of the file, and the exclusions."""

    parameters: Mapping[str, tuple[str, ...]]
    exclusions: tuple[Exclusion, ...] = ()

    def exclusion_of(self, row: Row) -> Exclusion | None:
        """The exclusion that rules a row out; None if a call may have these choices."""
        return next((exclusion for exclusion in self.exclusions if exclusion.holds_of(row)), None)


MAX_TABLE_BYTES = 4 << 20


def table_path(case_file: Path, case: str, version: int) -> Path:
    """The path of a case's table for an operator version and those after it, as `pairs.lengths-13.tsv`."""
    return case_file.with_name(f"{case_file.stem}.{case}-{version}.tsv")


def rows_of_table(path: Path, columns: Mapping[str, Container[str]]) -> Iterator[tuple[str, ...]]:
    """The labels of each row, one per column, read one row at a time.

    Raises:
        CaseFileError: the table cannot be read, or does not match the columns.
    """
    shown_as = "/".join(path.parts[-4:])
    fix = "run `conformance cover` on the case file"
    try:
        with TextIOWrapper(opened(path, shown_as, MAX_TABLE_BYTES), encoding="utf-8", newline="\n") as stream:
            for line, text in enumerate(stream, start=1):
                cells = text.rstrip("\n").split("\t")
                if line == 1:
                    if cells != list(columns):
                        what = f"has the columns {', '.join(cells)}, but its case has {', '.join(columns)}"
                        raise CaseFileError(f"{shown_as}:1", what, fix=fix)
                    continue
                if len(cells) != len(columns):
                    raise CaseFileError(f"{shown_as}:{line}", f"has {len(cells)} of {len(columns)} labels", fix=fix)
                for label, (name, known) in zip(cells, columns.items(), strict=True):
                    if label not in known:
                        raise CaseFileError(f"{shown_as}:{line}", f"{label!r} is not a choice of {name!r}", fix=fix)
                yield tuple(cells)
    except UsageError as error:
        raise CaseFileError(shown_as, error.what, fix=fix) from None
    except UnicodeDecodeError:
        raise CaseFileError(shown_as, "is not UTF-8", fix=fix) from None


def cells_of_table(path: Path) -> list[tuple[str, ...]]:
    """The cells of each line, column names first, without any check."""
    lines = content_of(path, path.name, MAX_TABLE_BYTES).decode(errors="replace").split("\n")
    return [tuple(line.split("\t")) for line in lines]


def text_of_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The text of a table file."""
    return "".join("\t".join(cells) + "\n" for cells in (names, *rows))


Labels = int | bool | str | list[int | bool | str]
"""One label, several, or a type constraint of the operator."""


class ExclusionEntry(FileModel):
    """Combinations that no case needs: those that have, for each name in `when`, one of its labels."""

    when: dict[str, Labels] = Field(
        min_length=1, description="by column: labels with `*` for any letters, or a type constraint"
    )
    because: str = Field(min_length=1)
    versions: VersionRange = ">=0"


def exclusions_of(
    entries: Sequence[ExclusionEntry],
    known: Mapping[str, Sequence[str]],
    operator: Operator,
    problems: list[SchemaError],
) -> tuple[Exclusion, ...]:
    """What the entries exclude for an operator version of the `known` labels; adds their problems."""
    made = []
    for index, entry in enumerate(entries):
        if not applies_to(entry.versions, operator.version):
            continue
        when = {}
        for name, labels in entry.when.items():
            keys = ("except", index, "when", name)
            if name not in known:
                fix = nearest(name, known, otherwise=f"there are {', '.join(known)}; or narrow `versions`")
                problems.append(SchemaError(keys, f"{operator.id} has no {name!r} here", fix))
            elif labels == []:
                what = "names no choice, so it excludes nothing"
                problems.append(SchemaError(keys, what, "name one, or remove the entry"))
            else:
                when[name] = frozenset(_labels_of(labels, known[name], operator, keys, problems))
        made.append(Exclusion(when, entry.because))
    return tuple(made)


def _labels_of(
    labels: Labels, known: Sequence[str], operator: Operator, keys: KeyPath, problems: list[SchemaError]
) -> tuple[str, ...]:
    """The labels that an entry names, one by one or as a type constraint; adds a problem for each unknown one."""
    if isinstance(labels, str) and labels in operator.constraints:
        return tuple(label for label in operator.constraints[labels] if label in known)
    named = tuple(
        one
        for label in (labels if isinstance(labels, list) else [labels])
        for one in fnmatch.filter(known, label_of(label)) or [label_of(label)]
    )
    for label in named:
        if label not in known:
            fix = nearest(label, known, otherwise=f"there are {', '.join(known)}")
            problems.append(SchemaError(keys, f"{label!r} is none of the choices", fix))
    return named
