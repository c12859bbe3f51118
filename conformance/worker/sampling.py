"""Measures a call in the worker. Needs the standard library and NumPy only."""

from __future__ import annotations

import gc
import math
import os
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import repeat
from time import perf_counter_ns, process_time_ns

import numpy as np
from numpy.typing import NDArray

from conformance.border.measurement import Effort, Samples
from conformance.border.median import median_interval

_WARM_UP_WINDOWS = 10
_STILL_FASTER = 0.98
_LOOK_EVERY = 8
_PATIENCE = 10

TimedCall = Callable[[], object]


def samples_of(call: TimedCall, effort: Effort) -> Samples:
    """Steady times of a call: after a warm-up, without garbage collection, until the median is precise enough."""
    with _no_garbage_collection():
        loops = max(1, math.ceil(effort.batch_ns / _warm_up(call, effort)))
        elapsed: list[int] = []
        ordered: list[int] = []
        started, cpu_started = perf_counter_ns(), process_time_ns()
        while not _is_enough(ordered, perf_counter_ns() - started, effort):
            elapsed.append(elapsed_ns(call, loops))
            insort(ordered, elapsed[-1])
        wall_ns, cpu_ns = perf_counter_ns() - started, process_time_ns() - cpu_started
    return Samples(loops=loops, elapsed_ns=tuple(elapsed), busy_cores=round(cpu_ns / wall_ns, 2))


def elapsed_ns(call: TimedCall, loops: int = 1) -> int:
    """The time of that many calls together; the loop is that of `timeit`."""
    turns = repeat(None, loops)
    started = perf_counter_ns()
    for _ in turns:
        call()
    return perf_counter_ns() - started


def copy_call(source: NDArray[np.uint8], target: NDArray[np.uint8]) -> TimedCall:
    """A plain copy of the bytes of one array into another.

    Write to `target` once before: page faults must not be timed.
    """
    return partial(np.copyto, target, source)


def affinity() -> tuple[int, ...]:
    """The cores that this process may use; empty if the system does not report them."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def _warm_up(call: TimedCall, effort: Effort) -> float:
    """Repeat the call until it no longer gets faster, or to the limit; returns the shortest time of one call."""
    window_ns, least = effort.warm_up_ns / _WARM_UP_WINDOWS, math.inf
    for _ in range(_WARM_UP_WINDOWS):
        now = _call_ns(call, window_ns)
        if now > least * _STILL_FASTER:
            break
        least = now
    return min(now, least)


def _call_ns(call: TimedCall, window_ns: float) -> float:
    """The time of one call, measured over as many as fill a window."""
    loops = 1
    while (elapsed := elapsed_ns(call, loops)) * 2 < window_ns:
        loops = min(2 * loops, max(loops + 1, int(loops * window_ns / max(elapsed, 1))))
    return max(elapsed, 1) / loops


def _is_enough(ordered: list[int], passed_ns: int, effort: Effort) -> bool:
    size = len(ordered)
    if size < effort.min_samples:
        return size > 0 and passed_ns > _PATIENCE * effort.limit_ns
    if size >= effort.max_samples or passed_ns >= effort.limit_ns:
        return True
    if size % _LOOK_EVERY:
        return False
    interval = median_interval(ordered, effort.confidence_percent)
    return interval is not None and interval.high - interval.low <= effort.width_percent / 100 * ordered[size // 2]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
