"""A case that `check` refuses is refused alike by every command that would ask or count it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.cli import main

HOSTILE = Path(__file__).parents[1] / "unit" / "hostile"
CASE = "onnx/Split/a.yaml"
COMMANDS = {
    "list": ["list"],
    "coverage": ["coverage"],
    "run": ["run", "-q", "-t", "numpy"],
    "repro": ["repro", "onnx.Split-18/a", "-t", "onnxruntime"],
}
WRITTEN = """operator: onnx.Split
cases:
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {input: {dtype: float32, shape: [6]}, axis: 0, split: [2, 4]}
    forms: [constant, second-call, second-arguments, before-concat]
"""
WRONG = {
    "fewer outputs than lengths": (
        'outputs: ["0:6"]',
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the outputs are 1, but `split` has 2 lengths",
    ),
    "more outputs than lengths": (
        'outputs: ["0:2", "2:4", "4:6"]',
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the outputs are 3, but `split` has 2 lengths",
    ),
    "fewer literal outputs than lengths": (
        "outputs: [[0, 1, 2, 3, 4, 5]]",
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the outputs are 1, but `split` has 2 lengths",
    ),
    "outputs of other lengths": (
        'outputs: ["0:3", "3:6"]',
        (
            "cases/onnx/Split/a.yaml:3: cases.0: onnx.Split-18/a: the reference answers otherwise: "
            "outputs float32[2], float32[4]"
        ),
    ),
    "outputs beyond the data": (
        'outputs: ["0:2", "2:7"]',
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: a stretch ends at 7, but axis 0 of the data has 6",
    ),
    "a refusal of what is valid": (
        "rejected: split.sum",
        (
            "cases/onnx/Split/a.yaml:3: cases.0: onnx.Split-18/a: the reference answers otherwise: "
            "outputs float32[2], float32[4]"
        ),
    ),
    "a clause that is not there": (
        "rejected: split.summ",
        "cases/onnx/Split/a.yaml:8: cases.0.rejected: onnx.Split-18 has no clause 'split.summ'",
    ),
    "another number of declared outputs": (
        'outputs: ["0:2", "2:6"]\n    declared_outputs: 3',
        (
            "cases/onnx/Split/a.yaml:3: cases.0: onnx.Split-18/a: the reference answers otherwise: "
            "split.count: 2 lengths are given, but the node declares 3 outputs"
        ),
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases" / CASE).parent.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", tmp_path / "cases" / "onnx" / "Split")
    return tmp_path


def told(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says where it ends with the exit code of a usage error."""
    assert main([*command, "--cases-folder", "cases"]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("command", [["check"], *COMMANDS.values()], ids=["check", *COMMANDS])
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_case_is_refused_with_file_and_line(
    wrong: str, command: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expectation, first_line = WRONG[wrong]
    (here / "cases" / CASE).write_text(f"{WRITTEN}    {expectation}\n")
    assert told(command, capsys).splitlines()[0] == first_line


@pytest.mark.parametrize("path", sorted((HOSTILE / "cases").glob("*.yaml")), ids=lambda path: path.stem)
def test_hostile_file_is_refused_alike_by_all_commands(
    path: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(path, here / "cases" / CASE)
    expected = told(["check", f"cases/{CASE}"], capsys)
    assert {name: told(COMMANDS[name], capsys) for name in ("list", "coverage", "run")} == dict.fromkeys(
        ("list", "coverage", "run"), expected
    )


def test_one_length_that_is_no_list_is_counted_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scalar = WRITTEN.replace("split: [2, 4]", "split: {dtype: int64, values: 6}")
    (here / "cases" / CASE).write_text(f'{scalar}    outputs: ["0:2", "2:6"]\n')
    expected = "cases/onnx/Split/a.yaml:8: cases.0.outputs: the outputs are 2, but `split` has 1 lengths"
    assert told(["list"], capsys).startswith(expected)


def test_bundled_case_that_an_editor_broke_ends_no_command_with_a_traceback(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracles are not asked about bundled cases; what no oracle is needed for is."""
    (here / "cases" / CASE).write_text(f'{WRITTEN}    outputs: ["0:6"]\n')
    monkeypatch.setattr("conformance.suite.bundled_folder", lambda name: here / name)
    for command in COMMANDS.values():
        assert main(command) == 2
        assert capsys.readouterr().err.startswith(WRONG["fewer outputs than lengths"][1])
