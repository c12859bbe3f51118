"""The digest of files and folders, by which another state of them is known."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_CHUNK = 1 << 20
_LEFT_OUT = frozenset({"__pycache__", ".git"})
"""What Python and git keep for themselves."""


def files_digest(roots: Iterable[Path], is_left_out: Callable[[Path], bool] = lambda _: False) -> str:
    """SHA-256 over the path, from its root on, and the bytes of each file among the roots and in folders among them.

    Empty if a file cannot be read. `is_left_out` gets each file and each folder; links to folders are not followed.
    """
    total = hashlib.sha256()
    files = {(path.relative_to(root.parent).as_posix(), path) for root in roots for path in _files(root, is_left_out)}
    try:
        for name, path in sorted(files):
            total.update(f"{name}\0".encode() + _digest_of(path))
    except OSError:
        return ""
    return total.hexdigest()


def _files(root: Path, is_left_out: Callable[[Path], bool]) -> Iterator[Path]:
    def kept(folder: Path, names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in _LEFT_OUT and not is_left_out(folder / name)]

    if root.is_file():
        yield root
    for parent, folders, files in os.walk(root) if kept(root.parent, [root.name]) else ():
        folder = Path(parent)
        folders[:] = kept(folder, folders)
        yield from (path for name in kept(folder, files) if (path := folder / name).is_file())


def _digest_of(path: Path) -> bytes:
    total = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            total.update(chunk)
    return total.digest()
