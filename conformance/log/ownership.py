"""Locks an output folder, so that only one run writes to it at a time."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from conformance.log.log_file import now
from conformance.values.errors import UsageError
from conformance.values.regular_file import content_of, refuse_foreign, written

_LOCK, _OWNER = ".lock", ".owner"
_HOLDER_BYTES = 400


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Locks a folder until the context or the process ends, even by a crash. Makes the folder if it is missing.

    Raises:
        UsageError: another process holds it, or its lock or its log is a link, a pipe or a device.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock, owner = folder / _LOCK, folder / _OWNER
    for path in (lock, owner):
        refuse_foreign(path)
    held = FileLock(lock)
    try:
        held.acquire(blocking=False)
    except Timeout:
        fix = "wait for it, or name another folder with --output"
        raise UsageError(str(folder), _held_by(owner), fix=fix) from None
    try:
        written(owner, f"process {os.getpid()} on {platform.node()}, since {now()}\n".encode())
        yield
    finally:
        for path in (owner, lock):
            with suppress(PermissionError):  # the folder was made read-only meanwhile, which the report says
                path.unlink(missing_ok=True)
        held.release()


def _held_by(owner: Path) -> str:
    """What is said of another run; it names its process unless it is about to."""
    named = content_of(owner, str(owner), _HOLDER_BYTES).decode("utf-8", "replace").strip() if owner.is_file() else ""
    return f"another run is writing to it{f': {named}' if named else ''}"
