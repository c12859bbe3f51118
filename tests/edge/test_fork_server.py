"""Forks of one worker give the same outcomes as separate processes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from time import monotonic, sleep
from typing import Any

import psutil
import pytest
from gallery import write_liar

from conformance.protocol.form import Form
from conformance.protocol.outcome import AdapterFailed, Crashed, Outcome, Produced, TimedOut
from conformance.run.handshake import launched, shake_hands
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.session import Session, every_check, no_check
from conformance.spec.check import Check
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import Suite, bundled_folder
from conformance.tensors.errors import HarnessError

SHAKE_HANDS = "conformance.run.session.shake_hands"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether a fork is sound")

Start = Callable[..., Session]


@pytest.fixture(autouse=True)
def _numpy_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the command does; the liars import NumPy


@pytest.fixture
def bait(liars_suite: Suite) -> Check:
    return check_named(liars_suite, "bait")


@pytest.fixture
def first(liars_suite: Suite) -> Check:
    return check_named(liars_suite, "first")


@pytest.fixture
def start() -> Iterator[Start]:
    """Sessions, each check of which has a process of its own."""
    sessions = []

    def started(folder: Path, *, forks: bool = True, limit_s: float = 20.0) -> Session:
        session = Session(request_of(folder), limit_s, threading.Event(), every_check, forks=forks)
        sessions.append(session)
        return session

    yield started
    for session in sessions:
        session.kill()


def check_named(suite: Suite, case: str) -> Check:
    selection = Selection(cases=(f"*/{case}",), forms=(Form.CONSTANT,))
    (check,) = checks_of(families_selected(suite, selection), selection)
    return check


def request_of(folder: Path) -> TargetRequest:
    return TargetRequest(adapter=read_adapter(folder), options={})


def forkable(folder: Path, more: str = "") -> Path:
    """The adapter with a word that it may be forked, and with more code."""
    with (folder / "adapter.py").open("a") as code:
        code.write(f"\n\nAdapter.is_forkable = True\n\n{dedent(more)}")
    return folder


def is_by_forks(folder: Path) -> bool:
    with launched(request_of(folder), forks=True) as worker:
        return shake_hands(worker, request_of(folder)).by_forks


def printed(outcome: Outcome) -> tuple[object, ...]:
    """What a record keeps of an outcome, but for times and addresses."""
    match outcome:
        case Crashed():
            return Crashed, outcome.death, outcome.stage, "Segmentation fault" in outcome.stderr
        case Produced():
            return Produced, outcome.runs
        case AdapterFailed():
            return AdapterFailed, outcome.message
        case _:
            return (type(outcome),)


@pytest.mark.slow
@pytest.mark.frameworks
@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_a_bundled_adapter_starts_no_thread_that_a_fork_loses(name: str) -> None:
    assert is_by_forks(bundled_folder("adapters") / name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "liar",
    [
        *("segfaults", "segfaults_on_preparing", "segfaults_on_release", "exits_with_3", "raises_typeerror"),
        *("damages_what_follows", "caches_first_answer", "prints_to_stdout", "floods_stderr", "leaves_a_grandchild"),
        *("rejects_everything", "runs_out_of_memory", "says_too_much"),
    ],
)
def test_a_fork_is_reported_as_a_process_of_its_own(
    liar: str, tmp_path: Path, first: Check, bait: Check, start: Start
) -> None:
    folder = forkable(write_liar(tmp_path, liar))
    assert is_by_forks(folder)
    by_forks, by_processes = start(folder), start(folder, forks=False)
    for check in (first, bait, bait, first):
        assert printed(by_forks.outcome_of(check)) == printed(by_processes.outcome_of(check))


@pytest.mark.slow
def test_forks_are_of_one_worker(
    tmp_path: Path, first: Check, bait: Check, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshakes: list[object] = []

    def counted(*given: Any) -> object:
        handshakes.append(given)
        return shake_hands(*given)

    monkeypatch.setattr(SHAKE_HANDS, counted)
    session = start(forkable(write_liar(tmp_path, "segfaults")))
    assert [type(session.outcome_of(check)) for check in (bait, first) * 5] == [Crashed, Produced] * 5
    assert len(handshakes) == 1


def test_a_fork_that_hangs_costs_the_worker(tmp_path: Path, first: Check, bait: Check, start: Start) -> None:
    session = start(forkable(write_liar(tmp_path, "hangs")), limit_s=1.0)
    assert [type(session.outcome_of(check)) for check in (bait, first)] == [TimedOut, Produced]


def test_a_worker_that_dies_instead_of_its_forks_accuses_no_check(
    tmp_path: Path, first: Check, bait: Check, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE", str(os.getpid()))
    kills_its_worker = """
        import os
        import signal

        def lie(self, outputs):
            if os.getppid() != int(os.environ["ENGINE"]):
                os.kill(os.getppid(), signal.SIGKILL)
                signal.pause()
            return outputs

        Adapter.lie = lie
    """
    session = start(forkable(write_liar(tmp_path, "segfaults"), kills_its_worker))
    assert [type(session.outcome_of(check)) for check in (first, bait, first)] == [Produced] * 3


def has_ended(process: int) -> bool:
    """Whether a process ends, and its parent has noticed, within a minute."""
    end = monotonic() + 60
    while psutil.pid_exists(process) and monotonic() < end:
        sleep(0.01)
    return not psutil.pid_exists(process)


@pytest.mark.slow
def test_a_fork_that_dies_after_its_answer_hurts_no_other_check(
    tmp_path: Path, first: Check, bait: Check, start: Start
) -> None:
    dies_when_told = """
        import os
        import threading
        from time import sleep

        def die(file):
            while not file.exists():
                sleep(0.01)
            os._exit(5)

        def lie(self, outputs):
            (self.folder / "pid").write_text(str(os.getpid()))
            threading.Thread(target=die, args=[self.folder / "die"], daemon=True).start()
            return outputs

        Adapter.lie = lie
    """
    folder = forkable(write_liar(tmp_path, "segfaults"), dies_when_told)
    session = start(folder)
    session.last_of_process = no_check
    outcomes = []
    for check in (bait, first, bait, first):
        outcomes.append(type(session.outcome_of(check)))
        if check is bait:
            (folder / "die").touch()
            assert has_ended(int((folder / "pid").read_text()))
            (folder / "die").unlink()
    assert outcomes == [Produced] * 4


def test_what_a_dead_fork_left_in_its_folder_is_gone(tmp_path: Path, bait: Check, start: Start) -> None:
    leaves_a_file = """
        import os
        import pathlib

        def lie(self, outputs):
            folder = pathlib.Path(os.environ["CONFORMANCE_SCRATCH_FOLDER"])
            was_empty = not list(folder.iterdir())
            (folder / "folder").mkdir()
            (folder / "folder" / "file").touch()
            (folder / "file").touch()
            os._exit(0 if was_empty else 1)

        Adapter.lie = lie
    """
    session = start(forkable(write_liar(tmp_path, "segfaults"), leaves_a_file))
    assert [printed(session.outcome_of(bait))[1] for _ in range(3)] == ["exit status 0"] * 3


@pytest.mark.slow
def test_an_adapter_with_threads_is_not_forked(tmp_path: Path) -> None:
    starts_a_thread = """
        import threading

        threading.Thread(target=threading.Event().wait, daemon=True).start()
    """
    assert not is_by_forks(forkable(write_liar(tmp_path, "segfaults"), starts_a_thread))


@pytest.mark.slow
def test_an_adapter_that_does_not_offer_it_is_not_forked(tmp_path: Path) -> None:
    assert not is_by_forks(write_liar(tmp_path, "segfaults"))


@pytest.mark.parametrize(("end", "death"), [("os._exit(7)", "exit status 7"), ("os.kill(os.getpid(), 9)", "SIGKILL")])
def test_an_adapter_that_dies_while_it_describes_its_framework_cannot_start(
    end: str, death: str, tmp_path: Path
) -> None:
    dies = f"""
        import os

        def describe(self):
            os.write(2, b"no licence")
            {end}

        Adapter.describe = describe
    """
    with pytest.raises(HarnessError) as error:
        is_by_forks(forkable(write_liar(tmp_path, "segfaults"), dies))
    assert error.value.what == f"the worker could not start: {death}"
    assert "no licence" in error.value.fix
