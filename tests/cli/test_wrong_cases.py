"""A case that `check` refuses is refused alike by every command that would ask or count it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import HOSTILE
from release import write_release

from conformance.certificate.rules import Installation
from conformance.cli.main import main
from conformance.suite.adapter_file import edited_families
from conformance.suite.suite import bundled_folder, load_suite

CASE = "onnx/Split/a.yaml"
COMMANDS = {
    "list": ["list"],
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
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the case has 1 output, but `split` has 2 lengths",
    ),
    "more outputs than lengths": (
        'outputs: ["0:2", "2:4", "4:6"]',
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the case has 3 outputs, but `split` has 2 lengths",
    ),
    "fewer literal outputs than lengths": (
        "outputs: [[0, 1, 2, 3, 4, 5]]",
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: the case has 1 output, but `split` has 2 lengths",
    ),
    "outputs of other lengths": (
        'outputs: ["0:3", "3:6"]',
        (
            "cases/onnx/Split/a.yaml:8: cases.0.outputs: output 0 is written with the shape [3], "
            "but the reference computes [2]"
        ),
    ),
    "outputs beyond the data": (
        'outputs: ["0:2", "2:7"]',
        "cases/onnx/Split/a.yaml:8: cases.0.outputs: a part ends at 7, but axis 0 of the data has length 6",
    ),
    "a refusal of what is valid": (
        "rejected: split.sum",
        (
            "cases/onnx/Split/a.yaml:8: cases.0.rejected: the call breaks no clause: "
            "the reference computes 2 outputs: float32[2], float32[4]"
        ),
    ),
    "a clause that is not there": (
        "rejected: split.summ",
        "cases/onnx/Split/a.yaml:8: cases.0.rejected: onnx.Split-18 has no clause 'split.summ'",
    ),
    "another number of declared outputs": (
        'outputs: ["0:2", "2:6"]\n    declared_outputs: 3',
        (
            "cases/onnx/Split/a.yaml:8: cases.0.outputs: the reference rejects the call by "
            "split.count: 2 lengths are given, but the node declares 3 outputs"
        ),
    ),
}

MENDED = """deviations:
  - id: outputs-reversed
    kind: plainly wrong
    operators: [onnx.Split-18]
    when: "True"
    where: {versions: ">=1"}
    verdict: wrong result
    values: [outputs reversed]
    what: The outputs come in another order.
    why: It was so once.
    since: "2026-11-21"
    review: "2027-02-01"
    reproducer: reversed.py
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases" / CASE).parent.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", tmp_path / "cases" / "onnx" / "Split")
    return tmp_path


def printed(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
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
    assert printed(command, capsys).splitlines()[0] == first_line


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((HOSTILE / "cases").glob("*.yaml")), ids=lambda path: path.stem)
def test_hostile_file_is_refused_alike_by_all_commands(
    path: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(path, here / "cases" / CASE)
    expected = printed(["check", f"cases/{CASE}"], capsys)
    assert {name: printed(COMMANDS[name], capsys) for name in ("list", "run")} == dict.fromkeys(
        ("list", "run"), expected
    )


def test_one_length_that_is_no_list_is_counted_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scalar = WRITTEN.replace("split: [2, 4]", "split: {dtype: int64, values: 6}")
    (here / "cases" / CASE).write_text(f'{scalar}    outputs: ["0:2", "2:6"]\n')
    expected = "cases/onnx/Split/a.yaml:8: cases.0.outputs: the case has 2 outputs, but `split` has 1 length"
    assert printed(["list"], capsys).startswith(expected)


@pytest.fixture
def bundled(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release with one case, as if it came with the project."""
    for module in ("suite", "adapter_file"):
        monkeypatch.setattr(
            f"conformance.suite.{module}.bundled_folder",
            lambda name: bundled_folder(name) if name == "adapters" else here / name,
        )
    (here / "profiles").mkdir()
    (here / "cases" / CASE).write_text(f'{WRITTEN}    outputs: ["0:2", "2:6"]\n')
    write_release(Installation(cases=here / "cases", profiles=here / "profiles"))
    return here


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("wrong", WRONG)
def test_bundled_case_that_an_editor_broke_is_refused_alike(
    wrong: str, command: list[str], bundled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expectation, first_line = WRONG[wrong]
    (bundled / "cases" / CASE).write_text(f"{WRITTEN}    {expectation}\n")
    assert main(command) == 2
    assert capsys.readouterr().err.startswith(first_line)


@pytest.mark.slow
def test_bundled_cases_as_they_were_released_are_checked_by_no_command(
    bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.authoring.lint.evaluate", None)
    assert main(COMMANDS["list"]) == 0
    assert edited_families(load_suite(bundled / "cases"), load_suite(bundled / "cases").families) == ()


@pytest.mark.parametrize(
    ("path", "doubted"),
    [("a.yaml", ["onnx.Split-18/a"]), ("operator.yaml", ["onnx.Split-18/a", "onnx.Split-18/b"])],
)
def test_of_an_edited_suite_the_cases_of_edited_files_are_checked(path: str, doubted: list[str], bundled: Path) -> None:
    (bundled / "cases" / CASE).with_name("b.yaml").write_text(
        (bundled / "cases" / CASE).read_text().replace("a\n", "b\n")
    )
    write_release(Installation(cases=bundled / "cases", profiles=bundled / "profiles"))
    edited = (bundled / "cases" / CASE).with_name(path)
    edited.write_text(f"{edited.read_text()}# edited\n")
    suite = load_suite(bundled / "cases")
    assert [family.id for family in edited_families(suite, suite.families)] == doubted


def test_a_fixed_deviation_fails_a_strict_run_of_the_released_cases_alone(
    bundled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_adapter_with_a_mended_deviation(bundled / "mended")
    command = ["run", "-t", "./mended", "--strict-records"]
    assert main(command) == 1
    (bundled / "cases" / CASE).write_text(f'{WRITTEN}    outputs: ["0:2", "2:6"]  # edited\n')
    capsys.readouterr()
    assert main(command) == 0
    said = capsys.readouterr()
    assert "fixed" in said.out
    assert "--strict-records: has no effect" in said.err


def write_adapter_with_a_mended_deviation(folder: Path) -> None:
    shutil.copytree(bundled_folder("adapters") / "numpy", folder)
    (folder / "deviations.yaml").write_text(MENDED)
    (folder / "reversed.py").touch()
