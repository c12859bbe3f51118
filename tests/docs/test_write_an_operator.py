"""The guide to a new operator shows the files of one, and what it says of them is so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.spec.operator import ArgumentKind

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "write-an-operator.md"
_FILE = re.compile(r"^`([\w./-]+)`\n\n```(\w+)\n(.*?)```", re.DOTALL | re.MULTILINE)
_CASES = ("cases/onnx/Expand/written.yaml", "cases/onnx/Expand/invalid.yaml")
_REFERENCE = Path("conformance", "spec", "references", "expand.py")
_TORCH = "adapters/torch/operators/expand.py"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the operator needs, to change it."""
    copied = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__", "node_modules", "bundled")
    for name in ("conformance", "adapters", "profiles", "cases/onnx/Expand"):
        shutil.copytree(ROOT / name, copied / name, ignore=without)
    return copied


@pytest.mark.parametrize(("name", "language", "content"), _FILE.findall(GUIDE.read_text()))
def test_its_files_are_those_of_the_checkout(name: str, language: str, content: str) -> None:
    written = (ROOT / name).read_text()
    if language != "diff":
        assert content == written
        return
    lines = written.splitlines()
    assert [line for line in content.splitlines() if line.removeprefix("+") not in lines] == []


def test_its_numbers_of_lines_are_right() -> None:
    lines = {name: len(content.splitlines()) for name, language, content in _FILE.findall(GUIDE.read_text())}
    counts = [int(count) for count in re.findall(r"^\|.*\| (\d+) lines \|$", GUIDE.read_text(), re.MULTILINE)]
    operator, reference, torch = lines["cases/onnx/Expand/operator.yaml"], lines[_REFERENCE.as_posix()], lines[_TORCH]
    cases = sum(lines[case] for case in (*_CASES, "cases/onnx/Expand/made.yaml"))
    assert counts == [operator, cases, reference, torch]
    assert operator + cases <= 111
    assert reference <= 30


def test_it_explains_each_kind_of_argument() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|", GUIDE.read_text().partition("| kind | meaning |")[2], re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == [kind.value for kind in ArgumentKind]


def run_in(copied: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "conformance", *arguments],
        cwd=copied,
        env={**os.environ, "PYTHONPATH": str(copied)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_its_commands_stand_in_the_guide() -> None:
    assert f"conformance check {' '.join(_CASES)}" in GUIDE.read_text()


def test_check_has_no_problem(copy: Path) -> None:
    done = run_in(copy, "check", *_CASES)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 files, 16 written cases, 69 products")


def test_a_mistake_in_the_reference_is_noticed(copy: Path) -> None:
    path = copy / _REFERENCE
    right = path.read_text()
    path.write_text(right.replace('["int64"])', '["int64"])[::-1]'))
    try:
        done = run_in(copy, "check", *_CASES)
    finally:
        path.write_text(right)
    assert done.returncode == 2
    assert "the reference rejects the call by dims.equal" in done.stderr


@pytest.mark.frameworks
def test_its_first_commands_make_an_operator_that_conforms(tmp_path: Path) -> None:
    block = re.search(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert block is not None
    for command in block[1].splitlines():
        done = run_in(tmp_path, *command.split()[1:])
        assert done.returncode == 0, done.stdout + done.stderr
    assert "The target conforms." in done.stdout


@pytest.mark.frameworks
def test_the_reference_and_pytorch_conform(tmp_path: Path) -> None:
    """In the checks that tell most."""
    chosen = ("--operator", "onnx.Expand", "--checks", "60", "--jobs", "1", "--output", str(tmp_path))
    done = run_in(ROOT, "run", "-q", *chosen, "--target", "numpy", "--target", "torch")
    assert done.returncode == 0, done.stdout
    assert "Both targets conform." in done.stdout


@pytest.mark.frameworks
def test_onnx_runtime_differs_as_the_guide_says(tmp_path: Path) -> None:
    case = "onnx.Expand-13/shape-of-another-rank"
    chosen = ("--case", case, "--set", "full", "--form", "constant", "--target", "onnxruntime")
    done = run_in(ROOT, "run", "--known", *chosen, "--output", str(tmp_path))
    assert "accepted an invalid call" in done.stdout
