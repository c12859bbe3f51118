"""Worker processes and their pipes: much data both ways at once, no answer, no program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.protocol.frames import Frame, frame_to_bytes
from conformance.run.process import WorkerDiedError, WorkerProcess, WorkerTimeoutError
from conformance.tensors.errors import HarnessError, ProtocolError

ECHO = """
import sys
while data := sys.stdin.buffer.read1(1 << 16):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
"""
DIES_BESIDE_ITS_MODEL = """
import os, signal, sys
from conformance.adapter import Call, model_source
call = Call(operator="onnx.Split-13", attributes={}, inputs=(), declared_outputs=1, model=b"model", model_data=b"data")
with model_source(call) as source:
    sys.stderr.write(str(source))
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
MEBIBYTE = 1 << 20


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.slow
def test_what_is_sent_is_what_an_echo_returns() -> None:
    with WorkerProcess(python(ECHO)) as worker:
        worker.send(frame_to_bytes({"text": "é"}, [b"one", b"", b"two"]))
        frame = worker.receive(10, 100)
    assert frame == Frame({"text": "é", "attachments": [3, 0, 3]}, (b"one", b"", b"two"))


@pytest.mark.slow
def test_many_megabytes_go_both_ways_at_once() -> None:
    payload = bytes(range(256)) * (MEBIBYTE // 256)
    with WorkerProcess(python(ECHO)) as worker:
        for number in range(32):
            worker.send(frame_to_bytes({"id": number}, [payload]))
        for number in range(32):
            frame = worker.receive(20, MEBIBYTE)
            assert frame.header["id"] == number
            assert bytes(frame.attachments[0]) == payload


def test_sending_does_not_wait_for_a_worker_that_does_not_read() -> None:
    with WorkerProcess(python("import time; time.sleep(60)")) as worker:
        worker.send(frame_to_bytes({}, [bytes(16 * MEBIBYTE)]))
        with pytest.raises(WorkerTimeoutError, match=r"^no answer within 0\.3 s$"):
            worker.receive(0.3, 100)


def test_a_flood_of_errors_blocks_nothing_and_its_end_is_kept() -> None:
    flood = "import sys; sys.stderr.write('x' * (8 << 20) + 'the end'); sys.exit(4)"
    with WorkerProcess(python(flood)) as worker, pytest.raises(WorkerDiedError) as death:
        worker.receive(20, 100)
    assert death.value.death == "exit status 4"
    assert death.value.stderr == "x" * ((16 << 10) - 7) + "the end"


@pytest.mark.slow
def test_the_files_of_a_worker_are_removed_when_it_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with WorkerProcess(python(DIES_BESIDE_ITS_MODEL)) as worker, pytest.raises(WorkerDiedError) as death:
        worker.receive(20, 100)
    assert death.value.death == "SIGKILL"
    assert Path(death.value.stderr).is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_command_that_cannot_be_started_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(HarnessError, match="cannot be started"):
        WorkerProcess(["./there-is-no-such-program"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_was_answered_before_a_death_is_still_read() -> None:
    frame = b"".join(bytes(piece) for piece in frame_to_bytes({"id": 1}, [b"last words"]))
    code = f"import os; os.write(1, {frame!r}); os.abort()"
    with WorkerProcess(python(code)) as worker:
        assert worker.receive(20, 100) == Frame({"id": 1, "attachments": [10]}, (b"last words",))
        with pytest.raises(WorkerDiedError, match=r"^SIGABRT$"):
            worker.receive(20, 100)


@pytest.mark.slow
def test_a_worker_that_ends_of_itself_is_let_finish(tmp_path: Path) -> None:
    code = "import pathlib, sys; sys.stdin.read(); pathlib.Path('ended').touch()"
    worker = WorkerProcess(python(code), tmp_path)
    worker.finish()
    assert (tmp_path / "ended").exists()


def test_ending_a_worker_twice_does_no_harm() -> None:
    worker = WorkerProcess(python(ECHO))
    worker.kill()
    worker.kill()
    with pytest.raises(WorkerDiedError, match=r"^SIGKILL$"):
        worker.receive(1, 100)


@pytest.mark.slow
def test_text_instead_of_a_frame_is_quoted() -> None:
    code = "print('Traceback (most recent call last)')"
    with WorkerProcess(python(code)) as worker, pytest.raises(ProtocolError) as error:
        worker.receive(20, 100)
    assert str(error.value) == (
        "worker protocol: the stream has b'Traceback (most ' where a frame must start\n"
        "  fix:  see docs/reference/protocol.md; print to stderr, never to the protocol's stream"
    )


@pytest.mark.slow
def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(HarnessError) as error:
        WorkerProcess(["no-such-program", "--serve"])
    assert str(error.value) == (
        "adapter: the command 'no-such-program' cannot be started: No such file or directory\n"
        "  fix:  check `command` or `python` in its adapter.yaml"
    )


def test_a_command_that_is_no_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "serve").write_text("not a program")
    with pytest.raises(HarnessError, match="cannot be started: Permission denied"):
        WorkerProcess([str(tmp_path / "serve")])
