"""A time limit that holds while the machine pauses or is busy, with a limit of memory.

It adds up the short ticks of a watching thread. A pause of the engine itself (SIGSTOP, a frozen container, a suspended
virtual machine) counts as one tick. While the worker is ready to run but gets less than a core, only the CPU time that
it gets counts. So a process uses up its limit only by sleeping or by using CPU time.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from conformance.sessions.process_use import ProcessUse

LONGEST_TICK_S = 0.25
"""A longer tick counts as this: the watching thread did not run meanwhile."""
_SAMPLE_S = 0.25
"""Seconds between two readings of CPU time, which the system counts in hundredths of a second."""
MOST_TIMES = 10
"""A worker that gets no CPU time reaches its limit after this many times the limit."""


class TimeLimit:
    """Counts how much of a limit is used up.

    Args:
        limit_s: seconds.
        now_s: the clock's time at the start.
        read_use: reads the worker's use so far; None if the system does not report it.
        max_memory_bytes: the memory that a process of the worker may fill meanwhile.
    """

    def __init__(
        self,
        limit_s: float,
        now_s: float,
        read_use: Callable[[], ProcessUse | None],
        max_memory_bytes: float = math.inf,
    ) -> None:
        self._limit_s = limit_s
        self._max_memory_bytes = max_memory_bytes
        self._read_use = read_use
        self._last_s = now_s
        self._ticked_s = 0.0
        self._starved_s = 0.0
        self._sampled_s = 0.0
        self._use: ProcessUse | None = None

    def is_over_at(self, now_s: float) -> bool:
        """Whether the limit is used up. Call this at short intervals; each interval is a tick."""
        self._ticked_s += min(now_s - self._last_s, LONGEST_TICK_S)
        self._last_s = now_s
        if self._ticked_s - self._sampled_s >= _SAMPLE_S:
            self._sample()
        return self._ticked_s - self._starved_s > self._limit_s or self._ticked_s > self._limit_s * MOST_TIMES

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the worker filled more memory than it may when its use was read last."""
        return self._use is not None and self._use.memory_bytes > self._max_memory_bytes

    def _sample(self) -> None:
        before, self._use = self._use, self._read_use()
        spell_s, self._sampled_s = self._ticked_s - self._sampled_s, self._ticked_s
        if before is not None and self._use is not None and self._use.is_runnable:
            used_s = max(0.0, self._use.cpu_s - before.cpu_s)  # negative if a child has ended
            self._starved_s += max(0.0, spell_s - used_s)
