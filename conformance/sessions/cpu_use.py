"""Reads the CPU time of a process and its descendants. Linux only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_STATE, _USER_TICKS, _SYSTEM_TICKS = 0, 11, 12
"""Indices of the fields of `/proc/PID/stat` after the process name, which ends with the last parenthesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuUse:
    """Seconds of CPU time so far, and whether a thread runs or waits for a core now."""

    cpu_s: float
    is_runnable: bool


def cpu_use_of(pid: int) -> CpuUse | None:
    """The CPU use of a process and its living descendants; None if the system does not report it."""
    if sys.platform != "linux":
        return None
    family = list(_family(pid))
    processes = [stat for number in family for stat in _stats(f"/proc/{number}", "stat")]
    threads = [stat for number in family for stat in _stats(f"/proc/{number}/task", "*/stat")]
    ticks = sum(int(stat[_USER_TICKS]) + int(stat[_SYSTEM_TICKS]) for stat in processes)
    is_runnable = any(stat[_STATE] == "R" for stat in threads)
    return CpuUse(cpu_s=ticks / os.sysconf("SC_CLK_TCK"), is_runnable=is_runnable) if processes else None


def _family(pid: int) -> Iterator[int]:
    """The process and all of its descendants."""
    yield pid
    for path in _matching(f"/proc/{pid}/task", "*/children"):
        for child in _text(path).split():
            yield from _family(int(child))


def _stats(folder: str, pattern: str) -> Iterator[list[str]]:
    """The fields after the process name, for each matching `stat` file."""
    for path in _matching(folder, pattern):
        if text := _text(path):
            yield text.rpartition(")")[2].split()


def _matching(folder: str, pattern: str) -> list[Path]:
    """The files of that pattern; none if the process has ended, even while its folder is read."""
    try:
        return list(Path(folder).glob(pattern))
    except OSError:
        return []


def _text(path: Path) -> str:
    """The content of a file; empty if the process has ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
