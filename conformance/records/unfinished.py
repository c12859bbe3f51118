"""Files and folders that are written beside their place and renamed: what stood there is whole until the new one is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

_ENDING = "unfinished"


@contextmanager
def replacing(place: Path) -> Iterator[Path]:
    """The path of a file or a folder, to be made, that takes a place when the context ends, unless that ends by an
    error. What processes that were killed left beside the place is removed.
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
    if unfinished.is_dir():
        shutil.rmtree(unfinished)
    else:
        unfinished.unlink(missing_ok=True)


def _is_being_written(unfinished: Path) -> bool:
    """Whether the process that its name tells is there. Windows removes no file that is open, and need not be asked."""
    number = unfinished.name.split(".")[-2]
    if sys.platform == "win32" or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
