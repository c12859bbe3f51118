from __future__ import annotations

from pathlib import Path

import pytest

from conformance.authoring.drafts import write_operator
from conformance.authoring.lint import check_suite, dropped_forms, untested_clauses
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.errors import UsageError

IDENTITY = "onnx.Identity-13"


def refusal_of(operator: str, root: Path) -> str:
    with pytest.raises(UsageError) as caught:
        write_operator(operator, root)
    return str(caught.value)


@pytest.mark.parametrize("operator", [IDENTITY, "openvino.Tile-1", f"openvino.{'A' * 80}-9999"])
def test_the_skeleton_is_sound_as_it_stands(operator: str, tmp_path: Path) -> None:
    write_operator(operator, tmp_path / "mine")
    suite = load_suite(tmp_path / "mine")
    tally, problems = check_suite(suite)
    assert [one.id for one in suite.operators] == [operator]
    assert [*problems, *untested_clauses(suite), *dropped_forms(suite)] == []
    assert (tally.cases, tally.compared) == (12, 0)


def test_both_files_are_in_the_folder_of_the_operator(tmp_path: Path) -> None:
    folder = tmp_path / "onnx" / "Identity"
    assert write_operator(IDENTITY, tmp_path) == (folder / "operator.yaml", folder / "copied.yaml")


def test_the_page_marks_what_to_change_and_lists_the_kinds_of_arguments(tmp_path: Path) -> None:
    page, _ = write_operator(IDENTITY, tmp_path)
    text = page.read_text()
    assert text.count("CHANGE") == 7
    assert "lengths, count, indices, places, bounds, steps, mask" in text
    assert "There is no reference yet: add a function to conformance/spec/references/" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    "operator",
    [
        "",
        "onnx.Identity",
        "Identity-13",
        "onnx.identity-13",
        "onnx.Identity-0",
        "onnx.Identity-013",
        "onnx.Identity-1e3",
        "onnx.Identity-99999",
        "onnx.Identity-13\n",
        "onnx.Identity-\u0661",
        "onnx.\xc4-1",
        "onnx.A b-1",
        "onnx.{{ 1 }}-1",
        "onnx.../../A-1",
        "onnx.A/../../B-1",
        "../onnx.A-1",
        "/tmp/onnx.A-1",
        f"onnx.{'A' * 81}-1",
    ],
)
def test_a_text_that_is_no_operator_version_is_refused(operator: str, tmp_path: Path) -> None:
    refusal = refusal_of(operator, tmp_path / "mine")
    assert ": is not an operator version\n" in refusal
    assert refusal.endswith(
        "  fix:  write dialect, name and version, as onnx.Identity-13; the dialects are onnx and openvino"
    )
    assert list(tmp_path.iterdir()) == []


def test_another_dialect_is_refused_with_those_there_are(tmp_path: Path) -> None:
    assert refusal_of("torch.Narrow-1", tmp_path) == (
        "name 'torch.Narrow-1': is not an operator version\n"
        "  fix:  write dialect, name and version, as onnx.Identity-13; the dialects are onnx and openvino"
    )


def test_an_operator_of_the_suite_is_refused_in_each_version(tmp_path: Path) -> None:
    assert refusal_of("onnx.Split-99", tmp_path / "mine") == (
        "onnx.Split-99: the suite has onnx.Split already\n"
        f"  fix:  add a version to {bundled_folder('cases') / 'onnx' / 'Split' / 'operator.yaml'}, and cases with "
        "`conformance new case`"
    )
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    page, cases = write_operator(IDENTITY, tmp_path)
    page.write_text("mine")
    cases.unlink()
    assert refusal_of("onnx.Identity-14", tmp_path) == (
        f"{page.parent}: is there already, and stays as it is\n"
        "  fix:  remove it, or name another operator or --cases-folder"
    )
    assert [path.read_text() for path in page.parent.iterdir()] == ["mine"]


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine" / "onnx").mkdir(parents=True)
    (tmp_path / "mine" / "onnx" / "Identity").symlink_to(tmp_path / "elsewhere")
    assert "Identity: is there already" in refusal_of(IDENTITY, tmp_path / "mine")
    assert not (tmp_path / "elsewhere").exists()
