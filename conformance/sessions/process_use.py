"""Reads the CPU time of a process and its descendants, and the memory that they fill."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.values import procfs

if TYPE_CHECKING:
    import psutil

_OWN_KIB = re.compile(r"^(?:RssAnon|VmSwap):\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessUse:
    """Seconds of CPU time so far, whether a thread runs or waits for a core now, and the memory of the process that
    fills most: forks share theirs.
    """

    cpu_s: float
    is_runnable: bool
    memory_bytes: int = 0


def use_of(pid: int) -> ProcessUse | None:
    """The use of a process and its living descendants; None if it has ended."""
    import psutil

    used: list[ProcessUse] = []
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                used.append(_use_of(member))
    if not used:
        return None
    return ProcessUse(
        cpu_s=sum(use.cpu_s for use in used),
        is_runnable=any(use.is_runnable for use in used),
        memory_bytes=max(use.memory_bytes for use in used),
    )


def _use_of(process: psutil.Process) -> ProcessUse:
    """The use of one process. Where the system does not report the states of its threads, its own state counts."""
    times = process.cpu_times()
    states = [stat.rpartition(")")[2].split()[0] for stat in procfs.texts(f"{process.pid}/task/*/stat")]
    is_runnable = "R" in states if states else process.status() == "running"
    return ProcessUse(cpu_s=times.user + times.system, is_runnable=is_runnable, memory_bytes=_own_bytes(process))


def _own_bytes(process: psutil.Process) -> int:
    """Resident and swapped memory without files and shared memory; where the system does not tell them apart, all."""
    found = _OWN_KIB.findall(procfs.text(f"{process.pid}/status"))
    return 1024 * sum(map(int, found)) if found else process.memory_info().rss
