"""Runs that end before their end: by Ctrl-C, by a signal, by a death; and how they are finished."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
from gallery import LIARS, Log, count_again, read_log, write_liar

from conformance.cli import main
from conformance.verdict import Verdict

NUM_CASES = 60


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a copy of the suite and adapters that take a second and more for it."""
    shutil.copytree(LIARS / "cases", tmp_path / "cases")
    for name in ("dawdles", "takes_its_time", "speaks_honestly"):
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


def interrupted_by(number: int, room: Path, target: str) -> tuple[int, str]:
    """Exit code and standard error of a run that gets a signal once its log has ten records."""
    start = command(room, target=target)
    with subprocess.Popen(start, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        for _ in until_true(120):
            if num_lines(room / "out" / "run.jsonl") > 10:
                break
        process.send_signal(number)
        _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr


def until_true(limit_s: float) -> Iterator[None]:
    """Goes on until the caller breaks; fails after `limit_s` seconds."""
    end = monotonic() + limit_s
    while monotonic() < end:
        yield
        sleep(0.02)
    pytest.fail(f"nothing happened for {limit_s} s")


def num_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def living_workers(room: Path, target: str) -> list[int]:
    numbers = [int(path.name.partition("-")[2]) for path in (room / target).glob("pid-*")]
    assert numbers
    return [number for number in numbers if is_alive(number)]


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/status")
    return not (status.exists() and "State:\tZ" in status.read_text())


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


@pytest.mark.parametrize(("name", "target"), [("SIGINT", "takes_its_time"), ("SIGTERM", "dawdles")])
def test_a_signal_ends_a_run_in_order_and_resuming_finishes_it(
    room: Path, whole: Log, resume: Resume, name: str, target: str
) -> None:
    code, stderr = interrupted_by(signal.Signals[name], room, target)
    log = read_log(room / "out" / "run.jsonl")
    assert (code, stderr) == (3, "")
    assert log.footer is not None
    assert (log.footer.complete, log.footer.reason) == (False, f"interrupted by {name}")
    assert 10 <= log.footer.records == len(log.records) < NUM_CASES
    assert facts(log) == facts(whole)[: len(log.records)]
    assert living_workers(room, target) == []
    assert resume(room, target=target) == (0, "")
    finished = read_log(room / "out" / "run.jsonl")
    assert facts(finished) == facts(whole)
    assert finished.footer is not None
    assert (finished.footer.complete, finished.footer.records) == (True, NUM_CASES)


def test_a_worker_that_is_ended_while_it_starts_again_is_not_blamed(room: Path) -> None:
    write_liar(room, "interrupts_its_restart")
    start = command(room, "--case", "*/first", "--case", "*/bait", target="interrupts_its_restart")
    assert subprocess.run(start, check=False, stdout=subprocess.DEVNULL).returncode == 3
    log = read_log(room / "out" / "run.jsonl")
    assert [record.verdict for record in log.records] == [Verdict.PASS]
    (room / "interrupts_its_restart" / "calm").touch()
    assert subprocess.run([*start, "--resume"], check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert [record.verdict for record in read_log(log.path).records] == [Verdict.PASS, Verdict.PASS]


def test_a_killed_engine_leaves_a_readable_log_and_no_worker(room: Path, whole: Log, resume: Resume) -> None:
    code, _ = interrupted_by(signal.SIGKILL, room, "takes_its_time")
    log = read_log(room / "out" / "run.jsonl")
    assert (code, log.footer) == (-signal.SIGKILL, None)
    assert facts(log) == facts(whole)[: len(log.records)]
    for _ in until_true(120):
        if not living_workers(room, "takes_its_time"):
            break
    assert resume(room, target="takes_its_time") == (0, "")
    assert facts(read_log(room / "out" / "run.jsonl")) == facts(whole)


def test_a_line_that_was_cut_off_is_asked_again(room: Path, whole: Log, resume: Resume) -> None:
    lines = whole.path.read_bytes().splitlines(keepends=True)
    (room / "out").mkdir()
    (room / "out" / "run.jsonl").write_bytes(b"".join(lines[:51]) + lines[51][:100])
    assert resume(room) == (0, "")
    finished = read_log(room / "out" / "run.jsonl")
    assert finished.records[:50] == whole.records[:50]
    assert facts(finished) == facts(whole)


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
    assert resume(room) == (2, f"{log}: is complete already\n  fix:  leave --resume out to run it anew\n")
    assert log.read_bytes() == whole.path.read_bytes()


def test_a_log_cannot_be_resumed_with_another_selection(unfinished: Path, resume: Resume) -> None:
    code, stderr = resume(unfinished, "--case", "*/many[shape=s1*]")
    assert code == 2
    assert refusal(unfinished, stderr).startswith("was made with another selection: ")
    assert stderr.endswith("\n  fix:  start a new log\n")


def test_a_log_cannot_be_resumed_with_changed_case_files(unfinished: Path, resume: Resume) -> None:
    with (unfinished / "cases" / "onnx" / "Split" / "cases.yaml").open("a") as file:
        file.write("# changed\n")
    code, stderr = resume(unfinished)
    assert code == 2
    assert refusal(unfinished, stderr).startswith("was made with other case files: ")


def test_a_log_cannot_be_resumed_with_other_targets(unfinished: Path, resume: Resume) -> None:
    code, stderr = resume(unfinished, target="speaks_honestly")
    assert code == 2
    assert refusal(unfinished, stderr) == (
        "was made with other targets: ['dawdles@1.0'], not ['speaks_honestly@1.0']\n  fix:  start a new log\n"
    )


def test_a_file_that_is_no_log_cannot_be_resumed(room: Path, resume: Resume) -> None:
    (room / "out").mkdir()
    log = room / "out" / "run.jsonl"
    log.write_text("{}\n")
    code, stderr = resume(room)
    assert (code, stderr.startswith(f"{log}:1: is not a line of a run log: ")) == (2, True)


def test_there_must_be_a_log_to_resume(room: Path, resume: Resume) -> None:
    log = room / "out" / "run.jsonl"
    assert resume(room) == (2, f"--resume: there is no log {log}\n  fix:  leave --resume out to start one\n")


def test_a_run_can_be_interrupted_while_a_worker_starts(room: Path) -> None:
    write_liar(room, "never_says_hello")
    code, stderr = interrupted_once(
        lambda: any((room / "never_says_hello").glob("pid-*")), command(room, target="never_says_hello")
    )
    assert (code, stderr) == (3, "run: interrupted by SIGINT before the first check\n")


def test_a_run_can_be_interrupted_while_it_is_planned(tmp_path: Path) -> None:
    out = tmp_path / "out"
    start = [sys.executable, "-m", "conformance", "run", "-q", "--set", "full", "-t", "numpy", "--output", str(out)]
    code, stderr = interrupted_once(lambda: out.exists() and not sleep(1.5), start)  # Python's import drops a signal
    assert code == 3
    assert stderr in ("interrupted by SIGINT\n", "run: interrupted by SIGINT before the first check\n")


def interrupted_once(is_time: Callable[[], bool], start: list[str]) -> tuple[int, str]:
    """Exit code and standard error of a command that gets a signal as soon as it is time."""
    with subprocess.Popen(start, stderr=subprocess.PIPE, text=True) as process:
        for _ in until_true(120):
            if is_time():
                break
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr
