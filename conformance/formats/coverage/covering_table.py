"""Covering tables, `*.tsv` next to the case files: the products of a case with `cover`, one line of labels for each.

`conformance cover` writes them. They are kept with the cases so that ids do not depend on the library that computes the
rows. This module owns the format.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path

from conformance.values.errors import CaseFileError, UsageError
from conformance.values.regular_file import content_of, opened

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
