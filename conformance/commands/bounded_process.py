"""Computes something in a process of its own, bounded in time and memory, that ends with the process that started it.

For libraries that read a user's file in C++: they may crash, never end, or take all memory. Linux alone.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from typing import NoReturn

_DIES_WITH_PARENT = 1
"""`PR_SET_PDEATHSIG` of `prctl`."""
_OUT_OF_MEMORY = 77
"""The exit status of a process that got no more memory."""
_CHUNK = 1 << 20


class NoAnswerError(Exception):
    """The process came to no answer; the text says why."""


def answer_of(compute: Callable[[], bytes], timeout_s: float, max_bytes: int) -> bytes:
    """What `compute` returns in a process of its own. Call this before this process starts threads.

    Args:
        compute: the only exception that it raises is `MemoryError`.
        timeout_s: seconds that it may take.
        max_bytes: memory that it may take.

    Raises:
        NoAnswerError: it takes longer, needs more memory, or crashes.
    """
    reader, writer = os.pipe()
    parent, child = os.getpid(), os.fork()
    if child == 0:
        os.close(reader)
        _serve(compute, writer, parent, max_bytes)
    os.close(writer)
    answer = None
    try:
        answer = _read(reader, time.monotonic() + timeout_s)
    finally:
        os.close(reader)
        if answer is None:
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if answer is None:
        raise NoAnswerError(f"it takes more than {timeout_s:g} s")
    if not answer:
        raise NoAnswerError(_reason(status, max_bytes))
    return answer


def _reason(status: int, max_bytes: int) -> str:
    if status == _OUT_OF_MEMORY:
        return f"it needs more than {max_bytes >> 30} GiB of memory"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"
    return f"the process that reads it crashed ({name})"


def _read(reader: int, until_s: float) -> bytes | None:
    """All bytes of a pipe; None if its other end stays open for too long."""
    chunks: list[bytes] = []
    while select.select([reader], [], [], max(0.0, until_s - time.monotonic()))[0]:
        chunk = os.read(reader, _CHUNK)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
    return None


def _serve(compute: Callable[[], bytes], writer: int, parent: int, max_bytes: int) -> NoReturn:
    """Compute the answer, write it, and end: nothing of the parent runs here."""
    status = 1
    try:
        _bind(parent, max_bytes)
        with os.fdopen(writer, "wb") as stream:
            stream.write(compute())
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _bind(parent: int, max_bytes: int) -> None:
    """End with the parent, take no more memory than this, and write nothing to the terminal."""
    import ctypes
    import resource

    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = max_bytes if most == resource.RLIM_INFINITY else min(max_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
