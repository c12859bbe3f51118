"""`conformance new case`."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from command import Conformance, run_to

from conformance.cli.main import main
from conformance.suite.suite import bundled_folder

LENGTHS = (
    "--operator",
    "onnx.Split-18",
    "--clause",
    "split.lengths",
    "--argument",
    "axis=1",
    "--argument",
    "split=2,4",
)
SPLIT = Path("cases") / "onnx" / "Split"


@pytest.fixture(autouse=True)
def cases(tmp_path: Path) -> None:
    """Folders of operators without cases, but for one file."""
    for file in bundled_folder("cases").glob("*/*/operator.yaml"):
        folder = tmp_path / "cases" / file.relative_to(bundled_folder("cases")).parent
        folder.mkdir(parents=True)
        shutil.copy(file, folder)
    shutil.copy(bundled_folder("cases") / "onnx" / "Split" / "written.yaml", tmp_path / SPLIT)


def test_options_alone_make_a_file_that_check_accepts(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance("new", "case", "--cases-folder", "cases", *LENGTHS, "--id", "two-four", "--file", "mine.yaml")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / SPLIT / "mine.yaml").read_text() == (
        "operator: onnx.Split\n"
        "about: Cases about split.lengths.\n"
        "cases:\n"
        "  - id: two-four\n"
        '    versions: "==18"\n'
        "    clauses: [split.lengths]\n"
        "    arguments:\n"
        "      input: {dtype: float32, shape: [2, 6]}\n"
        "      axis: 1\n"
        "      split: [2, 4]\n"
        "    outputs: law\n"
    )
    run_to(tmp_path, *done.stdout.splitlines()[-1].removeprefix("next: conformance ").split())


@pytest.mark.slow
def test_commands_of_the_guide_make_cases_that_check_accepts(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "reference" / "cases.md").read_text()
    lines = guide.replace("\\\n", "").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("conformance new case ")]
    assert len(commands) == 3
    for command in commands:
        run_to(tmp_path, *command, "--cases-folder", "cases")
    run_to(tmp_path, "check", "--cases-folder", "cases", *map(str, tmp_path.glob("cases/*/*/my-*.yaml")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "end"),
    [
        (
            "onnx.Split-13 --expect rejection --clause split.sum --argument split=2,3",
            "      split: [2, 3]\n    rejected: split.sum\n",
        ),
        (
            "onnx.Split-11 --clause outputs.shape --argument axis=-1 --declared-outputs 3",
            "      axis: -1\n    declared_outputs: 3\n    outputs: law\n",
        ),
        (
            "onnx.Split-18 --clause num_outputs.uneven --argument input=float32[7] --argument num_outputs=2",
            "      num_outputs: 2\n    outputs: law\n",
        ),
        (
            "openvino.Split-1 --clause outputs.values --argument axis=0 --argument num_splits=2",
            "      num_splits: 2\n    outputs: law\n",
        ),
        (
            "onnx.Split-18 --clause axis.default --argument axis=none --argument split=0,2",
            "      input: {dtype: float32, shape: [2, 6]}\n      split: [0, 2]\n    outputs: law\n",
        ),
        (
            "openvino.VariadicSplit-1 --expect rejection --clause split_lengths.required --argument axis=0",
            "      axis: 0\n    declared_outputs: 2\n    rejected: split_lengths.required\n",
        ),
        (
            "onnx.Transpose-25 --clause outputs.values --argument data=int8[2,3] --argument perm=1,0",
            "      perm: [1, 0]\n    outputs: law\n",
        ),
        (
            "onnx.Transpose-25 --clause outputs.values --argument perm=1,0 --outputs '{permuted: [1, 0]}'",
            "      perm: [1, 0]\n    outputs: [{permuted: [1, 0]}]\n",
        ),
        (
            "onnx.Transpose-1 --expect rejection --clause perm.once --argument perm=[1,1]",
            "      perm: [1,1]\n    rejected: perm.once\n",
        ),
        (
            "onnx.Concat-13 --clause outputs.values --argument inputs='int8[2,1], int8[2,2]' --argument axis=1",
            "{dtype: int8, shape: [2, 2]}]\n      axis: 1\n    outputs: law\n",
        ),
        (
            "onnx.Concat-13 --expect rejection --clause inputs.required --argument inputs=none",
            "    arguments: {}\n    rejected: inputs.required\n",
        ),
        (
            "onnx.Slice-13 --clause axes.default --argument data=int8[2,3] --argument starts=0,1 --argument ends=1,3",
            "      starts: [0, 1]\n      ends: [1, 3]\n    outputs: law\n",
        ),
        (
            "onnx.Slice-13 --expect rejection --clause ends.required --argument starts=[0]",
            "      starts: [0]\n    rejected: ends.required\n",
        ),
        (
            (
                "onnx.Gather-13 --clause outputs.values --argument 'indices={dtype: int32, values: [-1]}' "
                "--argument data=int8[2,2] --outputs '[[[2, 3]]]'"
            ),
            "      indices: {dtype: int32, values: [-1]}\n    outputs: [[[2, 3]]]\n",
        ),
        (
            "onnx.Gather-13 --expect rejection --clause indices.range --argument indices=2",
            "      indices: 2\n    rejected: indices.range\n",
        ),
        (
            "onnx.Reshape-14 --clause shape.zero --argument data=string[2,3] --argument shape=0,1,-1",
            "      shape: [0, 1, -1]\n    outputs: law\n",
        ),
        (
            "onnx.Reshape-14 --expect rejection --clause shape.count --argument shape=-1,5",
            "      shape: [-1, 5]\n    rejected: shape.count\n",
        ),
        (
            (
                "openvino.StridedSlice-1 --clause outputs.values --argument data=int8[4,2] --argument begin=1,0 "
                "--argument end=0,0 --argument stride=2,1 --argument begin_mask=0,0 --argument end_mask=1,1"
            ),
            "      end_mask: [1, 1]\n    outputs: law\n",
        ),
        (
            "openvino.Gather-8 --expect rejection --clause axis.range --argument indices=0 --argument axis=2",
            "      axis: 2\n    rejected: axis.range\n",
        ),
    ],
)
def test_each_kind_of_case_is_written_so_that_check_accepts_it(
    options: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = shlex.split(options)
    code = main(["new", "case", "--cases-folder", "cases", "--operator", *given, "--file", "mine.yaml"])
    assert code == 0, capsys.readouterr().err
    (path,) = tmp_path.glob("cases/*/*/mine.yaml")
    assert path.read_text().endswith(end), path.read_text()
    run_to(tmp_path, "check", "--cases-folder", "cases", str(path))


@pytest.mark.slow
def test_case_goes_behind_the_last_of_a_file_which_stays_as_it_is(conformance: Conformance, tmp_path: Path) -> None:
    path = tmp_path / SPLIT / "written.yaml"
    before = path.read_text()
    done = conformance("new", "case", "--cases-folder", "cases", *LENGTHS, "--file", "written.yaml")
    assert done.returncode == 0, done.stderr
    assert path.read_text().startswith(f"{before}\n  - id: split-lengths\n")
    run_to(tmp_path, "check", "--cases-folder", "cases", str(path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--id", "uneven"), "onnx.Split-18/uneven: exists already, and stays as it is\n  fix:  write another --id\n"),
        (("--id", "Two"), "'Two' does not fit here\n  fix:  write small letters, digits, - and _, as two\n"),
        (("--file", "operator.yaml"), "cases/onnx/Split/operator.yaml: does not end with its list of cases\n"),
        (("--file", "../mine.yaml"), "--file: '../mine.yaml' is not the name of a case file\n"),
        (("--operator", "onnx.Split-12"), "--operator: 'onnx.Split-12' is not an operator version\n  fix:  did"),
        (("--clause", "split.length"), "onnx.Split-18 has no clause 'split.length'\n  fix:  did you mean"),
        (("--clause", ""), "--clause: no clause is named\n"),
        (("--argument", "axis"), "--argument: 'axis' gives no argument a value\n  fix:  write NAME=VALUE, as axis=1\n"),
        (("--argument", "axis=1\nid: two"), "gives no argument a value\n"),
        (("--argument", "axes=1"), "onnx.Split-18 takes no argument 'axes'\n  fix:  did you mean 'axis'?\n"),
        (("--argument", "input=half[6]"), "'half' is not an element type\n  fix:  did you mean 'float16'?\n"),
        (("--argument", "axis=[1"), "is not YAML: did not find expected ',' or ']'\n"),
        (("--argument", "axis=2"), "the reference rejects the call by axis.range: "),
        (("--argument", "split=2,5"), "the reference rejects the call by split.sum: "),
        (("--outputs", "0:3,3:6"), "output 0 is written with the shape [2, 3], but the reference computes"),
        (("--outputs", "0-2"), "'0-2' is a text, and a list or `law` or a `$name` of the matrix"),
        (("--argument", "input=int8[9999999999,9]"), "the shape (9999999999, 9) describes 83.8 GiB"),
    ],
)
def test_option_without_meaning_is_refused_and_nothing_is_written(
    options: tuple[str, ...],
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    assert main(["new", "case", "--cases-folder", "cases", *LENGTHS, *options]) == 2
    printed = capsys.readouterr().err
    assert error in printed
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")} == before


@pytest.mark.slow
def test_a_clause_has_no_default(conformance: Conformance) -> None:
    done = conformance("new", "case", "--cases-folder", "cases", *LENGTHS[:2])
    assert done.returncode == 2
    assert "the following arguments are required: --clause" in done.stderr


@pytest.mark.slow
def test_file_that_does_not_end_with_its_cases_is_not_touched(conformance: Conformance, tmp_path: Path) -> None:
    path = tmp_path / SPLIT / "written.yaml"
    text = path.read_text().replace("about: Calls", "# Calls") + "about: Numbers of outputs.\n"
    path.write_text(text)
    done = conformance("new", "case", "--cases-folder", "cases", *LENGTHS, "--file", "written.yaml")
    assert done.returncode == 2
    assert done.stderr == (
        "cases/onnx/Split/written.yaml: does not end with its list of cases\n  fix:  name another file\n"
    )
    assert path.read_text() == text


@pytest.mark.parametrize("folder", ["mine", "cases"])
def test_a_case_of_an_operator_without_cases_begins_its_folder(
    folder: str, conformance: Conformance, tmp_path: Path
) -> None:
    for file in (tmp_path / "cases").glob("onnx/Gather/*"):
        file.unlink()
    broken = ("--expect", "rejection", "--clause", "indices.required", "--argument")
    for number in (1, 2):
        given = (*broken, f"data=float32[2,{number}]", "--id", f"no-indices-{number}", "--file", "invalid.yaml")
        done = conformance("new", "case", "--cases-folder", folder, "--operator", "onnx.Gather-13", *given)
        assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / folder / "onnx" / "Gather").iterdir()] == ["invalid.yaml"]
    done = conformance("list", "--cases-folder", folder, "--operator", "onnx.Gather-13")
    assert done.stdout.split() == ["onnx.Gather-13/no-indices-1", "onnx.Gather-13/no-indices-2"]
