"""Starts worker processes, exchanges frames with them, enforces time limits and kills them; also runs commands to their
end. Only this module and `guardian` use `subprocess`.

The caller reads from the worker. A thread writes to it, so that engine and worker never wait for each other's full
pipe. Another thread kills a worker that does not answer in time; that ends the caller's read, for any pipe on any
system.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import math
import os
import queue
import re
import select
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock
from time import monotonic, sleep
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from conformance.protocol.frames import STDERR_TAIL_BYTES, Frame, TruncatedFrameError, read_frame
from conformance.protocol.outcome import OUT_OF_MEMORY, SCRATCH_FOLDER
from conformance.run.arena import Arena
from conformance.run.ending import PREFIX, guardian
from conformance.tensors import machine as procfs
from conformance.tensors.errors import MachineError, WorkerStartError
from conformance.tensors.tensor import Bytes
from conformance.tensors.text import without_folders

if TYPE_CHECKING:
    import psutil
    from _typeshed import WriteableBuffer


# Reads the CPU time of a process and its descendants, and the memory that they fill.

_OWN_KIB = re.compile(r"^(?:RssAnon|VmSwap):\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessUse:
    """Seconds of CPU time so far, whether a thread runs or waits for a core now, and the memory of the process that
    fills most: forks share theirs.
    """

    cpu_s: float
    is_runnable: bool
    memory_bytes: int = 0


def use_of(pid: int) -> ProcessUse | None:
    """The use of a process and its living descendants; None if it has ended."""
    import psutil

    used: list[ProcessUse] = []
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                used.append(_use_of(member))
    if not used:
        return None
    return ProcessUse(
        cpu_s=sum(use.cpu_s for use in used),
        is_runnable=any(use.is_runnable for use in used),
        memory_bytes=max(use.memory_bytes for use in used),
    )


def _use_of(process: psutil.Process) -> ProcessUse:
    """The use of one process. Where the system does not report the states of its threads, its own state counts."""
    times = process.cpu_times()
    states = [stat.rpartition(")")[2].split()[0] for stat in procfs.texts(f"{process.pid}/task/*/stat")]
    is_runnable = "R" in states if states else process.status() == "running"
    return ProcessUse(cpu_s=times.user + times.system, is_runnable=is_runnable, memory_bytes=_own_bytes(process))


def _own_bytes(process: psutil.Process) -> int:
    """Resident and swapped memory without files and shared memory; where the system does not tell them apart, all."""
    found = _OWN_KIB.findall(procfs.text(f"{process.pid}/status"))
    return 1024 * sum(map(int, found)) if found else process.memory_info().rss


# Counts the processes that the kernel killed for want of memory, within the memory limit that applies to this process.
#
# Linux only: elsewhere, the count is 0. It tells such a kill from one by somebody else, since both send SIGKILL.

_MOUNT = Path("/sys/fs/cgroup")


def oom_kills() -> int:
    """The number so far: of the control group of this process, or of the machine if no group counts them."""
    for text in (*_texts_of_groups(), procfs.text("vmstat")):
        for line in text.splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill" and count.isdecimal():
                return int(count)
    return 0


def _texts_of_groups() -> Iterator[str]:
    """What may count: of control groups of both versions, named as the system or as a container sees them."""
    for line in procfs.text("self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if "memory" in controllers.split(","):
            folder, file = _MOUNT / "memory", "memory.oom_control"
        elif not controllers:
            folder, file = _MOUNT, "memory.events"
        else:
            continue
        for path in (folder / group.lstrip("/") / file, folder / file):
            with suppress(OSError):
                yield path.read_text()


# A time limit that holds while the machine pauses or is busy, with a limit of memory.
#
# It adds up the short ticks of a watching thread. A pause of the engine itself (SIGSTOP, a frozen container, a
# suspended virtual machine) counts as one tick. While the worker is ready to run but gets less than a core, only the
# CPU time that it gets counts. So a process uses up its limit only by sleeping or by using CPU time.

LONGEST_TICK_S = 0.25
"""A longer tick counts as this: the watching thread did not run meanwhile."""
_SAMPLE_S = 0.25
"""Seconds between two readings of CPU time, which the system counts in hundredths of a second."""
MOST_TIMES = 10
"""A worker that gets no CPU time reaches its limit after this many times the limit."""


class TimeLimit:
    """Counts how much of a limit is used up.

    Args:
        limit_s: seconds.
        now_s: the clock's time at the start.
        read_use: reads the worker's use so far; None if the system does not report it.
        max_memory_bytes: the memory that a process of the worker may fill meanwhile.
    """

    def __init__(
        self,
        limit_s: float,
        now_s: float,
        read_use: Callable[[], ProcessUse | None],
        max_memory_bytes: float = math.inf,
    ) -> None:
        self._limit_s = limit_s
        self._max_memory_bytes = max_memory_bytes
        self._read_use = read_use
        self._last_s = now_s
        self._ticked_s = 0.0
        self._starved_s = 0.0
        self._sampled_s = 0.0
        self._use: ProcessUse | None = None

    def is_over_at(self, now_s: float) -> bool:
        """Whether the limit is used up. Call this at short intervals; each interval is a tick."""
        self._ticked_s += min(now_s - self._last_s, LONGEST_TICK_S)
        self._last_s = now_s
        if self._ticked_s - self._sampled_s >= _SAMPLE_S:
            self._sample()
        return self._ticked_s - self._starved_s > self._limit_s or self._ticked_s > self._limit_s * MOST_TIMES

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the worker filled more memory than it may when its use was read last."""
        return self._use is not None and self._use.memory_bytes > self._max_memory_bytes

    def _sample(self) -> None:
        before, self._use = self._use, self._read_use()
        spell_s, self._sampled_s = self._ticked_s - self._sampled_s, self._ticked_s
        if before is not None and self._use is not None and self._use.is_runnable:
            used_s = max(0.0, self._use.cpu_s - before.cpu_s)  # negative if a child has ended
            self._starved_s += max(0.0, spell_s - used_s)


# Temporary folders of which none stays beyond the next run.
#
# The engine locks each of its folders. If the engine and its guardian are killed, the folder stays, and the system
# releases the lock. The next engine removes every folder without a lock.


class Scratch:
    """A new temporary folder, whose path is `name`.

    Raises:
        OSError: the system provides no folder.
    """

    def __init__(self, prefix: str = PREFIX) -> None:
        _remove_abandoned()
        self._closing = Lock()
        self._lock = -1
        while True:
            self._folder = TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
            self.name = self._folder.name
            try:
                self._lock = _lock_of(self.name)
            except (FileNotFoundError, BlockingIOError):  # another engine removes it: nobody had locked it yet
                self._folder.cleanup()
            except OSError:
                return  # no locks here
            else:
                return

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder, and unlock it."""
        self._folder.cleanup()
        with self._closing:
            if self._lock >= 0:
                os.close(self._lock)
            self._lock = -1


@cache
def _remove_abandoned() -> None:
    """Remove the folders of this user that no engine has locked, once in a process."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.stat(follow_symlinks=False).st_uid == os.geteuid():
                lock = _lock_of(str(folder))
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _lock_of(folder: str) -> int:
    """The file descriptor that holds the lock on a folder.

    Raises:
        FileNotFoundError: the folder is gone.
        BlockingIOError: another engine has locked it.
        OSError: the system has no such locks.
    """
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(folder)  # noqa: PTH116
    except OSError:
        os.close(number)
        raise
    return number


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

    def cause_of_death(self, death: str) -> str:
        """The death of the process or of a fork of it; OUT_OF_MEMORY if the system killed it for want of memory.

        Call this once for each death: it counts what the system has killed since the last one.
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
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Ended:
    """Run a command in a new folder that holds `files`, by name. It is killed with its children after `limit_s`
    seconds, as `TimeLimit` counts them, when `stopping` is set, or when an exception of a signal ends the call.
    `variables` are its environment.
    """
    stopping = stopping or threading.Event()
    with Scratch(guardian().prefix) as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        with _started(command, Path(folder), {**variables, SCRATCH_FOLDER: folder}) as process:
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
