"""Reads the CPU time of a process and its descendants."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.values import procfs

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuUse:
    """Seconds of CPU time so far, and whether a thread runs or waits for a core now."""

    cpu_s: float
    is_runnable: bool


def cpu_use_of(pid: int) -> CpuUse | None:
    """The CPU use of a process and its living descendants; None if it has ended."""
    import psutil

    used: list[CpuUse] = []
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                used.append(_use_of(member))
    return (
        CpuUse(cpu_s=sum(use.cpu_s for use in used), is_runnable=any(use.is_runnable for use in used)) if used else None
    )


def _use_of(process: psutil.Process) -> CpuUse:
    """The CPU use of one process. Where the system does not report the states of its threads, its own state counts."""
    times = process.cpu_times()
    states = [stat.rpartition(")")[2].split()[0] for stat in procfs.texts(f"{process.pid}/task/*/stat")]
    is_runnable = "R" in states if states else process.status() == "running"
    return CpuUse(cpu_s=times.user + times.system, is_runnable=is_runnable)
