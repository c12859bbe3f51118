"""Reads the folder of a certificate as untrusted input, and gives its log to commands that take any log.

It opens only regular files with known names, reads them up to a size limit, and follows no links.
"""

from __future__ import annotations

import lzma
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from conformance.certificate.documents import ENVELOPE, FILES, LOG, REPRODUCERS
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.findings.answers import NamedLog
from conformance.log.log_file import MAX_LINE_BYTES
from conformance.sessions.process import Scratch

PAGES = "pages"
"""The folder of the pages, beside the folders of the certificates."""
_MIB = 1 << 20
MAX_LOG_BYTES = 512 * _MIB
_MAX_LOG_BYTES = 64 * _MIB
_MAX_OTHER_BYTES = _MIB
_MAX_ENTRIES = 256
_SCRIPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_CHUNK = _MIB
_MEMORY = 128 * _MIB
"""What unpacking may take: `xz -9` needs half of it."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a certificate by name; the names of reproducers include their folder.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: a file is missing, unknown, no regular file, or too large.
    """
    names = _names_in(folder)
    broken = [BrokenRuleError(Rule.FILES, ascii(name), "is not a file of a certificate") for name in names
              if name not in (*FILES, ENVELOPE, REPRODUCERS)]  # fmt: skip
    broken += [BrokenRuleError(Rule.FILES, name, "is missing") for name in FILES if name not in names]
    scripts = folder / REPRODUCERS
    if REPRODUCERS in names and not stat.S_ISDIR(scripts.lstat().st_mode):
        broken.append(BrokenRuleError(Rule.REGULAR, REPRODUCERS, "is no folder"))
    if broken:
        raise ExceptionGroup(f"{folder} is no certificate", broken)
    paths = [name for name in names if name != REPRODUCERS]
    for name in _names_in(scripts) if REPRODUCERS in names else ():
        if _SCRIPT.fullmatch(name):
            paths.append(f"{REPRODUCERS}/{name}")
        else:
            where = f"{REPRODUCERS}/{name[:100]!a}"
            broken.append(BrokenRuleError(Rule.REPRODUCERS, where, "is no name of a script"))
    files: dict[str, bytes] = {}
    for path in paths:
        try:
            files[path] = _read(folder / path, path)
        except BrokenRuleError as problem:
            broken.append(problem)
    if broken:
        raise ExceptionGroup(f"{folder} is no certificate", broken)
    return files


def reproducers_in(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The reproducers among the files of a certificate, by name without folder."""
    return {name.removeprefix(f"{REPRODUCERS}/"): data for name, data in files.items() if name.startswith(REPRODUCERS)}


def _names_in(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, _MAX_ENTRIES))


def _read(path: Path, name: str) -> bytes:
    limit = _MAX_LOG_BYTES if name == LOG else _MAX_OTHER_BYTES
    if not stat.S_ISREG(path.lstat().st_mode):
        raise BrokenRuleError(Rule.REGULAR, name, "is no regular file")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise BrokenRuleError(Rule.REGULAR, name, "is no regular file")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise BrokenRuleError(Rule.SIZE, name, f"is larger than {limit} bytes")
    return data


def unpack_log(data: bytes, target: Path) -> None:
    """Write the uncompressed log to a file.

    Raises:
        BrokenRuleError: it is not xz, is cut off, has trailing data, is too large, or has a line that is too long.
    """
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    size = line = 0
    try:
        with target.open("wb") as out:
            while not unpacker.eof:
                chunk = unpacker.decompress(data, _CHUNK)
                data = b""
                if not chunk and unpacker.needs_input and not unpacker.eof:
                    raise BrokenRuleError(Rule.READABLE, LOG, "ends before the end of the log")
                size += len(chunk)
                line = _longest_open_line(chunk, line)
                if size > MAX_LOG_BYTES or line > MAX_LINE_BYTES:
                    what = f"unpacks to more than {MAX_LOG_BYTES} bytes" if size > MAX_LOG_BYTES else _LONG_LINE
                    raise BrokenRuleError(Rule.SIZE, LOG, what)
                out.write(chunk)
    except lzma.LZMAError as error:
        raise BrokenRuleError(Rule.READABLE, LOG, f"is not compressed by xz: {error}") from None
    if unpacker.unused_data:
        raise BrokenRuleError(Rule.READABLE, LOG, "goes on after the end of the log")


_LONG_LINE = f"has a line of more than {MAX_LINE_BYTES} bytes"


def _longest_open_line(chunk: bytes, before: int) -> int:
    """Length of the unfinished line after this chunk; lines within a chunk are short, as chunks are below the limit."""
    end = chunk.rfind(b"\n")
    return before + len(chunk) if end < 0 else len(chunk) - end - 1


def is_published(path: Path) -> bool:
    """Whether a path is the folder of a certificate."""
    return (path / LOG).is_file()


@contextmanager
def unpacked_log(folder: Path) -> Iterator[Path]:
    """The log of a certificate, as a file that exists while the context is open.

    Raises:
        BrokenRuleError: it is no regular file, cannot be unpacked, or is too large.
    """
    with Scratch() as scratch:
        log = Path(scratch) / "run.jsonl"
        unpack_log(_read(folder / LOG, LOG), log)
        yield log


@contextmanager
def named_log_of(folder: Path) -> Iterator[NamedLog]:
    """The log of a certificate under the name of its folder, with the page that was published of it.

    Raises:
        BrokenRuleError: it is no regular file, cannot be unpacked, or is too large.
    """
    page = folder.resolve().parent / PAGES / f"{folder.resolve().name}.html"
    with unpacked_log(folder) as log:
        yield NamedLog(path=log, name=str(folder), report=str(page) if page.is_file() else "")
