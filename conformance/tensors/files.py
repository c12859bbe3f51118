"""The digest of files and folders, by which another state of them is known."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from conformance.tensors.errors import UsageError

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


# Files that a user names: opened for reading only if they are regular, written only where no link or pipe stands.
#
# A device or a pipe may give bytes for ever, or none. A link in an output folder may lead to any file of the user.


def opened(path: Path, shown_as: str, max_bytes: int | None = None) -> BinaryIO:
    """A regular file, opened for reading. Without `max_bytes`, the caller limits what it reads at a time.

    Raises:
        UsageError: the file cannot be opened, is not a regular file, or has more than `max_bytes`.
    """
    try:
        stream = open(path, "rb", opener=_without_waiting)  # noqa: SIM115  (Path.open takes no opener)
    except OSError as error:
        raise UsageError(shown_as, f"cannot be read: {error.strerror}") from None
    found = os.fstat(stream.fileno())
    if not stat.S_ISREG(found.st_mode):
        stream.close()
        raise UsageError(shown_as, "is not a regular file", fix="name a file, not a folder, a device or a pipe")
    if max_bytes is not None and found.st_size > max_bytes:
        stream.close()
        what = f"has {found.st_size:,} bytes, and at most {max_bytes:,} are read"
        raise UsageError(shown_as, what, fix="name a smaller file")
    return stream


def content_of(path: Path, shown_as: str, max_bytes: int) -> bytes:
    """The bytes of a regular file of at most `max_bytes`.

    Raises:
        UsageError: as for `opened`, or the file grows beyond the limit meanwhile.
    """
    with opened(path, shown_as, max_bytes) as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise UsageError(shown_as, f"has more than {max_bytes:,} bytes", fix="name a smaller file")
    return content


def refuse_foreign(path: Path) -> None:
    """Refuse to write at a place where a link, a pipe or a device stands, or a file that also has another name.

    Raises:
        UsageError: one of them stands there.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    _refuse_foreign(path, found)


def appended(path: Path) -> BinaryIO:
    """A file to read and to append to, unbuffered, made if nothing stands there. No link is followed.

    Raises:
        UsageError: a link, a pipe or a device stands there, or a file that also has another name.
        OSError: it cannot be opened.
    """
    refuse_foreign(path)
    stream = open(path, "a+b", buffering=0, opener=_without_following)  # noqa: SIM115
    try:
        _refuse_foreign(path, os.fstat(stream.fileno()))
    except UsageError:
        stream.close()
        raise
    return stream


def written(path: Path, content: bytes) -> None:
    """Write a file, in the place of an earlier one.

    Raises:
        UsageError: as for `appended`.
        OSError: it cannot be written.
    """
    with appended(path) as stream:
        stream.truncate(0)
        stream.write(content)


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    is_regular = stat.S_ISREG(found.st_mode)
    if is_regular and found.st_nlink <= 1:
        return
    what = "is a file that also has another name" if is_regular else "is a link, or no regular file"
    raise UsageError(str(path), f"{what}; nothing is written there", fix="remove it, or name another place")


def _without_waiting(name: str, flags: int) -> int:
    """Opens also a pipe at once; otherwise that waits for the other side."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def _without_following(name: str, flags: int) -> int:
    return _without_waiting(name, flags | getattr(os, "O_NOFOLLOW", 0))
