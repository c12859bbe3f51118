"""Locks an output folder, so that only one run writes to it at a time."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from conformance.log.log_file import now
from conformance.values.errors import UsageError
from conformance.values.regular_file import appended

_NAME = ".owner"
_HOLDER_BYTES = 200
_PLACE_OF_LOCK = 1 << 20
"""Offset of the locked byte, beyond the text: on Windows other processes cannot read locked bytes."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Locks a folder until the context or the process ends, even by a crash. Makes the folder if it is missing.

    Raises:
        UsageError: another process holds it, or its lock or its log is a link, a pipe or a device.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _NAME
    with _locked(path) as file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}, since {now()}\n".encode())
        try:
            yield
        finally:
            with suppress(PermissionError):  # Windows does not delete an open file
                path.unlink(missing_ok=True)


def _locked(path: Path) -> BinaryIO:
    """Opens and locks the file. Tries again if the last holder removed the file meanwhile: such a lock is void."""
    while True:
        file = appended(path)
        if not _is_locked_now(file):
            with file:
                file.seek(0)
                holder = file.read(_HOLDER_BYTES).decode("utf-8", "replace").strip()
            what = f"another run is writing to it: {holder}"
            raise UsageError(str(path.parent), what, fix="wait for it, or name another folder with --output")
        if path.is_file() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def _is_locked_now(file: BinaryIO) -> bool:
    """Tries to lock a file; False if another process holds it. The lock ends with the process."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_PLACE_OF_LOCK)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
