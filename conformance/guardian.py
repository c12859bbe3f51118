"""A process beside the engine that ends the engine's workers where the engine cannot: because it was killed itself.

The engine tells it of each process group that begins and ends. When the engine is gone, however that happened, its
input comes to an end, and it kills the groups that are left. A process that has left its group is not among them.

It runs as a script, and imports nothing of this package.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from functools import cache
from typing import BinaryIO


class Guardian:
    """The engine's side: one process, started with the first group. Any thread may tell it something."""

    def __init__(self) -> None:
        import subprocess

        process = subprocess.Popen(  # noqa: S603  (our own script)
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C ends the engine alone
        )
        assert process.stdin is not None
        self._stream: BinaryIO = process.stdin  # type: ignore[assignment]
        self._process = process
        self._lock = threading.Lock()

    def watch(self, group: int) -> None:
        """End this process group with the engine."""
        self._tell(b"+%d\n" % group)

    def release(self, group: int) -> None:
        """The group is gone; its number may soon be another's."""
        self._tell(b"-%d\n" % group)

    def _tell(self, line: bytes) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):  # where it was killed, nobody guards
            self._stream.write(line)
            self._stream.flush()


_STARTING = threading.Lock()


def guardian() -> Guardian:
    """That of this process, for any thread: a second one that is let go of would end the groups that it was told of."""
    with _STARTING:
        return _first()


@cache
def _first() -> Guardian:
    return Guardian()


def _serve(stream: BinaryIO) -> None:
    groups = set()
    for line in stream:
        group = int(line[1:])
        if line[:1] == b"+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    _serve(sys.stdin.buffer)
