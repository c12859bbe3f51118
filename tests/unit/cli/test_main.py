from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance import __version__
from conformance.cli.commands import command_parser
from conformance.cli.main import main, run_of
from conformance.suite.suite import bundled_folder

COMMANDS = ["check", "list", "run", "report", "schema"]


def ended_with(arguments: list[str]) -> int:
    """The exit code, whether the command returns it or argparse ends the program."""
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "mine" / "onnx" / "Split"
    folder.mkdir(parents=True)
    shutil.copy(HOSTILE / "operator.yaml", folder)
    (folder / "a.yaml").write_text("""operator: onnx.Split
cases:
  - id: lengths
    clauses: [split.lengths, axis.range]
    arguments: {input: {dtype: $dtype, shape: [6]}, split: [2, 4]}
    matrix: {dtype: [float32, int8]}
    outputs: ["0:2", "2:6"]
  - id: sum
    versions: ">=13"
    clauses: [split.sum]
    arguments: {input: {dtype: float32, shape: [6]}, split: [2, 2]}
    rejected: split.sum
  - id: uneven
    versions: ">=18"
    clauses: [num_outputs.uneven]
    arguments: {input: {dtype: float32, shape: [5]}, num_outputs: 2}
    outputs: ["0:3", "3:5"]
""")
    return tmp_path / "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["chek"],
            (
                "conformance: argument COMMAND: invalid choice: 'chek' "
                "(choose from 'check', 'cover', 'new', 'cases', 'list', 'run', 'fuzz', 'report', "
                "'compare', 'history', 'bisect', 'support', 'merge', 'certify', 'verify', 'repro', "
                "'adapter', 'env', 'lab', 'schema')\n"
                "  fix:  did you mean 'check'?\n  see `conformance --help`\n"
            ),
        ),
        (
            ["check", "--cases-foldr", "x"],
            (
                "conformance check: unrecognized arguments: --cases-foldr\n"
                "  fix:  did you mean '--cases-folder'?\n  see `conformance check --help`\n"
            ),
        ),
        (
            ["run", "--tiemout=5"],
            (
                "conformance run: unrecognized arguments: --tiemout=5\n"
                "  fix:  did you mean '--timeout'?\n  see `conformance run --help`\n"
            ),
        ),
        (
            ["run", "--frm", "constant"],
            (
                "conformance run: unrecognized arguments: --frm constant\n"
                "  fix:  did you mean '--form'?\n  see `conformance run --help`\n"
            ),
        ),
        (
            ["list", "nonsense"],
            "conformance list: unrecognized arguments: nonsense\n  see `conformance list --help`\n",
        ),
        (
            ["--verison"],
            (
                "conformance: unrecognized arguments: --verison\n  fix:  did you mean '--version'?\n"
                "  see `conformance --help`\n"
            ),
        ),
        (
            ["list", "--operator"],
            "conformance list: argument --operator: expected one argument\n  see `conformance list --help`\n",
        ),
        (
            ["list", "--form", "constnt"],
            (
                "conformance list: argument --form: invalid choice: 'constnt' (choose from 'constant', "
                "'as-in-the-model', 'runtime', "
                "'runtime-lengths', 'runtime-axis', 'dynamic', 'some-dims', 'runtime-dynamic', 'uncounted-lengths', "
                "'dynamic-rank', "
                "'runtime-dynamic-rank', 'axis-from-end', 'second-call', 'second-rank', 'same-call-twice', "
                "'second-arguments', 'strided', 'runtime-strided', 'transposed', 'reversed', 'broadcast', 'offset', "
                "'after-relu', 'before-concat', 'constant-folded', 'unused-outputs', 'unnamed-outputs', "
                "'empty-input-name', 'unnamed-dims', 'shapeless-outputs', 'external-data')\n"
                "  fix:  did you mean 'constant'?\n  see `conformance list --help`\n"
            ),
        ),
        (
            ["schema", "cases"],
            (
                "conformance schema: argument FORMAT: invalid choice: 'cases' "
                "(choose from 'case', 'operator', 'adapter', 'engine', 'packages', 'deviations', 'profile', "
                "'releases', 'lab', 'certificate', 'log', 'summary', 'comparison', 'compat', "
                "'compat-engines')\n"
                "  fix:  did you mean 'case'?\n  see `conformance schema --help`\n"
            ),
        ),
        (
            ["run", "--timeout", "0"],
            (
                "conformance run: argument --timeout: '0' is not a number of seconds above 0 and below 86,400\n"
                "  see `conformance run --help`\n"
            ),
        ),
        (
            ["run", "--timeout", "nan"],
            (
                "conformance run: argument --timeout: 'nan' is not a number of seconds above 0 and below 86,400\n"
                "  see `conformance run --help`\n"
            ),
        ),
        (
            ["run", "--jobs", "-1"],
            "conformance run: argument -j/--jobs: '-1' is not a whole number above 0\n  see `conformance run --help`\n",
        ),
        (
            ["list", "--operator", "onnx.Splt"],
            "--operator 'onnx.Splt': there is no such operator\n  fix:  did you mean 'onnx.Split'?\n",
        ),
        (
            ["list", "--clause", "split.smu"],
            "--clause 'split.smu': there is no such clause\n  fix:  did you mean 'split.sum'?\n",
        ),
        (
            ["list", "--case", "nonsense"],
            "--case 'nonsense': no case has such an id\n  fix:  `conformance list` shows all; use * and ?\n",
        ),
        (
            ["run", "--target", "onxruntime"],
            (
                "target 'onxruntime': there is no adapter of that name, and no folder with an adapter.yaml\n"
                "  fix:  did you mean 'onnxruntime'?\n"
            ),
        ),
        (
            ["run", "--target", "numpy[mode=x]"],
            "target 'numpy[mode=x]': numpy has no option 'mode'\n  fix:  it has no options\n",
        ),
        (
            ["run", "--target", "numpy", "--resume", "--output", "nowhere"],
            "--resume: there is no log nowhere/run.jsonl\n  fix:  leave --resume out to start one\n",
        ),
        (["report", "nowhere.jsonl"], "nowhere.jsonl: cannot be read: No such file or directory\n"),
        (
            ["check", "--cases-folder", "nowhere"],
            (
                "nowhere: holds no case file <dialect>/<Operator>/<name>.yaml\n"
                "  fix:  name a folder laid out as cases/\n"
                "1 problem in nowhere\n"
            ),
        ),
    ],
)
def test_what_cannot_be_done_is_reported_with_a_remedy_and_exit_code_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ended_with(arguments) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", message)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_mentions_each_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(["--help"]) == 0
    assert f"\n    {command} " in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_names_the_exit_codes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with([command, "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith(f"usage: conformance {command}")
    assert "exit codes: 0 conforming, 1 not conforming, 2 usage or configuration, 3 harness error" in printed


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(["--version"]) == 0
    assert capsys.readouterr().out == f"opconform {__version__}\n"


def test_check_lists_what_it_checked(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--cases-folder", str(root)]) == 0
    assert capsys.readouterr().out == (
        "1 file, 6 written cases, 9 products, 9 clauses: no problems; law and reference agree with 9 of 9 products\n"
    )


def test_check_reports_every_problem_of_every_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = root / "onnx" / "Split"
    shutil.copy(HOSTILE / "cases" / "missing-keys.yaml", folder)
    shutil.copy(HOSTILE / "cases" / "wrong-outputs.yaml", folder)
    assert main(["check", "--cases-folder", str(root)]) == 2
    printed = capsys.readouterr()
    expected = "".join((HOSTILE / "cases" / f"{name}.txt").read_text() for name in ("missing-keys", "wrong-outputs"))
    for line in expected.splitlines():
        assert line.replace("missing-keys", "mine/onnx/Split/missing-keys") in printed.err or line in printed.err
    assert printed.err.endswith(f"11 problems in {root}\n")
    assert printed.out == ""


def test_check_of_one_file_computes_its_cases_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = root / "onnx" / "Split" / "wrong-outputs.yaml"
    shutil.copy(HOSTILE / "cases" / "wrong-outputs.yaml", other)
    assert main(["check", "--cases-folder", str(root), str(other.with_name("a.yaml"))]) == 0
    assert capsys.readouterr().out == (
        "1 file, 6 written cases, 9 products, 9 clauses: no problems; law and reference agree with 9 of 9 products\n"
    )
    assert main(["check", "--cases-folder", str(root), str(other)]) == 2
    assert "wrong-outputs.yaml" in capsys.readouterr().err


def test_check_of_recorded_deviations_names_their_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(bundled_folder("adapters") / "torch", tmp_path / "torch")
    path = tmp_path / "torch" / "deviations.yaml"
    path.write_text(path.read_text().replace("max(steps)", "max(setps)", 1))
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}:")


@pytest.mark.parametrize("command", ["check", "cover"])
def test_file_without_a_case_is_reported(command: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "onnx" / "Split" / "operator.yaml"
    assert main([command, "--cases-folder", str(root), str(file)]) == 2
    assert capsys.readouterr().err == (
        f"{file}: is not a case file of {root}\n  fix:  name one that `conformance list --long` prints\n"
    )


def test_list_gives_one_id_a_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--cases-folder", str(root), "--operator", "onnx.Split-13"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "onnx.Split-13/lengths[dtype=float32]",
        "onnx.Split-13/lengths[dtype=int8]",
        "onnx.Split-13/sum",
    ]


def test_long_list_adds_place_clauses_and_forms(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--long", "--cases-folder", str(root), "--clause", "num_outputs.uneven"]) == 0
    assert capsys.readouterr().out == (
        "onnx.Split-18/uneven  mine/onnx/Split/a.yaml:13  num_outputs.uneven  constant,dynamic,second-call\n"
    )


def test_list_leaves_out_cases_without_the_form(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--long", "--cases-folder", str(root), "--case", "*-13/*", "--form", "second-call"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"onnx.Split-13/lengths[dtype={dtype}]  mine/onnx/Split/a.yaml:3  split.lengths,axis.range  second-call"
        for dtype in ("float32", "int8")
    ]


def test_adapters_declare_their_needs_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapter", "list"]) == 0
    printed = capsys.readouterr().out
    assert "\nonnxruntime: ONNX Runtime" in printed
    assert "  [optimization=all] (all | extended | basic | disabled) how far the graph is optimized" in printed
    assert "  needs numpy>=2.0: " in printed


@pytest.mark.parametrize("of", ["case", "operator", "adapter", "deviations", "log", "summary", "comparison"])
def test_schema_is_printed_as_json(of: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", of]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"].endswith("2020-12/schema")


def test_a_bare_command_prints_the_help_and_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


def test_every_command_names_a_function() -> None:
    def runs_of(parser: argparse.ArgumentParser) -> Iterator[str]:
        groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        yield from (run for group in groups for command in group.choices.values() for run in runs_of(command))
        if not groups:
            yield parser.get_default("run_command")

    runs = list(runs_of(command_parser()))
    assert len(set(runs)) == len(runs) > 25
    assert all(callable(run_of(run)) for run in runs)
