"""The guide to a new operator, followed to the letter in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "write-an-operator.md"
_FILE = re.compile(r"^`([\w./-]+)`\n\n```(\w+)\n(.*?)```", re.DOTALL | re.MULTILINE)
_CASES = ("cases/onnx/Expand/expanded.yaml", "cases/onnx/Expand/invalid.yaml")
_REFERENCE = Path("conformance", "language", "references", "expand.py")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the files of the guide."""
    copied = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__", "node_modules", "bundled")
    for name in ("conformance", "adapters", "profiles", "cases/onnx/Transpose"):
        shutil.copytree(ROOT / name, copied / name, ignore=without)
    for name, language, content in _FILE.findall(GUIDE.read_text()):
        path = copied / name
        if language != "diff":
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
            continue
        for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", content, re.MULTILINE):
            text, line = path.read_text(), re.sub("^-", "", old, flags=re.MULTILINE)
            assert text.count(line) == 1, f"{GUIDE.name}: {name} has no line {line}"
            path.write_text(text.replace(line, re.sub(r"^\+", "", new, flags=re.MULTILINE)))
    return copied


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


def test_the_copy_and_not_this_project_is_run(copy: Path) -> None:
    assert "onnx.Expand-13/examples[data=column]" in run_in(copy, "list", "--operator", "onnx.Expand-13").stdout
    assert run_in(ROOT, "list", "--operator", "onnx.Expand-13").stdout == ""


def test_check_has_no_problem(copy: Path) -> None:
    done = run_in(copy, "check", *_CASES)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 files, 14 written cases, 65 products")


def test_a_mistake_in_the_reference_is_noticed(copy: Path) -> None:
    path = copy / _REFERENCE
    right = path.read_text()
    path.write_text(right.replace("unpack_integers(shape))", "[*reversed(unpack_integers(shape))])"))
    try:
        done = run_in(copy, "check", *_CASES)
    finally:
        path.write_text(right)
    assert done.returncode == 2
    assert "the reference rejects the call by dims.equal" in done.stderr


@pytest.mark.frameworks
def test_the_reference_and_pytorch_conform(copy: Path) -> None:
    done = run_in(copy, "run", "-q", "--operator", "onnx.Expand", "--target", "numpy", "--target", "torch")
    assert done.returncode == 0, done.stdout
    assert "Both targets conform." in done.stdout
    assert "180/180" in done.stdout


@pytest.mark.frameworks
def test_onnx_runtime_differs_as_the_guide_says(copy: Path) -> None:
    done = run_in(copy, "run", "-q", "--operator", "onnx.Expand", "--target", "onnxruntime")
    assert done.returncode == 1, done.stdout
    assert "New differences: 1 check, 1 cause." in done.stdout
    assert "--case onnx.Expand-13/shape-of-another-rank --form constant" in done.stdout
