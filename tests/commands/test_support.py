"""`conformance support` answers from the published data: of the checkout, of the package, or of a file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run_python
from compat_states import SPLIT, split, state

from conformance.compat.writing import text_of
from conformance.formats.suite import bundled_folder, digests_of

Conformance = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def data(tmp_path: Path) -> None:
    """`data.json` in the folder of the test, with two versions of Split; the cases of the newer one have changed."""
    (suite,) = digests_of(bundled_folder("cases"), ["onnx.Split"])[1].values()
    operators = {SPLIT: split(suite=suite), "onnx.Split-18": split(results={"toy": {"1.0": "n 0/0/3"}})}
    (tmp_path / "data.json").write_text(text_of(state(operators=operators)))


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [" ".join(line.split()) for line in done.stdout.splitlines() if line.strip()]


@pytest.mark.usefixtures("data")
def test_one_operator_version_has_a_sentence_and_a_table(conformance: Conformance) -> None:
    said = lines(conformance("support", SPLIT, "--dtype", "int8", "--form", "constant", "--data", "data.json"))
    assert said[0] == "toy: since ≤1.0 (w 1.2); 1.3 conforms"
    assert "1.0 to 1.1 0 1 1 y conforms" in said
    assert "1.2 1 1 1 w gives wrong results" in said
    assert said[-1] == f"{SPLIT} int8 in form constant"


@pytest.mark.usefixtures("data")
def test_all_versions_have_a_sentence_each(conformance: Conformance) -> None:
    assert lines(conformance("support", "onnx.Split", "--data", "data.json")) == [
        f"{SPLIT} toy: since ≤1.0 (w 1.2); 1.3 conforms",
        "onnx.Split-18 toy: in no release; 1.3 does not support it",
        "Measured with other cases than those here: onnx.Split-18. A run can answer",
        "otherwise.",
        "2 operator versions",
    ]


@pytest.mark.usefixtures("data")
def test_one_release_has_its_evidence_and_the_commands_that_give_it_again(
    conformance: Conformance, tmp_path: Path
) -> None:
    arguments = ("support", SPLIT, "-t", "toy@1.2", "--data", "data.json", "--markdown", "support.md")
    assert lines(conformance(*arguments))[0] == "toy: 1.2 gives wrong results at worst: 1 of 2 checks deviate"
    text = (tmp_path / "support.md").read_text()
    assert "02" * 32 in text
    assert f"conformance run -t toy@1.2 --operator {SPLIT} --output evidence" in text
    assert "conformance history --store evidence/history.sqlite --add evidence --evidence" in text


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("releases", ["1.1..1.2", "newest:3"])
def test_several_releases_are_told_in_order(conformance: Conformance, releases: str) -> None:
    (said, *_) = lines(conformance("support", SPLIT, "-t", f"toy@{releases}", "--data", "data.json"))
    assert said.startswith("toy: 1.1 conforms; 1.2 gives wrong results at worst: 1 of 2 checks deviate")


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("onnx.Split-14",), "there is no operator version 'onnx.Split-14'"),
        (("onnx.Split-14",), "there are onnx.Split-13, onnx.Split-18"),
        ((SPLIT, "--dtype", "complex7"), "there are float32, int8"),
        ((SPLIT, "--form", "runtim"), "did you mean 'runtime'? there are constant, runtime"),
        ((SPLIT, "-t", "tory"), "did you mean 'toy'? there are toy"),
        ((SPLIT, "-t", "toy@2"), "there are 1.0 to 1.3"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(
    conformance: Conformance, arguments: tuple[str, ...], says: str
) -> None:
    done = conformance("support", *arguments, "--data", "data.json")
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize(("content", "says"), [("", "is no JSON"), ('{"format": 9}', "is not of format 1")])
def test_a_file_that_is_not_the_data_is_refused(
    conformance: Conformance, tmp_path: Path, content: str, says: str
) -> None:
    (tmp_path / "data.json").write_text(content)
    done = conformance("support", SPLIT, "--data", "data.json")
    assert done.returncode == 2
    assert says in done.stderr
    assert "name another file with --data" in done.stderr


def test_the_checkout_has_data(conformance: Conformance) -> None:
    assert lines(conformance("support", "onnx.Slice-13", "-t", "onnxruntime"))[0].startswith("onnxruntime: since ")


WITHOUT_DATA = """
import sys
from conformance.commands import support
from conformance.commands.main import main
support.__file__ = "/nowhere/conformance/commands/support.py"
sys.exit(main(["support", "onnx.Slice-13"]))
"""


def test_without_data_it_says_what_to_install(tmp_path: Path) -> None:
    done = run_python(tmp_path, "-c", WITHOUT_DATA)
    assert done.returncode == 2
    assert "install opconform-compat, or name a file with --data" in done.stderr


def test_it_loads_no_framework(tmp_path: Path) -> None:
    shown = "from conformance.commands.main import main; main(['support', 'onnx.Slice-13'])"
    done = run_python(
        tmp_path, "-c", f"{shown}; import sys; print({{*sys.modules}} & {{'onnxruntime', 'openvino', 'onnx'}})"
    )
    assert done.stdout.splitlines()[-1] == "set()"
