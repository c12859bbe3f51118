"""A time limit that holds while the machine pauses or is busy.

It adds up the short ticks of a watching thread, so that a time in which the engine itself stood still (SIGSTOP, a
frozen container, a suspended virtual machine) counts as one tick. A time in which the worker was ready to run but got
less than a core counts as the CPU time that it got: only a process that sleeps or burns CPU time uses up its limit.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.workers.cpu_use import CpuUse

LONGEST_TICK_S = 0.25
"""The length that a longer tick counts as: the watching thread did not run meanwhile."""
_SAMPLE_S = 0.25
"""Seconds over which CPU time is compared; the system counts it in steps of a hundredth."""
MOST_TIMES = 10
"""How many times its limit a worker may take that gets no CPU time."""


class TimeLimit:
    """How much of a limit is used up.

    Args:
        limit_s: seconds.
        now_s: a clock's time at the start.
        cpu_use: reads the worker's use so far; None if the system does not report it.
    """

    def __init__(self, limit_s: float, now_s: float, cpu_use: Callable[[], CpuUse | None]) -> None:
        self._limit_s = limit_s
        self._cpu_use = cpu_use
        self._last_s = now_s
        self._ticked_s = 0.0
        self._starved_s = 0.0
        self._sampled_s = 0.0
        self._use: CpuUse | None = None

    def is_over_at(self, now_s: float) -> bool:
        """Whether the limit is used up; to be called at short intervals, each of which is a tick."""
        self._ticked_s += min(now_s - self._last_s, LONGEST_TICK_S)
        self._last_s = now_s
        if self._ticked_s - self._sampled_s >= _SAMPLE_S:
            self._sample()
        return self._ticked_s - self._starved_s > self._limit_s or self._ticked_s > self._limit_s * MOST_TIMES

    def _sample(self) -> None:
        before, self._use = self._use, self._cpu_use()
        spell_s, self._sampled_s = self._ticked_s - self._sampled_s, self._ticked_s
        if before is not None and self._use is not None and self._use.is_runnable:
            used_s = max(0.0, self._use.cpu_s - before.cpu_s)  # less than none where a child has ended
            self._starved_s += max(0.0, spell_s - used_s)
