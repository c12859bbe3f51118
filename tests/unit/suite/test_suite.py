from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.suite.adapter_file import released_suite
from conformance.suite.suite import bundled_folder, digests_of, load_suite, read_suite
from conformance.tensors.errors import CaseFileError

CASES = """operator: onnx.Split
cases:
  - id: whole
    clauses: [split.lengths]
    arguments: {input: {dtype: float32, shape: [6]}, split: [6]}
    outputs: ["0:6"]
"""

TURNED = """operator: onnx.Transpose
cases:
  - id: turned
    clauses: [outputs.values]
    arguments: {data: {dtype: float32, shape: [2, 3]}, perm: [1, 0]}
    outputs: [{permuted: [1, 0]}]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "cases" / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", folder)
    (folder / "whole.yaml").write_text(CASES)
    return tmp_path / "cases"


def problems_of(root: Path) -> list[str]:
    with pytest.raises(ExceptionGroup) as caught:
        load_suite(root)
    assert all(isinstance(problem, CaseFileError) for problem in caught.value.exceptions)
    return [str(problem) for problem in caught.value.exceptions]


def test_suite_holds_each_case_for_each_version(root: Path) -> None:
    suite = load_suite(root)
    assert [operator.id for operator in suite.operators] == ["onnx.Split-11", "onnx.Split-13", "onnx.Split-18"]
    assert [family.id for family in suite.families] == [
        "onnx.Split-11/whole",
        "onnx.Split-13/whole",
        "onnx.Split-18/whole",
    ]


def test_place_of_a_case_starts_at_the_folder_of_the_suite(root: Path) -> None:
    assert load_suite(root).families[0].where == "cases/onnx/Split/whole.yaml:3"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "mine" / "onnx" / "Split"
    folder.mkdir(parents=True)
    (folder / "heads.yaml").write_text(CASES.replace("whole", "heads"))
    return tmp_path / "mine"


def test_own_cases_are_added_to_others(root: Path, own: Path) -> None:
    suite, joined = load_suite(root), load_suite(root).joined_with(load_suite(own))
    ids = [family.id for family in joined.families]
    assert {"onnx.Split-13/whole", "onnx.Split-13/heads"} <= set(ids)
    assert joined.operators == suite.operators
    assert (joined.root, joined.digests.keys()) == (suite.root, suite.digests.keys())
    assert joined.folders() == (str(root.resolve()), str(own.resolve()))
    assert joined.digest != suite.digest
    assert joined.digests != suite.digests


def test_own_cases_of_an_operator_that_others_lack_bring_it_along(root: Path, own: Path) -> None:
    folder = own / "onnx" / "Transpose"
    folder.mkdir()
    (folder / "turned.yaml").write_text(TURNED)
    joined = load_suite(root).joined_with(load_suite(own))
    assert "onnx.Transpose-13" in [operator.id for operator in joined.operators]


def test_an_own_id_that_exists_is_refused(root: Path, own: Path) -> None:
    (own / "onnx" / "Split" / "again.yaml").write_text(CASES)
    with pytest.raises(ExceptionGroup) as caught:
        load_suite(root).joined_with(load_suite(own))
    shown = str(caught.value.exceptions[0])
    assert shown.startswith(
        "mine/onnx/Split/again.yaml:3: cases.0.id: onnx.Split-11/whole exists already at cases/onnx"
    )


def test_an_own_description_of_a_known_operator_is_refused(root: Path, own: Path) -> None:
    shutil.copy(root / "onnx" / "Split" / "operator.yaml", own / "onnx" / "Split")
    with pytest.raises(ExceptionGroup) as caught:
        load_suite(root).joined_with(load_suite(own))
    shown = str(caught.value.exceptions[0])
    assert shown.startswith("mine/onnx/Split/operator.yaml: onnx.Split has one among the cases that these are added to")


def test_digest_follows_names_and_bytes_and_not_the_place(root: Path, tmp_path: Path) -> None:
    digest = digests_of(root)[0]
    assert digest == load_suite(root).digest
    shutil.copytree(root, tmp_path / "moved")
    assert digests_of(tmp_path / "moved")[0] == digest
    (root / "onnx" / "Split" / "notes.txt").write_text("not a case")
    assert digests_of(root)[0] == digest
    (root / "onnx" / "Split" / "whole.yaml").rename(root / "onnx" / "Split" / "all.yaml")
    assert digests_of(root)[0] != digest
    (root / "onnx" / "Split" / "all.yaml").rename(root / "onnx" / "Split" / "whole.yaml")
    (root / "onnx" / "Split" / "whole.yaml").write_text(CASES + "\n")
    assert digests_of(root)[0] != digest


def test_digest_does_not_confuse_bytes_with_names(root: Path) -> None:
    """Two files cannot be moved into one another without a change."""
    folder = root / "onnx" / "Split"
    (folder / "a.yaml").write_text("x")
    (folder / "b.yaml").write_text("")
    digest = digests_of(root)[0]
    (folder / "a.yaml").write_text("")
    (folder / "b.yaml").write_text("x")
    assert digests_of(root)[0] != digest


def test_folder_without_cases_is_reported(tmp_path: Path) -> None:
    assert problems_of(tmp_path) == [
        f"{tmp_path}: holds no case file <dialect>/<Operator>/<name>.yaml\n  fix:  name a folder laid out as cases/"
    ]


def test_folder_without_an_operator_is_reported(root: Path) -> None:
    (root / "onnx" / "Split").rename(root / "onnx" / "Nothing")
    (root / "onnx" / "Nothing" / "operator.yaml").unlink()
    assert problems_of(root) == ["cases/onnx/Nothing/operator.yaml: cannot be read: No such file or directory"]


def test_a_folder_without_an_operator_takes_the_bundled_one(tmp_path: Path) -> None:
    """Own cases need no copy; their digest changes with the file that holds."""
    folder = tmp_path / "onnx" / "Split"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(CASES)
    suite = load_suite(tmp_path)
    assert {operator.id for operator in suite.operators} >= {"onnx.Split-13", "onnx.Split-18"}
    assert all(map(suite.borrows, suite.operators))
    shutil.copy(bundled_folder("cases") / "onnx" / "Split" / "operator.yaml", folder)
    assert digests_of(tmp_path)[0] == suite.digest
    with (folder / "operator.yaml").open("a") as stream:
        stream.write("\n")
    assert digests_of(tmp_path)[0] != suite.digest


def test_operator_in_the_folder_of_another_is_reported(root: Path) -> None:
    (root / "onnx" / "Split").rename(root / "onnx" / "Concat")
    assert problems_of(root) == [
        (
            "cases/onnx/Concat/operator.yaml:1: operator: the file is in the folder of onnx.Concat, but its "
            "`operator` is 'onnx.Split'\n  fix:  write `operator: onnx.Concat`"
        )
    ]


def test_id_that_two_files_use_is_reported_once_for_each_version(root: Path) -> None:
    (root / "onnx" / "Split" / "z.yaml").write_text(CASES.replace("- id: whole", '- id: whole\n    versions: "==13"'))
    assert problems_of(root) == [
        (
            "cases/onnx/Split/z.yaml:3: cases.0.id: "
            "onnx.Split-13/whole exists already at cases/onnx/Split/whole.yaml:3\n"
            "  fix:  give it a new id"
        )
    ]


def test_problems_of_all_files_are_reported_at_once(root: Path) -> None:
    folder = root / "onnx" / "Split"
    (folder / "a.yaml").write_text("cases: yes")
    (folder / "b.yaml").write_text("a: 1\na: 2")
    (root / "onnx" / "Other").mkdir()
    (root / "onnx" / "Other" / "operator.yaml").write_text("[]")
    assert [problem.partition(": ")[0] for problem in problems_of(root)] == [
        "cases/onnx/Other/operator.yaml:1",
        "cases/onnx/Split/a.yaml:1",
        "cases/onnx/Split/b.yaml:2",
    ]


def test_readable_files_are_kept_beside_unreadable_ones(root: Path) -> None:
    (root / "onnx" / "Split" / "b.yaml").write_text("5")
    suite, problems = read_suite(root)
    assert len(suite.families) == 3
    assert [problem.where for problem in problems] == ["cases/onnx/Split/b.yaml:1"]


@pytest.mark.parametrize("name", ["cases", "adapters"])
def test_bundled_folders_are_found(name: str) -> None:
    assert any(bundled_folder(name).iterdir())


def test_folder_that_is_not_bundled_is_reported() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        bundled_folder("nonsense")
    assert str(caught.value) == "this installation has no folder 'nonsense'; install opconform again"


def test_released_cases_of_other_operators_than_the_named_are_not_read() -> None:
    suite, whole = released_suite({"onnx.Split"}), load_suite(bundled_folder("cases"))
    assert {family.operator.family for family in suite.families} == {"onnx.Split"}
    assert (suite.digest, suite.operators) == (whole.digest, whole.operators)
    assert [family.id for family in suite.families] == [
        family.id for family in whole.families if family.operator.family == "onnx.Split"
    ]


@pytest.mark.parametrize("names", [set(), {"onnx.Splat"}, {"onnx.Split", "*"}])
def test_all_released_cases_are_read_where_no_operator_or_an_unknown_one_is_named(names: set[str]) -> None:
    assert len({family.operator.family for family in released_suite(names).families}) > 1
