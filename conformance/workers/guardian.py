"""A process beside the engine that ends the engine's workers where the engine cannot: because it was killed itself.

The engine tells it of each process group that begins and ends, and of the folder for its files. When the engine is
gone, however that happened, its input comes to an end: it kills the groups that are left, and removes their folders. On
Linux it finds what has left its group, too, by the name of such a folder in the environment that it inherited.

It runs as a script, and imports nothing of this package.
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

_ROUNDS = 20
"""How often what has left its group is looked for: a process may start others while it is ended."""


class Guardian:
    """The engine's side: one process, started with the first group, and again where it was killed. Any thread may tell
    it something.

    Attributes:
        prefix: what the name of each folder begins with.
    """

    def __init__(self) -> None:
        self.prefix = f"conformance-{uuid.uuid4().hex}-"
        self._folders: dict[int, str] = {}
        self._lock = threading.Lock()
        self._start()

    def watch(self, group: int, folder: str) -> None:
        """End this process group, and remove its folder, with the engine."""
        with self._lock:
            self._folders[group] = folder
            self._tell([_entry(group, folder)])

    def release(self, group: int) -> None:
        """The group is gone; its number may soon be another's."""
        with self._lock:
            if self._folders.pop(group, None) is not None:
                self._tell([b"-%d\n" % group])

    def _tell(self, lines: list[bytes]) -> None:
        try:
            self._write(lines)
        except (OSError, ValueError):
            self._process.wait()
            with contextlib.suppress(OSError, ValueError):  # the system gives no other: nothing guards
                self._start()
                self._write([_entry(group, folder) for group, folder in self._folders.items()])

    def _write(self, lines: list[bytes]) -> None:
        self._stream.write(b"".join(lines))
        self._stream.flush()

    def _start(self) -> None:
        import subprocess

        self._process = subprocess.Popen(  # noqa: S603  (our own script)
            [sys.executable, "-I", "-S", __file__, self.prefix],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C ends the engine alone
        )
        assert self._process.stdin is not None
        self._stream: BinaryIO = self._process.stdin  # type: ignore[assignment]


def _entry(group: int, folder: str) -> bytes:
    return b"+%d %s\n" % (group, os.fsencode(folder).hex().encode())


_STARTING = threading.Lock()


def guardian() -> Guardian:
    """That of this process, for any thread: a second one that is let go of would end the groups that it was told of."""
    with _STARTING:
        return _first()


@cache
def _first() -> Guardian:
    return Guardian()


def _serve(stream: BinaryIO, prefix: str) -> None:
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
        left = _descendants(prefix)
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not left:
            break
    for folder in folders.values():
        shutil.rmtree(folder, ignore_errors=True)


def _descendants(prefix: str) -> list[int]:
    """The processes that have the name of a folder in their environment, where the system tells it."""
    found, name = [], os.fsencode(prefix)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.argv[1])
