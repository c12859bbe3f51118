"""Edges between real releases of ONNX Runtime, on a case of a user's own."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import run_command
from gallery import MadeOnce, read_log
from releases import AFTER, BEFORE, OLD, cache_with_releases

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="folders of virtual environments"),
    pytest.mark.frameworks,
]

OWN = """
operator: onnx.Split
about: Strings that a session splits while it is prepared.
cases:
  - id: strings
    versions: "==13"
    clauses: [outputs.values]
    forms: [constant, constant-folded]
    arguments: {input: {dtype: string, shape: [2, 3]}, axis: 1, split: [1, 2]}
    outputs: ["0:1", "1:3"]
"""
CHECK = "onnx.Split-13/strings"
FOLDED = f"{CHECK} [constant-folded]"
NUMPY_BELOW_2 = pytest.mark.skipif(sys.version_info >= (3, 12), reason=f"{OLD} has no wheel for this Python")


@pytest.fixture(autouse=True)
def _releases(made_once: MadeOnce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache with releases, and a folder with a case of a user's own."""
    cache_with_releases(made_once, monkeypatch)
    path = tmp_path / "own" / "onnx" / "Split" / "strings.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(OWN)


def bisect(folder: Path, *arguments: str, check: str = FOLDED) -> CompletedProcess[str]:
    target = () if any("@" in word for word in arguments) else ("-t", "onnxruntime")
    return run_command(folder, "bisect", check, "--offline", "--cases-folder", "own", *target, *arguments)


def said_by(done: CompletedProcess[str]) -> str:
    """The report as one line."""
    return " ".join(done.stdout.split())


def test_an_edge_between_two_releases_is_named_in_all_reports(tmp_path: Path) -> None:
    done = bisect(tmp_path, "--between", BEFORE, AFTER, "--markdown", "edges.md", "--html", "edges.html")
    said = f"fixed in {AFTER}, after {BEFORE}: rejected a valid call, then pass"
    assert (done.returncode, said_by(done).count(said)) == (0, 1), done.stdout + done.stderr
    for name in ("edges.md", "edges.html"):
        assert f"fixed in {AFTER}, after {BEFORE}" in (tmp_path / name).read_text()


def test_releases_that_answer_alike_have_no_edge(tmp_path: Path) -> None:
    done = bisect(tmp_path, "--from", BEFORE, "--to", AFTER, check=CHECK)
    assert (done.returncode, "0 edges in 2 releases" in done.stdout) == (1, True), done.stdout + done.stderr


def test_releases_without_an_environment_cannot_tell(tmp_path: Path) -> None:
    done = bisect(tmp_path, "--from", "1.17.0", "--to", "1.17.3")
    assert (done.returncode, "cannot tell" in done.stdout) == (4, True), done.stdout + done.stderr
    assert "no answer: has no environment yet" in said_by(done)


@NUMPY_BELOW_2
def test_halving_goes_round_what_cannot_tell_and_finds_an_edge(tmp_path: Path) -> None:
    """Its ends may come in any order."""
    done = bisect(tmp_path, "--between", AFTER, OLD)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"fixed in {AFTER}, after {BEFORE}: rejected a valid call, then pass" in said_by(done)
    assert f"{BEFORE}: bad\n" in done.stderr
    logs = sorted((tmp_path / "conformance-bisect").glob("*.jsonl"))
    asked = [[target.version for target in read_log(log).header.targets] for log in logs]
    assert asked == [[OLD, AFTER], [BEFORE], *[[OLD, BEFORE, AFTER]] * 3]


def test_ends_that_answer_alike_are_said_with_their_answers(tmp_path: Path) -> None:
    done = bisect(tmp_path, "--between", AFTER, BEFORE, check=CHECK)
    assert (done.returncode, done.stdout) == (2, "")
    said = f"--between: both ends answer alike: {BEFORE} is good (pass), and {AFTER} is good (pass)"
    assert said in done.stderr, done.stderr


FLAKY = """
from pathlib import Path

import numpy as np
import onnxruntime
from conformance.adapter import Description, Prepared

HERE = Path(__file__).parent
STARTED = HERE / f"{onnxruntime.__version__}-started"


class Adapter:
    def __init__(self, options):
        with STARTED.open("a") as log:
            log.write("x")
        self.is_good = onnxruntime.__version__ == GOOD and STARTED.stat().st_size <= TIMES

    def describe(self):
        return Description(framework="Flaky", version=onnxruntime.__version__, operators=["onnx.*"])

    def prepare(self, call):
        return Prepared(run=self.run)

    def run(self, inputs):
        parts = np.split(np.arange(6, dtype=np.float32).reshape(2, 3), [1], axis=1)
        return parts if self.is_good else [np.zeros_like(part) for part in parts]
"""


@pytest.mark.parametrize("times", [1, 2, 100])
def test_an_answer_that_changes_is_unstable_and_no_edge(tmp_path: Path, times: int) -> None:
    """The newer release answers rightly in its first processes alone, or always."""
    (tmp_path / "flaky").mkdir()
    (tmp_path / "flaky" / "adapter.yaml").write_text("name: flaky\nsummary: flaky\nrequires: [onnxruntime]\n")
    code = FLAKY.replace("GOOD", repr(AFTER)).replace("TIMES", str(times))
    (tmp_path / "flaky" / "adapter.py").write_text(code)
    case = tmp_path / "own" / "onnx" / "Split" / "strings.yaml"
    text = OWN.replace("dtype: string, shape: [2, 3]", "dtype: float32, values: [[0, 1, 2], [3, 4, 5]]")
    case.write_text(text)
    done = bisect(tmp_path, "-t", f"flaky@{BEFORE}..{AFTER}", "-q", check=f"{CHECK} [constant]")
    said = said_by(done)
    edge = f"fixed in {AFTER}, after {BEFORE}: wrong result, then pass"
    if times == 100:
        assert (done.returncode, edge in said) == (0, True), done.stdout + done.stderr
    else:
        assert (done.returncode, edge in said) == (4, False), done.stdout + done.stderr
        assert f"Unstable, since it answers one check in two ways: {AFTER}." in said


def test_what_was_answered_before_an_interruption_is_not_asked_again(tmp_path: Path) -> None:
    bisect(tmp_path, "-t", f"onnxruntime@{BEFORE}")
    done = bisect(tmp_path, "--from", BEFORE, "--to", AFTER, "--resume")
    assert (done.returncode, "1 edge in 2 releases" in done.stdout) == (0, True), done.stdout + done.stderr
    logs = [read_log(tmp_path / "conformance-bisect" / f"releases-{number}.jsonl") for number in (1, 2)]
    assert [[target.version for target in log.header.targets] for log in logs] == [[BEFORE], [AFTER]]

    refused = bisect(tmp_path, "--from", BEFORE, "--to", AFTER, "--resume", check=CHECK)
    assert (refused.returncode, "releases-1.jsonl: was made for another check" in refused.stderr) == (2, True)


def test_a_cause_is_asked_by_checks_that_had_it(tmp_path: Path) -> None:
    names = [word for release in (BEFORE, AFTER) for word in ("-t", f"onnxruntime@{release}")]
    run_command(tmp_path, "run", "--quiet", "--cases-folder", "own", *names, "--output", "runs")
    log = read_log(tmp_path / "runs" / "run.jsonl")
    (cause,) = {record.cause for record in log.records if record.cause}
    store = ("--store", "h.sqlite")
    assert run_command(tmp_path, "history", *store, "--add", "runs").returncode == 0

    asking = ("bisect", *store, "-t", f"onnxruntime@{BEFORE}..{AFTER}", "--offline", "--cases-folder", "own")
    done = run_command(tmp_path, *asking, "--cause", cause)
    assert (done.returncode, FOLDED in done.stdout) == (0, True), done.stdout + done.stderr
    assert "1 edge in 2 releases" in done.stdout

    unknown = run_command(tmp_path, *asking, "--cause", "another")
    assert (unknown.returncode, "has no check of onnxruntime with it" in unknown.stderr) == (2, True)
