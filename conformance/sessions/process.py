"""Starts worker processes, exchanges frames with them, enforces time limits and kills them; also runs commands to their
end. Only this module and `guardian` use `subprocess`.

The caller reads from the worker. A thread writes to it, so that engine and worker never wait for each other's full
pipe. Another thread kills a worker that does not answer in time; that ends the caller's read, for any pipe on any
system.
"""

from __future__ import annotations

import contextlib
import errno
import io
import math
import os
import queue
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from conformance.border.description import SCRATCH_FOLDER
from conformance.border.outcome import OUT_OF_MEMORY
from conformance.border.protocol import STDERR_TAIL_BYTES, Frame, TruncatedFrameError, read_frame
from conformance.sessions.arena import Arena
from conformance.sessions.guardian import guardian
from conformance.sessions.oom_kills import oom_kills
from conformance.sessions.process_use import use_of
from conformance.sessions.scratch import Scratch
from conformance.sessions.time_limit import TimeLimit
from conformance.values.errors import MachineError, WorkerStartError
from conformance.values.tensor import Bytes
from conformance.values.text import without_folders

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_WATCH_INTERVAL_S = 0.05
_GRACE_S = 5.0
_GATHER_S = 0.001
"""How long a reader of an empty pipe leaves answers to gather: each waking of a thread costs as much as a small one."""
SENT_BY_OTHERS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
"""The signals with which people, terminals and service managers end a process; a crash has others."""
_SHORTAGES = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Error numbers for which the machine is to blame, and not the command."""


class WorkerDiedError(Exception):
    """The worker's side of the pipe is closed. `death` says how it ended; `stderr` is the end of its standard error."""

    def __init__(self, death: str, stderr: str) -> None:
        super().__init__(death)
        self.death = death
        self.stderr = stderr


class WorkerTimeoutError(Exception):
    """The worker did not answer in time and was killed."""

    def __init__(self, limit_s: float, stderr: str) -> None:
        super().__init__(f"no answer within {limit_s:g} s")
        self.limit_s = limit_s
        self.stderr = stderr


class WorkerProcess:
    """One child process and its pipes. A context manager: leaving it ends the process."""

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """Start `command`, in `folder` if given, with `variables` added to its environment and a temporary folder.

        Raises:
            WorkerStartError: the command cannot be started.
            MachineError: the system provides no process, file or folder for it now.
        """
        with contextlib.ExitStack() as undoing:
            try:
                self._scratch = Scratch(guardian().prefix)
                undoing.callback(self._scratch.cleanup)
                self.arena = Arena(Path(self._scratch.name))
                undoing.callback(self.arena.close)
                released, holding = os.pipe()
                self._released = undoing.enter_context(io.FileIO(released))
                self._holding = undoing.enter_context(io.FileIO(holding, "w"))
            except OSError as error:
                raise _shortage(error) from None
            variables = {SCRATCH_FOLDER: self._scratch.name, **(variables or {})}
            self._oom_kills = oom_kills()
            self._process = _started(command, folder, {**os.environ, **variables})
            undoing.pop_all()
        guardian().watch(self._process.pid, self._scratch.name)
        self._stdout, self._stderr = (
            io.BufferedReader(_Pipe(released, cast("BinaryIO", pipe)), 1 << 16)
            for pipe in (self._process.stdout, self._process.stderr)
        )
        self._tail = b""
        self._outbox: queue.SimpleQueue[list[Bytes] | None] = queue.SimpleQueue()
        self._limit: TimeLimit | None = None
        self._has_timed_out = self._is_out_of_memory = False
        self._has_ended = threading.Event()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._write, self._read_stderr, self._watch)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def send(self, pieces: list[Bytes]) -> None:
        """Queue a frame; if the worker is gone, the next `receive` reports it."""
        self._outbox.put(pieces)

    def receive(
        self,
        limit_s: float,
        max_payload_bytes: int,
        aside: Callable[[Frame], bool] | None = None,
        max_memory_bytes: float = math.inf,
    ) -> Frame:
        """The worker's next frame; skips those for which `aside` returns True.

        Raises:
            WorkerTimeoutError: there was no whole frame within `limit_s` seconds, as `TimeLimit` counts them; the
                worker was killed.
            WorkerDiedError: the worker is gone, or a process of it filled more than `max_memory_bytes` and all were
                killed.
            ProtocolError: the bytes are not a frame.
        """
        self._limit = TimeLimit(limit_s, monotonic(), partial(use_of, self._process.pid), max_memory_bytes)
        try:
            frame = read_frame(self._stdout, max_payload_bytes)
            while frame is not None and aside is not None and aside(frame):
                frame = read_frame(self._stdout, max_payload_bytes)
        except (TruncatedFrameError, ValueError):  # `ValueError` if `kill` closed the pipe between two frames
            frame = None
        finally:
            self._limit = None
        if frame is not None:
            return frame
        if self._has_timed_out:
            raise WorkerTimeoutError(limit_s, self.stderr_tail())
        death = self._death()
        raise WorkerDiedError(OUT_OF_MEMORY if self._is_out_of_memory else death, self.stderr_tail())

    def explained(self, death: str) -> str:
        """The death of the process or of a fork of it; OUT_OF_MEMORY if the system killed it for want of memory. To be
        asked once for each death.
        """
        before, self._oom_kills = self._oom_kills, oom_kills()
        return OUT_OF_MEMORY if death == "SIGKILL" and self._oom_kills > before else death

    def stderr_tail(self) -> str:
        """The end of the worker's standard error, once it has ended."""
        self._threads[1].join(_GRACE_S)
        return without_folders(_text(self._tail))

    def finish(self) -> bool:
        """Close the worker's input, so that it ends; returns False if it did not, and was killed."""
        self._outbox.put(None)
        self._threads[0].join(_GRACE_S)
        try:
            self._wait()
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()
        return True

    def kill(self) -> None:
        """End the worker and its children, and wait until they are gone."""
        self._end()
        self._process.wait()
        guardian().release(self._process.pid)
        self.arena.close()
        self._scratch.cleanup()
        self._has_ended.set()
        self._outbox.put(None)
        for thread in self._threads:
            thread.join(_GRACE_S)
        for pipe in (self._stdout, self._stderr):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()
        self._released.close()

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (pieces := self._outbox.get()) is not None:
                for piece in pieces:
                    stream.write(piece)
                if self._outbox.empty():
                    stream.flush()
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _read_stderr(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while data := self._stderr.read1(1 << 16):
                self._tail = (self._tail + data)[-STDERR_TAIL_BYTES:]

    def _watch(self) -> None:
        while not self._has_ended.wait(_WATCH_INTERVAL_S):
            limit = self._limit
            if limit is None:
                continue
            if self._process.poll() is not None:  # its children must not keep the caller waiting
                self._end()
                return
            is_over = limit.is_over_at(monotonic())
            if is_over or limit.is_out_of_memory:
                self._is_out_of_memory = limit.is_out_of_memory
                self._has_timed_out = not self._is_out_of_memory
                self._end()
                return

    def _death(self) -> str:
        """How the process ended, in words. A process that closed its output but still runs is killed."""
        try:
            code = self._wait()
        except subprocess.TimeoutExpired:
            return "closed its output without ending"
        finally:
            self._end()
        return death_from_code(code)

    def _wait(self) -> int:
        """The return code of a process that is about to end; waits `_GRACE_S` seconds, as `TimeLimit` counts them.

        Raises:
            TimeoutExpired: the process does not end.
        """
        limit = TimeLimit(_GRACE_S, monotonic(), partial(use_of, self._process.pid))
        while True:
            try:
                return self._process.wait(_WATCH_INTERVAL_S)
            except subprocess.TimeoutExpired:
                if limit.is_over_at(monotonic()):
                    raise

    def _end(self) -> None:
        """Kill the worker with its children, and release its pipes: a process that left the group may hold them."""
        _kill_group(self._process)
        self._holding.close()


def _started(command: Sequence[str], folder: Path | None, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  (an adapter's command is code that the user chose to run)
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=-1,
            start_new_session=True,  # Ctrl-C reaches only the engine, and a worker's children end with the worker
        )
    except (OSError, ValueError) as error:  # `ValueError` for a NUL in the command
        if isinstance(error, OSError) and error.errno in _SHORTAGES:
            raise _shortage(error) from None
        what = f"the command {command[0]!r} cannot be started: {getattr(error, 'strerror', error)}"
        raise WorkerStartError("adapter", what, fix="check `command` or `python` in its adapter.yaml") from None


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _shortage(error: OSError) -> MachineError:
    what = f"none can be started now: {error.strerror or error}"
    fix = "make room for processes and files, then give the command again with --resume"
    return MachineError("worker", what, fix=fix)


class _Pipe(io.RawIOBase):
    """The reading end of a pipe that also ends when the pipe `released` does."""

    def __init__(self, released: int, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._number = pipe.fileno()
        self._poll = select.poll()
        self._poll.register(self._number, select.POLLIN)
        self._poll.register(released, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if not self._poll.poll(0):
            sleep(_GATHER_S)
        is_ready = any(number == self._number for number, _ in self._poll.poll())
        return os.readv(self._number, [buffer]) if is_ready else 0

    def close(self) -> None:
        self._pipe.close()
        super().close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended, and its output. `code` is -n for signal n; after a kill it is None, with no output."""

    code: int | None
    stdout: str
    stderr: str


def run_to_end(
    command: Sequence[str],
    limit_s: float,
    stopping: threading.Event | None = None,
    variables: Mapping[str, str] = os.environ,
) -> Ended:
    """Run a command in an empty folder. It is killed with its children after `limit_s` seconds, as `TimeLimit` counts
    them, when `stopping` is set, or when an exception of a signal ends the call. `variables` are its environment.
    """
    stopping = stopping or threading.Event()
    with (
        Scratch(guardian().prefix) as folder,
        _started(command, Path(folder), {**variables, SCRATCH_FOLDER: folder}) as process,
    ):
        guardian().watch(process.pid, folder)
        limit = TimeLimit(limit_s, monotonic(), partial(use_of, process.pid))
        try:
            while not (limit.is_over_at(monotonic()) or stopping.is_set()):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    stdout, stderr = process.communicate(timeout=_WATCH_INTERVAL_S)
                    return Ended(code=process.returncode, stdout=_text(stdout), stderr=_text(stderr))
        finally:
            if process.returncode is None:
                _kill_group(process)
            guardian().release(process.pid)
    return Ended(code=None, stdout="", stderr="")


def death_from_code(code: int) -> str:
    """A return code in words, such as the name of a signal."""
    if code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit status {code}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
