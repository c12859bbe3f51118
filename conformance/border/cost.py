"""What a call may cost, and the only place with the limits of it.

A rejection looks at a few numbers and takes milliseconds. The limits are far above that, so that no slow machine, debug
build or interpreter comes near them, and still below a cost that would bring down a public service.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SECOND, _MIB = 10**9, 1 << 20
CPU_LIMIT_NS = 5 * _SECOND
"""CPU time: waiting and other processes do not change it."""
PEAK_LIMIT_BYTES = 1024 * _MIB
"""Memory beyond the size of the inputs, which a framework may copy."""

MEMORY_LIMIT_BYTES = 4096 * _MIB
"""Memory that each process of a worker may fill, beyond `INPUTS_KEPT` times the inputs of the call.

It does not depend on the machine: what fills memory without a limit ends here, before most machines have none left.
"""
INPUTS_KEPT = 8
"""How often the data of a valid call may lie in memory at once: as inputs, outputs, copies and in caches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a rejection; None for what was not measured.

    `cpu_ns` is the CPU time of all threads of the process in the stage that rejected the call. `peak_bytes` is the
    largest growth of the process's memory while it prepared and ran the call, minus the size of the inputs.
    """

    cpu_ns: int | None = None
    peak_bytes: int | None = None

    @property
    def excess(self) -> str:
        """What exceeds its limit, such as `1,526 MiB of memory (at most 1,024)`; empty if nothing does."""
        return " and ".join(self._excess())

    def _excess(self) -> Iterator[str]:
        if self.peak_bytes is not None and self.peak_bytes > PEAK_LIMIT_BYTES:
            yield f"{self.peak_bytes / _MIB:,.0f} MiB of memory (at most {PEAK_LIMIT_BYTES / _MIB:,.0f})"
        if self.cpu_ns is not None and self.cpu_ns > CPU_LIMIT_NS:
            yield f"{self.cpu_ns / _SECOND:.1f} s of CPU time (at most {CPU_LIMIT_NS / _SECOND:g})"
