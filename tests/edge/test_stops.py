"""No record says what a stop did: each is that of a run that nobody stopped, and `--resume` asks what is missing."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

import pytest
from command import hear_hangup
from gallery import LIARS, Log, read_log, write_liar

from conformance.spec.verdict import ExitCode, Verdict

if sys.platform == "win32":
    pytest.skip("sends signals", allow_module_level=True)

PASS, WRONG, NEIGHBOUR, NOT_RUN = Verdict.PASS, Verdict.WRONG_RESULT, Verdict.NEIGHBOUR, Verdict.NOT_RUN
NOT_CONFORMING, HARNESS = ExitCode.NOT_CONFORMING, ExitCode.HARNESS
TWIN = {"first": PASS, "bait": WRONG, "too-much": PASS, "last": PASS}
"""Cases for which a second worker repeats a check and a third one runs a twin, with the verdicts."""
CONTROL = {"first": PASS, "bait": WRONG, "first-again": PASS, "zeros-of-both-signs": NEIGHBOUR}
"""Cases for which the third one runs a control."""
LIMIT_S = 60.0

FURTHER = {"repeats": (2, TWIN), "twin": (3, TWIN), "control": (3, CONTROL)}
"""The workers after the first, by what they do: the number of each, and the cases."""
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]

further_workers = pytest.mark.parametrize(("start", "wanted"), FURTHER.values(), ids=FURTHER)


class Room:
    """A folder in which cases run on one liar."""

    def __init__(self, folder: Path, cases: Sequence[str], liar: str = "starts_as_told") -> None:
        shutil.copytree(LIARS / "cases", folder / "cases")
        self.name, self.liar, self.output = liar, write_liar(folder, liar), folder / "out"
        where = ["--target", str(self.liar), "--output", str(self.output), "--cases-folder", str(folder / "cases")]
        selected = [*(f"--case=*/{case}" for case in cases), "--form=constant", "--form=before-concat"]
        self.command = [sys.executable, "-P", "-m", "conformance", "run", "--quiet", "--jobs=1", *where, *selected]

    def finished(self, *options: str) -> int:
        """The exit code of a run that nobody stops."""
        command = [*self.command, *options]
        return subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=LIMIT_S).returncode

    def stopped(self, number: int, start: int) -> int:
        """The exit code of a run that gets a signal while a worker starts, which then waits."""
        (self.liar / f"hold-at-{start}").touch()
        process = subprocess.Popen(
            self.command,
            stdout=subprocess.DEVNULL,
            preexec_fn=hear_hangup,  # noqa: PLW1509  (one system call)
        )
        deadline = monotonic() + LIMIT_S
        while not (self.liar / f"start-{start}").exists() and process.poll() is None and monotonic() < deadline:
            sleep(0.005)
        process.send_signal(number)
        return process.wait(LIMIT_S)

    @property
    def log(self) -> Log:
        return read_log(self.output / "run.jsonl")

    @property
    def verdicts(self) -> list[Verdict]:
        return [record.verdict for record in self.log.records]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "start", "wanted"), [(number, *FURTHER[what]) for number, what in zip(SIGNALS, FURTHER, strict=True)]
)
def test_a_stop_while_a_worker_starts_leaves_no_record_of_it(
    number: int, start: int, wanted: dict[str, Verdict], tmp_path: Path
) -> None:
    room, whole = Room(tmp_path, list(wanted)), list(wanted.values())
    assert room.stopped(number, start) == HARNESS
    done = room.verdicts
    assert 0 < len(done) < len(whole)
    assert done == whole[: len(done)]
    assert room.finished("--resume") == NOT_CONFORMING
    assert room.verdicts == whole


@pytest.mark.slow
@further_workers
def test_a_worker_that_cannot_start_at_once_is_started_again(
    start: int, wanted: dict[str, Verdict], tmp_path: Path
) -> None:
    room = Room(tmp_path, list(wanted))
    (room.liar / f"fail-at-{start}").touch()
    assert room.finished() == NOT_CONFORMING
    assert room.verdicts == list(wanted.values())


@pytest.mark.slow
@further_workers
def test_what_no_worker_could_repeat_is_not_run_and_asked_again(
    start: int, wanted: dict[str, Verdict], tmp_path: Path
) -> None:
    room, whole = Room(tmp_path, list(wanted)), list(wanted.values())
    failing = room.liar / f"fail-from-{start}"
    failing.touch()
    assert room.finished() == HARNESS
    num_judged = room.verdicts.index(NOT_RUN)
    assert room.verdicts == whole[:num_judged] + [NOT_RUN] * (len(whole) - num_judged)
    assert "the device is busy" in room.log.records[num_judged].explanation
    failing.unlink()
    assert room.finished("--resume") == NOT_CONFORMING
    assert room.verdicts == whole


def test_a_target_that_could_not_start_may_start_when_the_run_is_resumed(tmp_path: Path) -> None:
    room = Room(tmp_path, list(TWIN))
    failing = room.liar / "fail-from-1"
    failing.touch()
    assert room.finished() == HARNESS
    assert room.log.problem(room.name)
    failing.unlink()
    assert room.finished("--resume") == NOT_CONFORMING
    assert (room.verdicts, room.log.problem(room.name)) == (list(TWIN.values()), "")


@pytest.mark.slow
def test_a_worker_that_somebody_kills_is_asked_again(tmp_path: Path) -> None:
    room = Room(tmp_path, list(TWIN), "is_killed")
    (room.liar / "once").touch()
    assert room.finished() == ExitCode.CONFORMING
    assert set(room.verdicts) == {PASS}


@pytest.mark.slow
def test_a_worker_that_is_killed_twice_is_not_judged(tmp_path: Path) -> None:
    room = Room(tmp_path, list(TWIN), "is_killed")
    assert room.finished() == HARNESS
    assert room.verdicts == [PASS, Verdict.HARNESS_ERROR, PASS, PASS]
    (killed,) = (record for record in room.log.records if record.verdict is Verdict.HARNESS_ERROR)
    assert killed.explanation == "the worker was killed twice from outside (SIGKILL)"
