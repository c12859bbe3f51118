from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.authoring.coverage_upkeep import keep_tables, table_problems, unused_tables
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.errors import CaseFileError

CASES = """operator: onnx.Split
cases:
  - id: pair
    versions: ">=13"
    clauses: [split.lengths]
    arguments: {input: {dtype: $dtype, shape: [6]}, axis: $axis, split: $cut.lengths}
    matrix:
      dtype: [float32, int8]
      axis: [0, -1]
      cut:
        halves: {lengths: [3, 3], outputs: ["0:3", "3:6"]}
        rest: {lengths: [2, 4], outputs: ["0:2", "2:6"]}
    cover: 2
    except: [{when: {dtype: int8, axis: -1}, because: "an example"}]
    outputs: $cut.outputs
"""
ROWS = ["float32\t0\thalves", "float32\t-1\trest", "float32\t-1\thalves", "int8\t0\thalves", "int8\t0\trest"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    folder = tmp_path / "cases" / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", folder)
    (folder / "pairs.yaml").write_text(CASES)
    path = folder / "pairs.pair-13.tsv"
    write(path, ROWS)
    return path


def write(table: Path, rows: list[str]) -> None:
    table.write_text("\n".join(["dtype\taxis\tcut", *rows, ""]))


def problems_of(table: Path) -> list[str]:
    suite = load_suite(table.parents[2])
    return [problem.what for problem in (*table_problems(suite), *unused_tables(suite))]


def test_each_row_is_a_product_of_every_version_that_the_table_holds_for(table: Path) -> None:
    thirteen, eighteen = load_suite(table.parents[2]).families
    assert [case.id for case in thirteen.cases()][1] == "onnx.Split-13/pair[dtype=float32,axis=-1,cut=rest]"
    assert len(list(eighteen.cases())) == len(ROWS)


def test_right_table_has_no_problems_and_is_kept(table: Path) -> None:
    assert problems_of(table) == []
    assert [(upkeep.path, upkeep.is_new) for upkeep in keep_tables(load_suite(table.parents[2]))] == [(table, False)]


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (ROWS[1:], "lacks 1 combination, such as dtype=float32, axis=0"),
        ([*ROWS, ROWS[0]], "has a row twice"),
        ([*ROWS, "int8\t-1\trest"], "is excluded, because: an example"),
        ([*ROWS, "int4\t0\trest"], "'int4' is not a choice of 'dtype'"),
        ([*ROWS, "int8\t0"], "has 2 of 3 labels"),
    ],
)
def test_wrong_table_is_reported(rows: list[str], what: str, table: Path) -> None:
    write(table, rows)
    assert what in problems_of(table)


def test_table_of_no_case_is_reported(table: Path) -> None:
    table.with_name("pairs.other-13.tsv").write_text("")
    assert problems_of(table) == ["belongs to no case"]


def test_case_without_its_table_names_the_command(table: Path) -> None:
    table.unlink()
    family = load_suite(table.parents[2]).families[0]
    with pytest.raises(CaseFileError, match="run `conformance cover` on the case file"):
        list(family.cases())


def test_exception_that_leaves_out_nothing_is_reported(table: Path) -> None:
    cases = table.with_name("pairs.yaml")
    more = ", {when: {dtype: int8, axis: -1, cut: rest}, because: more}]"
    cases.write_text(CASES.replace("]\n    outputs", f"{more}\n    outputs"))
    assert "'more' excludes nothing of onnx.Split-13 that other exceptions do not" in problems_of(table)


def test_missing_table_is_written(table: Path) -> None:
    pytest.importorskip("covertable")
    table.unlink()
    assert [upkeep.path for upkeep in keep_tables(load_suite(table.parents[2]))] == [table]
    assert problems_of(table) == []


def test_rows_that_are_right_stay_when_a_table_is_written_anew(table: Path) -> None:
    pytest.importorskip("covertable")
    write(table, ["int8\t-1\trest", "int4\t0\trest", *ROWS[:2]])
    assert [upkeep.is_new for upkeep in keep_tables(load_suite(table.parents[2]))] == [True]
    assert problems_of(table) == []
    assert set(ROWS[:2]) <= set(table.read_text().splitlines())


def test_table_of_other_columns_keeps_no_row(table: Path) -> None:
    pytest.importorskip("covertable")
    table.write_text("cut\tdtype\naxis\tint8\n")
    assert [upkeep.rows for upkeep in keep_tables(load_suite(table.parents[2]))] == [len(ROWS)]
    assert problems_of(table) == []


def test_made_table_without_most_pairs_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "onnx" / "Transpose"
    shutil.copytree(bundled_folder("cases") / "onnx" / "Transpose", folder)
    table = folder / "made.made-25.tsv"
    names, *rows = table.read_text().splitlines(keepends=True)
    assert "lacks most pairs of choices" not in problems_of(table)
    table.write_text("".join([names, *rows[::20]]))
    assert "lacks most pairs of choices" in problems_of(table)
