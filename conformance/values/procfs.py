"""What Linux says of itself and of processes in /proc, which only this module reads. Other systems say nothing."""

from __future__ import annotations

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

ROOT = Path("/proc")


def text(name: str) -> str:
    """The content of a file, such as `self/maps`; empty if it is not there or the process has ended."""
    try:
        return (ROOT / name).read_text()
    except OSError:
        return ""


def texts(pattern: str) -> list[str]:
    """The contents of the files that match a pattern, such as `12/task/*/stat`."""
    return [content for path in _matching(pattern) if (content := text(path))]


def opened(name: str, mode: str) -> FileIO | None:
    """A file that is read or written often; None if it does not exist."""
    try:
        return FileIO(ROOT / name, mode)
    except OSError:
        return None


def thread_count() -> int:
    """The threads of this process; 0 if the system does not report them."""
    return len(_matching("self/task/*"))


def processor(field: str) -> str:
    """A fact about the first core, such as `flags` or `model name`; empty if the system does not report it."""
    lines = (line.partition(":") for line in text("cpuinfo").splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == field), "")


def shared_path(file: FileIO) -> str:
    """The path by which another process opens a file of this one that has no name; empty if there is none."""
    return f"{ROOT}/{os.getpid()}/fd/{file.fileno()}" if (ROOT / "self/fd").is_dir() else ""


def processes_with(variable: bytes) -> list[int]:
    """The processes whose environment contains these bytes, as far as this user may read it."""
    found = []
    for name in _matching("[0-9]*"):
        with suppress(OSError):  # another user's process, or it has ended meanwhile
            if variable in (ROOT / name / "environ").read_bytes():
                found.append(int(name))
    return found


def command_of(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    return text(f"{process}/cmdline").replace("\0", " ").strip()


def _matching(pattern: str) -> list[str]:
    """The names of the files of that pattern; none if the process has ended, even while its folder is read."""
    try:
        return [str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)]
    except OSError:
        return []
