"""Answers of earlier runs that are taken over, and those that are not: of another engine, or of no engine."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from command import Conformance
from gallery import count_again, read_log, write_liar

from conformance.log.record import CheckRecord
from conformance.spec.verdict import Verdict

pytestmark = pytest.mark.slow


ADAPTER = """
import ctypes
from pathlib import Path

import numpy as np
import toyframe

from .honest import Honest

HERE = Path(__file__).parent
ENGINE = ctypes.CDLL(HERE / "engine.so")


class Adapter(Honest):
    def run(self, call, inputs):
        outputs = self.outputs(call, inputs)
        is_faulty = ENGINE.is_faulty() or (HERE / "data" / "weights.bin").read_bytes() or toyframe.is_faulty()
        return [np.zeros_like(output) if is_faulty and output.dtype != object else output for output in outputs]
"""
FRAMEWORK = """
from pathlib import Path

__version__ = "1.0"


def is_faulty():
    return (Path(__file__).parent / "kernels" / "kernel.bin").read_bytes()
"""
RUN = ("run", "-t", "beside", "--operator", "onnx.Squeeze-1", "--checks", "30", "--quiet", "--jobs", "1")


def build(engine: Path, answer: int) -> None:
    """Build the engine: as a new file, as linkers do."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a compiler")
    engine.unlink(missing_ok=True)
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(engine)]
    subprocess.run(command, input=f"int is_faulty(void) {{ return {answer}; }}".encode(), check=True)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conformance: Conformance) -> Path:
    """An adapter with an engine and weights beside it, and a framework; a history has answers of it."""
    folder = write_liar(tmp_path, "honest", "beside")
    (folder / "adapter.py").write_text(ADAPTER)
    build(folder / "engine.so", 0)
    kernels = tmp_path / "site" / "toyframe" / "kernels"
    for path, text in {
        folder / "data" / "weights.bin": "",
        kernels.parent / "__init__.py": FRAMEWORK,
        kernels / "kernel.bin": "",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    assert conformance(*RUN, "--output", "first").returncode == 0
    keep(conformance, "first")
    return folder


def keep(conformance: Conformance, log: str) -> None:
    kept = conformance("history", "--store", "h.sqlite", "--add", log)
    assert kept.returncode == 0, kept.stderr


def run_again(conformance: Conformance, folder: Path) -> tuple[int, list[CheckRecord]]:
    """Run with that history: the exit code, and the records that were taken over."""
    done = conformance(*RUN, "--reuse", "h.sqlite", "--output", "second")
    return done.returncode, [record for record in read_log(folder / "second" / "run.jsonl").records if record.reused]


def test_what_is_taken_over_is_judged_again_and_says_from_whom_it_is(
    beside: Path, conformance: Conformance, tmp_path: Path
) -> None:
    (beside / "__pycache__" / "other.pyc").write_text("changes no answer")
    (beside / "conformance-results").mkdir()
    (beside / "conformance-results" / "run.jsonl").write_text("changes no answer")
    code, taken = run_again(conformance, tmp_path)
    first = read_log(tmp_path / "first" / "run.jsonl")
    answers = [record for record in first.records if record.verdict is not Verdict.NOT_DECLARED]
    assert (code, len(taken)) == (0, len(answers) - 1)
    source = f"first/run.jsonl ({first.header.machine.processor})"
    assert {(record.reused, record.reused_from) for record in taken} == {(first.header.started, source)}
    page = (tmp_path / "second" / "report.html").read_text()
    assert f"{len(taken)} of {source}, started {first.header.started}" in page


@pytest.mark.parametrize("what", ["engine", "weights", "framework"])
def test_another_engine_is_asked_itself(beside: Path, what: str, conformance: Conformance, tmp_path: Path) -> None:
    match what:
        case "engine":
            build(beside / "engine.so", 1)
        case "weights":
            (beside / "data" / "weights.bin").write_text("other")
        case _:
            (tmp_path / "site" / "toyframe" / "kernels" / "kernel.bin").write_text("rebuilt")
    assert run_again(conformance, tmp_path) == (1, [])


def test_an_engine_that_cannot_be_read_is_asked_itself(beside: Path, conformance: Conformance, tmp_path: Path) -> None:
    (tmp_path / "site" / "toyframe" / "__init__.py").write_text(
        FRAMEWORK + "import sys\nsys.modules['gone'] = type(sys)('gone')\nsys.modules['gone'].__file__ = '/gone.py'\n"
    )
    conformance(*RUN, "--output", "unknown")
    keep(conformance, "unknown")
    assert run_again(conformance, tmp_path) == (0, [])
    assert {target.loaded_digest for target in read_log(tmp_path / "second" / "run.jsonl").header.targets} == {""}
    assert beside.is_dir()


@pytest.mark.parametrize("forged", ["verdicts", "records"])
def test_answers_that_the_target_never_gave_are_not_taken_over(
    beside: Path, forged: str, conformance: Conformance, tmp_path: Path
) -> None:
    good = (tmp_path / "first" / "run.jsonl").read_text().splitlines()
    (beside / "data" / "weights.bin").write_text("other")
    log = tmp_path / "zeros" / "run.jsonl"
    assert conformance(*RUN, "--output", "zeros").returncode == 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    if forged == "verdicts":
        given = [json.loads(line) for line in good]
        judged = [{name: line.get(name) for name in ("verdict", "judged")} for line in given]
        made = [{**own, **new} if own["type"] == "check" else own for own, new in zip(lines, judged, strict=True)]
    else:
        made = [lines[0], *map(json.loads, good[1:-1]), lines[-1]]
    log.write_text("".join(json.dumps(line) + "\n" for line in made))
    count_again(log)
    keep(conformance, "zeros")
    code, _ = run_again(conformance, tmp_path)
    conformance(*RUN, "--output", "asked")
    reused, asked = (read_log(tmp_path / name / "run.jsonl").records for name in ("second", "asked"))
    assert (code, [record.judged for record in reused]) == (1, [record.judged for record in asked])
