"""Temporary folders of which none stays beyond the next run.

The engine locks each of its folders. If the engine and its guardian are killed, the folder stays, and the system
releases the lock. The next engine removes every folder without a lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock

from conformance.sessions.guardian import PREFIX


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
