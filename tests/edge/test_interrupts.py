"""Logs of runs that ended before their end, and how they are finished."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from gallery import LIARS, Log, count_again, read_log, write_liar

from conformance.cli.main import main
from conformance.spec.verdict import Verdict


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a copy of the suite and two adapters."""
    shutil.copytree(LIARS / "cases", tmp_path / "cases")
    for name in ("dawdles", "speaks_honestly"):
        write_liar(tmp_path, name)
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Log:
    """The log of a run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.copytree(LIARS / "cases", folder / "cases")
    write_liar(folder, "dawdles")
    assert subprocess.run(command(folder), check=False, stdout=subprocess.DEVNULL).returncode == 0
    return read_log(folder / "out" / "run.jsonl")


def command(room: Path, *options: str, target: str = "dawdles") -> list[str]:
    return [sys.executable, "-m", "conformance", *arguments(room, *options, target=target)]


def arguments(room: Path, *options: str, target: str) -> list[str]:
    selection = [] if "--case" in options else ["--case", "*/many*"]
    where = ["--target", str(room / target), "--output", str(room / "out"), "--cases-folder", str(room / "cases")]
    return ["run", "--quiet", *where, "--form", "constant", *selection, *options]


def num_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@dataclass
class Resume:
    """Resumes in this process, and tells exit code and standard error."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, room: Path, *options: str, target: str = "dawdles") -> tuple[int, str]:
        code = main(arguments(room, "--resume", *options, target=target))
        return code, self.capsys.readouterr().err


@pytest.fixture
def resume(capsys: pytest.CaptureFixture[str]) -> Resume:
    return Resume(capsys)


def facts(log: Log) -> list[tuple[object, ...]]:
    """What must not depend on how often a run was interrupted."""
    return [(r.case, r.form, r.verdict, r.outcome, r.outputs) for r in log.records]


def test_a_worker_that_is_ended_while_it_starts_again_is_not_blamed(room: Path) -> None:
    write_liar(room, "interrupts_its_restart")
    start = command(room, "--case", "*/first", "--case", "*/bait", target="interrupts_its_restart")
    assert subprocess.run(start, check=False, stdout=subprocess.DEVNULL).returncode == 3
    log = read_log(room / "out" / "run.jsonl")
    assert [record.verdict for record in log.records] == [Verdict.PASS]
    (room / "interrupts_its_restart" / "calm").touch()
    assert subprocess.run([*start, "--resume"], check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert [record.verdict for record in read_log(log.path).records] == [Verdict.PASS, Verdict.PASS]


@pytest.mark.slow
def test_a_log_can_be_interrupted_and_resumed_again_and_again(room: Path, whole: Log, resume: Resume) -> None:
    lines = whole.path.read_bytes().splitlines(keepends=True)
    footer = lines[-1].replace(b'"complete":true', b'"complete":false')
    (room / "out").mkdir()
    (room / "out" / "run.jsonl").write_bytes(b"".join([*lines[:30], footer, *lines[30:55], footer]))
    count_again(room / "out" / "run.jsonl")
    assert resume(room) == (0, "")
    assert facts(read_log(room / "out" / "run.jsonl")) == facts(whole)


@pytest.fixture
def unfinished(room: Path, whole: Log) -> Path:
    """A room with the first half of a log."""
    (room / "out").mkdir()
    (room / "out" / "run.jsonl").write_bytes(b"".join(whole.path.read_bytes().splitlines(keepends=True)[:31]))
    return room


def refusal(room: Path, stderr: str) -> str:
    """What the error says of the log, which must be as before."""
    log = room / "out" / "run.jsonl"
    assert num_lines(log) == 31
    assert stderr.startswith(f"{log}: ")
    return stderr.removeprefix(f"{log}: ")


def test_a_complete_log_cannot_be_resumed(room: Path, whole: Log, resume: Resume) -> None:
    (room / "out").mkdir()
    shutil.copy(whole.path, room / "out")
    log = room / "out" / "run.jsonl"
    assert resume(room) == (2, f"{log}: is complete already\n  fix:  `--rerun failed` asks what failed again\n")
    assert log.read_bytes() == whole.path.read_bytes()


def test_a_log_cannot_be_resumed_with_another_selection(unfinished: Path, resume: Resume) -> None:
    code, stderr = resume(unfinished, "--case", "*/many[shape=s1*]")
    assert code == 2
    assert refusal(unfinished, stderr).startswith("was made with another selection: ")
    assert stderr.endswith("\n  fix:  start a new log\n")


@pytest.mark.slow
def test_a_log_cannot_be_resumed_with_changed_case_files(unfinished: Path, resume: Resume) -> None:
    with (unfinished / "cases" / "onnx" / "Split" / "cases.yaml").open("a") as file:
        file.write("# changed\n")
    code, stderr = resume(unfinished)
    assert code == 2
    assert refusal(unfinished, stderr).startswith("was made with other case files: ")


@pytest.mark.slow
def test_a_log_cannot_be_resumed_with_other_targets(unfinished: Path, resume: Resume) -> None:
    code, stderr = resume(unfinished, target="speaks_honestly")
    assert code == 2
    assert refusal(unfinished, stderr) == (
        "was made with other targets: ['dawdles@1.0'], not ['speaks_honestly@1.0']\n  fix:  start a new log\n"
    )


@pytest.mark.slow
def test_a_file_that_is_no_log_cannot_be_resumed(room: Path, resume: Resume) -> None:
    (room / "out").mkdir()
    log = room / "out" / "run.jsonl"
    log.write_text("{}\n")
    code, stderr = resume(room)
    assert (code, stderr.startswith(f"{log}:1: is not a line of a run log: ")) == (2, True)


@pytest.mark.slow
def test_there_must_be_a_log_to_resume(room: Path, resume: Resume) -> None:
    log = room / "out" / "run.jsonl"
    assert resume(room) == (2, f"--resume: there is no log {log}\n  fix:  leave --resume out to start one\n")
