"""Replaces files and folders atomically: writes the new one next to the old one and renames it when complete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

_ENDING = "unfinished"


@contextmanager
def replacing(place: Path) -> Iterator[Path]:
    """Yields a path at which to make a file or folder, which is renamed to `place` when the context ends without error.

    Removes what killed processes left next to `place`. Make the file with mode `x`: what stands there is not ours.
    """
    for left in place.parent.glob(f".{escape(place.name)}.*.{_ENDING}"):
        if not _is_being_written(left):
            with suppress(OSError):
                _remove(left)
    unfinished = place.with_name(f".{place.name}.{os.getpid()}.{_ENDING}")
    try:
        yield unfinished
        unfinished.replace(place)
    finally:
        _remove(unfinished)


def _remove(unfinished: Path) -> None:
    if unfinished.is_dir() and not unfinished.is_symlink():
        shutil.rmtree(unfinished)
    else:
        unfinished.unlink(missing_ok=True)


def _is_being_written(unfinished: Path) -> bool:
    """Whether another process, named in the file name, runs."""
    number = unfinished.name.split(".")[-2]
    if not number.isdecimal() or number == str(os.getpid()):
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
