"""What a refusal cost, and when that is too much: the sole home of the limits.

A refusal looks at a few numbers and takes milliseconds. The limits are far above that, so that no slow machine, debug
build or interpreter comes near them, and low enough to tell what would bring down a service that anybody can ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_SECOND, _MIB = 10**9, 1 << 20
CPU_LIMIT_NS = 5 * _SECOND
"""CPU time, which waiting and other processes do not change."""
PEAK_LIMIT_BYTES = 1024 * _MIB
"""Memory beyond the size of the inputs, of which a framework may hold a copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a refusal cost; None stands for what was not measured.

    `cpu_ns` is the CPU time of all threads of the process in the stage that refused the call. `peak_bytes` is by how
    much the memory of the process grew at the most while the call was prepared and run, less the size of the inputs.
    """

    cpu_ns: int | None = None
    peak_bytes: int | None = None

    def after(self, prepared: Cost) -> Cost:
        """The cost of a refused run with that of preparing it.

        The time of preparing is left out: a framework that compiles for seconds does so for valid calls too.
        """
        peaks = [cost.peak_bytes for cost in (self, prepared) if cost.peak_bytes is not None]
        return Cost(cpu_ns=self.cpu_ns, peak_bytes=max(peaks, default=None))

    @property
    def excess(self) -> str:
        """What passes its limit, as `1,526 MiB of memory (at most 1,024)`; empty where nothing does."""
        return " and ".join(self._excess())

    def _excess(self) -> Iterator[str]:
        if self.peak_bytes is not None and self.peak_bytes > PEAK_LIMIT_BYTES:
            yield f"{self.peak_bytes / _MIB:,.0f} MiB of memory (at most {PEAK_LIMIT_BYTES / _MIB:,.0f})"
        if self.cpu_ns is not None and self.cpu_ns > CPU_LIMIT_NS:
            yield f"{self.cpu_ns / _SECOND:.1f} s of CPU time (at most {CPU_LIMIT_NS / _SECOND:g})"
