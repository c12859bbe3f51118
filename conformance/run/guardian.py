"""A process that ends the engine's workers if the engine is killed.

The engine reports the start and the end of each process group, with the group's folder. When the engine ends, for any
reason, the guardian's input closes: it kills the remaining groups and removes their folders. On Linux it also kills
processes that left their group; it finds them by the folder's name in their inherited environment.

It starts without any folder of packages but that of this one, and imports the standard library and `procfs` alone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import uuid
from functools import cache
from pathlib import Path
from typing import BinaryIO

from conformance.tensors.machine import processes_with

PREFIX = "opconform-"
"""The beginning of each folder's name, for all engines."""
_FOLDER = str(Path(__file__).parents[2])
_SCRIPT = (
    "import sys; sys.path.append(sys.argv[1]); from conformance.run.guardian import serve; "
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
