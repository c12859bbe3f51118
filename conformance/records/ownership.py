"""A folder is written to by one run at a time."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from conformance.records.log_file import now
from conformance.values.errors import UsageError

_NAME = ".owner"
_HOLDER_BYTES = 200
_PLACE_OF_LOCK = 1 << 20
"""On Windows nobody else can read what is locked: it lies behind what the file says."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be, until the context or the process ends, however that does.

    Raises:
        UsageError: another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _NAME
    with _locked(path) as file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}, since {now()}\n".encode())
        file.flush()
        try:
            yield
        finally:
            with suppress(PermissionError):  # Windows keeps a file that is open
                path.unlink(missing_ok=True)


def _locked(path: Path) -> BinaryIO:
    """The file, locked. One that its last holder has removed meanwhile is no lock: the next one is tried."""
    while True:
        file = path.open("a+b")
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
    """Lock a file, unless somebody holds it; the lock goes with the process."""
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
