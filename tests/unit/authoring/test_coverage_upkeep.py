from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.authoring import made_rows
from conformance.authoring.made_rows import keep_tables, table_problems, unused_tables
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.errors import CaseFileError

BUNDLED = bundled_folder("cases") / "onnx" / "Transpose"
CASES = """operator: onnx.Transpose
cases:
  - {id: made, versions: "==25", clauses: [outputs.values], made: true, cover: 2, outputs: law}
"""
NAMES, *ROWS = (BUNDLED / "made.made-25.tsv").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    folder = tmp_path / "cases" / "onnx" / "Transpose"
    folder.mkdir(parents=True)
    shutil.copy(BUNDLED / "operator.yaml", folder)
    (folder / "made.yaml").write_text(CASES)
    path = folder / "made.made-25.tsv"
    write(path, ROWS)
    return path


def write(table: Path, rows: list[str]) -> None:
    table.write_text("\n".join([NAMES, *rows, ""]))


def exclude(table: Path, *exceptions: str) -> None:
    entries = ", ".join(f"{{when: {{{when}}}, because: an example}}" for when in exceptions)
    table.with_name("made.yaml").write_text(CASES.replace("outputs: law", f"except: [{entries}], outputs: law"))


def problems_of(table: Path) -> list[str]:
    suite = load_suite(table.parents[2])
    return [problem.what for problem in (*table_problems(suite), *unused_tables(suite))]


def test_right_table_has_no_problems_and_is_kept(table: Path) -> None:
    assert problems_of(table) == []
    assert [(upkeep.path, upkeep.is_new) for upkeep in keep_tables(load_suite(table.parents[2]))] == [(table, False)]


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (ROWS[::20], "lacks most pairs of choices"),
        ([*ROWS, ROWS[0]], "has a row twice"),
        ([*ROWS, ROWS[0].replace("bool", "int7")], "'int7' is not a choice of 'dtype'"),
        ([*ROWS, "int8\t0"], f"has 2 of {len(NAMES.split())} labels"),
        ([row for row in ROWS if row.split("\t")[4] != "none"], "has no call with perm=none"),
    ],
)
def test_wrong_table_is_reported(rows: list[str], what: str, table: Path) -> None:
    write(table, rows)
    assert what in problems_of(table)


def test_rows_that_are_excluded_are_reported(table: Path) -> None:
    exclude(table, "perm: none")
    assert set(problems_of(table)) == {"is excluded, because: an example"}


def test_table_of_no_case_is_reported(table: Path) -> None:
    table.with_name("made.other-13.tsv").write_text("")
    assert problems_of(table) == ["belongs to no case"]


def test_case_without_its_table_names_the_command(table: Path) -> None:
    table.unlink()
    (family,) = load_suite(table.parents[2]).families
    with pytest.raises(CaseFileError, match="run `conformance cover` on the case file"):
        list(family.cases())


def test_exception_that_leaves_out_nothing_is_reported(table: Path) -> None:
    exclude(table, "perm: none", "perm: none, rank: 0")
    assert "'an example' excludes nothing of onnx.Transpose-25 that other exceptions do not" in problems_of(table)


@pytest.mark.parametrize("left", ["", "\n".join([NAMES, *ROWS[:100], ""]), "perm\tdtype\nnone\tint8\n"])
def test_missing_or_outdated_table_is_written_and_keeps_right_rows(
    left: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Sequence[tuple[str, ...]]] = []

    def rows(*given: Any) -> object:
        kept.append(given[2])
        return [tuple(row.split("\t")) for row in ROWS]

    monkeypatch.setattr(made_rows, "made_rows", rows)
    table.write_text(left)
    assert [(upkeep.path, upkeep.is_new) for upkeep in keep_tables(load_suite(table.parents[2]))] == [(table, True)]
    assert problems_of(table) == []
    assert list(map(len, kept)) == [100 if left.startswith(NAMES) else 0]
