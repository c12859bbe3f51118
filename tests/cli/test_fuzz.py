"""The command finds a fault, makes it plain, and writes it as a case; of a correct backend it finds nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
import yaml
from command import Conformance

from conformance.suite.suite import bundled_folder

DOUBLED = """

_right = _outputs


def _outputs(call, tensors):
    outputs = _right(call, tensors)
    if "Transpose" not in call.operator or len(outputs[0].shape) < 3:
        return outputs
    return [*outputs, *outputs]
"""
FUZZ = ("fuzz", "--quiet", "--seed", "1", "--operator", "onnx.Transpose", "--operator", "onnx.Split", "--into", "out")


@pytest.fixture
def doubled(tmp_path: Path) -> str:
    """The NumPy adapter with a fault: it gives a transposed tensor twice, from rank 3 on."""
    folder = tmp_path / "doubled"
    shutil.copytree(bundled_folder("adapters") / "numpy", folder)
    code, manifest = folder / "adapter.py", folder / "adapter.yaml"
    code.write_text(code.read_text() + DOUBLED)
    manifest.write_text(manifest.read_text().replace("name: numpy", "name: doubled"))
    return str(folder)


def test_a_correct_backend_has_no_finds(conformance: Conformance, tmp_path: Path) -> None:
    done = conformance("fuzz", "--quiet", "-t", "numpy", "--seed", "1", "--checks", "200", "--into", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"200 calls \(1\d\d pass, \d\d spec ambiguous\)$", done.stdout, re.MULTILINE)  # NaN payloads
    assert "0 new causes, 0 recorded ones; `--seed 1 --checks 200` finds the same again" in done.stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["fuzz.json"]


@pytest.mark.slow
def test_a_fault_is_found_made_plain_and_written(conformance: Conformance, doubled: str, tmp_path: Path) -> None:
    done = conformance(*FUZZ, "-t", doubled, "--checks", "24")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 new cause, 0 recorded ones" in done.stdout
    (path,) = (tmp_path / "out" / "cases").rglob("*.yaml")
    written = yaml.safe_load(path.read_text())
    assert written["operator"] == "onnx.Transpose"
    for case in written["cases"]:
        assert case["forms"] == ["constant"]
        assert case["arguments"].keys() == {"data"}
        assert case["arguments"]["data"]["dtype"] == "float32"
        assert len(case["arguments"]["data"]["shape"]) == 3
    assert conformance("check", "--cases-folder", "out/cases").returncode == 0
    assert conformance("run", "-q", "--cases-folder", "out/cases", "-t", "numpy").returncode == 0
    assert conformance("run", "-q", "--cases-folder", "out/cases", "-t", doubled).returncode == 1


@pytest.mark.slow
def test_the_same_command_goes_on(conformance: Conformance, doubled: str, tmp_path: Path) -> None:
    conformance(*FUZZ, "-t", doubled, "--checks", "8")
    conformance(*FUZZ, "-t", doubled, "--checks", "20")
    in_two = json.loads((tmp_path / "out" / "fuzz.json").read_text())
    shutil.rmtree(tmp_path / "out")
    conformance(*FUZZ, "-t", doubled, "--checks", "20")
    assert json.loads((tmp_path / "out" / "fuzz.json").read_text()) == in_two
    assert in_two["done"] == 20


@pytest.mark.slow
def test_a_budget_bounds_the_start_and_the_shrinking_too(conformance: Conformance, doubled: str) -> None:
    began = monotonic()
    done = conformance("fuzz", "--quiet", "-t", doubled, "--budget", "12s", "--seed", "1", "--into", "out")
    assert "new cause" in done.stdout
    assert monotonic() - began < 25


@pytest.mark.slow
def test_an_interrupted_command_keeps_what_it_found(doubled: str, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "conformance", *FUZZ, "-t", doubled, "--budget", "5min"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        limit = monotonic() + 60
        while not (tmp_path / "out" / "fuzz.json").exists() and monotonic() < limit:
            sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "ended early: interrupted by SIGINT" in said
    last = re.search(r"[12] new causes?, 0 recorded .* --checks (\d+)` finds the same again$", said.strip())
    assert last is not None, said
    assert json.loads((tmp_path / "out" / "fuzz.json").read_text())["done"] == int(last[1])


@pytest.mark.slow
def test_a_folder_of_another_seed_is_refused(conformance: Conformance) -> None:
    usual = ("fuzz", "--quiet", "-t", "numpy", "--checks", "5", "--into", "out")
    conformance(*usual, "--seed", "1")
    other = conformance(*usual, "--seed", "2")
    assert other.returncode == 2
    assert "out: holds finds of another seed: '1', not '2'\n  fix:  name another folder with --into" in other.stderr
    assert conformance(*usual).returncode == 0  # without a seed, that of the folder holds


@pytest.mark.slow
def test_a_folder_of_cases_or_of_something_else_is_refused(conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("mine")
    for folder, message in (("mine", "mine: holds something else"), ("cases/onnx", "cases/onnx: lies in a folder")):
        done = conformance("fuzz", "-t", "numpy", "--into", folder)
        assert done.returncode == 2
        assert message in done.stderr
    assert not (tmp_path / "cases").exists()
