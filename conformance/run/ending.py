"""How a run ends: by a signal, in order; or killed, when a process next to it ends its workers."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TextIO, cast

from conformance.tensors.machine import processes_with
from conformance.tensors.text import without_ci_commands

# The signals that end a command in order: Ctrl-C, SIGTERM, and SIGHUP, which a closing terminal sends.

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptedBySignal(KeyboardInterrupt):
    """One of these signals arrived; the text is its name."""


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Call a listener with the name of each of these signals while the context is open.

    Outside the main thread, the context does nothing. An ignored signal stays ignored: `nohup` starts commands that
    way.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def hear(number: int, _: FrameType | None) -> None:
        listener(signal.Signals(number).name)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    heard = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in heard:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


def interrupt(name: str) -> None:
    """A listener that ends the program.

    Raises:
        InterruptedBySignal: always.
    """
    raise InterruptedBySignal(name)


_KILL_EACH_S = 0.1


@contextmanager
def killed_when(stopping: threading.Event, kill: Callable[[], None]) -> Iterator[None]:
    """Kill workers when `stopping` is set while the context is open, whose thread may wait for one.

    They are killed again and again, since a worker may be starting.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_KILL_EACH_S):
            if stopping.is_set():
                kill()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


# The standard streams of a command: closed, full or without a reader, they end no process.
#
# Printed text is not a command to the CI that reads it. That is decided here, after a terminal's lines are wrapped.


class _Lenient(io.TextIOWrapper):
    """A stream that drops all text after its first failed write, and says nothing to a CI."""

    problem: OSError | None = None

    def write(self, text: str) -> int:
        try:
            super().write(without_ci_commands(text))
        except OSError as error:
            self._give_up(error)
        return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.problem = self.problem or error
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())  # what is left in the buffer goes there too
        os.close(nothing)


def make_lenient() -> None:
    """Replace standard output and standard error, so that text that cannot be written or encoded ends no process."""
    _open_what_is_closed()
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is not getattr(sys, f"__{name}__"):
            continue  # a test or a caller has replaced it
        buffer = io.BufferedWriter(io.FileIO(number, "wb", closefd=False)) if stream is None else stream.buffer
        encoding = "utf-8" if stream is None else stream.encoding
        is_prompt = number == 2 or os.isatty(number)
        setattr(sys, name, _Lenient(buffer, encoding, "backslashreplace", line_buffering=is_prompt))


def is_read(stream: TextIO) -> bool:
    """Whether all text could be written so far. It could not if the reader closed the pipe, or the disk is full."""
    return getattr(stream, "problem", None) is None


def unwritten(stream: TextIO) -> str:
    """Why some text was not written. Empty if all text was written, or if the reader closed the pipe."""
    stream.flush()
    problem = getattr(stream, "problem", None)
    if problem is None or problem.errno == errno.EPIPE:
        return ""
    return cast("OSError", problem).strerror or str(problem)


def _open_what_is_closed() -> None:
    """Open the null device for each closed stream. Otherwise the next file, such as the log, would get its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


# A process that ends the engine's workers if the engine is killed. The engine reports the start and the end of each
# process group, with the group's folder. When the engine ends, for any reason, the guardian's input closes: it kills
# the remaining groups and removes their folders. On Linux it also kills processes that left their group; it finds
# them by the folder's name in their inherited environment. It starts without any folder of packages but that of this
# one, and imports the standard library and `procfs` alone.

PREFIX = "opconform-"
"""The beginning of each folder's name, for all engines."""
_FOLDER = str(Path(__file__).parents[2])
_SCRIPT = (
    "import sys; sys.path.append(sys.argv[1]); from conformance.run.ending import serve; "
    "serve(sys.stdin.buffer, sys.argv[2])"
)
_ROUNDS = 20
"""How many times it searches for processes that left their group: a process may start others before it is killed."""


class Guardian:
    """The engine's side: starts the guardian process, and starts it again if it was killed. Any thread may use it.

    Attributes:
        prefix: the beginning of each folder's name, for this engine.
    """

    def __init__(self) -> None:
        self.prefix = f"{PREFIX}{uuid.uuid4().hex}-"
        self._folders: dict[int, str] = {}
        self._lock = threading.Lock()
        self._start()

    def watch(self, group: int, folder: str) -> None:
        """Kill this process group and remove its folder when the engine ends."""
        with self._lock:
            self._folders[group] = folder
            self._send([_entry(group, folder)])

    def release(self, group: int) -> None:
        """Forget a group that ended; its number may be reused."""
        with self._lock:
            if self._folders.pop(group, None) is not None:
                self._send([b"-%d\n" % group])

    def _send(self, lines: list[bytes]) -> None:
        try:
            self._write(lines)
        except (OSError, ValueError):
            self._process.wait()
            with contextlib.suppress(OSError, ValueError):  # no process can be started now: go on without one
                self._start()
                self._write([_entry(group, folder) for group, folder in self._folders.items()])

    def _write(self, lines: list[bytes]) -> None:
        self._stream.write(b"".join(lines))
        self._stream.flush()

    def _start(self) -> None:
        import subprocess

        self._process = subprocess.Popen(  # noqa: S603  (our own script)
            [sys.executable, "-I", "-S", "-c", _SCRIPT, _FOLDER, self.prefix],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches only the engine
        )
        assert self._process.stdin is not None
        self._stream: BinaryIO = self._process.stdin  # type: ignore[assignment]


def _entry(group: int, folder: str) -> bytes:
    return b"+%d %s\n" % (group, os.fsencode(folder).hex().encode())


_STARTING = threading.Lock()


def guardian() -> Guardian:
    """The only guardian of this process. A second one would kill its groups when it is garbage-collected."""
    with _STARTING:
        return _first()


def forget_guardian() -> None:
    """Let a forked process start a guardian of its own: the inherited one ends with the parent's workers."""
    _first.cache_clear()


_first = cache(Guardian)


def serve(stream: BinaryIO, prefix: str) -> None:
    """The guardian process: reads reports until the engine has ended, and cleans up."""
    folders: dict[int, str] = {}
    for line in stream:
        number, _, folder = line[1:].decode().strip().partition(" ")
        if line[:1] == b"+":
            folders[int(number)] = os.fsdecode(bytes.fromhex(folder))
        else:
            folders.pop(int(number), None)
    for group in folders:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(_ROUNDS):
        left = processes_with(os.fsencode(prefix))
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not left:
            break
    for folder in folders.values():
        shutil.rmtree(folder, ignore_errors=True)
