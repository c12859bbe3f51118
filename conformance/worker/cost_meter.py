"""Measures the CPU time and memory of a framework's calls, in the worker.

CPU time covers all threads of the process. Memory is the peak of resident memory, which Linux can reset: neither
earlier peaks nor reserved but untouched memory count. Other systems report only the peak since the process started,
which hides later ones, so memory is not measured there.
"""

from __future__ import annotations

import os
import re
from io import FileIO
from mmap import PAGESIZE
from time import process_time_ns
from typing import TYPE_CHECKING

from conformance.border.cost import Cost
from conformance.values import procfs

if TYPE_CHECKING:
    from typing import Self  # since Python 3.11

_RESET_PEAK = b"5"
_PEAK_KIB = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)
_KIB = 1 << 10
_STATUS_BYTES = 1 << 14
"""More than the system writes to such a file."""


class CostMeter:
    """Measures requests one after the other: `begin` before each, `next_stage` before each of its runs, then `cost`.

    A context manager.
    """

    def __init__(self) -> None:
        self._status = procfs.opened("self/status", "r")
        self._statm = procfs.opened("self/statm", "r")
        self._reset = procfs.opened("self/clear_refs", "w")
        self._cpu_ns = 0
        self._resident_bytes: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self._status, self._statm, self._reset):
            if file is not None:
                file.close()

    def begin(self) -> None:
        """Start to measure a request."""
        self._resident_bytes = self._read_resident() if self._has_reset_peak() else None
        self.next_stage()

    def next_stage(self) -> None:
        """Measure CPU time from here; a framework that compiles for seconds also does so for valid calls."""
        self._cpu_ns = process_time_ns()

    def cost(self, inputs_bytes: int) -> Cost:
        """CPU time since the last stage began, and memory since `begin`, without the size of the inputs."""
        cpu_ns = process_time_ns() - self._cpu_ns
        if self._resident_bytes is None or (peak_bytes := self._read_peak()) is None:
            return Cost(cpu_ns=cpu_ns)
        return Cost(cpu_ns=cpu_ns, peak_bytes=max(0, peak_bytes - self._resident_bytes - inputs_bytes))

    def _has_reset_peak(self) -> bool:
        try:
            return self._reset is not None and self._reset.write(_RESET_PEAK) == len(_RESET_PEAK)
        except OSError:
            return False

    def _read_resident(self) -> int:
        """Resident bytes now, from `statm`, which is three times as fast to read as `status`."""
        return int(_text(self._statm).split()[1]) * PAGESIZE

    def _read_peak(self) -> int | None:
        found = _PEAK_KIB.search(_text(self._status))
        return int(found[1]) * _KIB if found is not None else None


def _text(file: FileIO | None) -> bytes:
    return b"" if file is None else os.pread(file.fileno(), _STATUS_BYTES, 0)
