"""Waits for threads while the caller can still hear a signal and show progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from typing import TypeVar

_T = TypeVar("_T")


def wait_for(
    futures: Iterable[Future[_T]], stopping: threading.Event, kill: Callable[[], None], on_tick: Callable[[], None]
) -> list[_T]:
    """The results of the futures, in their order; `kill` ends what they wait for, as often as needed, on stopping."""
    ordered = list(futures)
    pending = set(ordered)
    while pending:
        finished, pending = wait(pending, timeout=0.1)
        if stopping.is_set():
            kill()
        on_tick()
        for future in finished:
            future.result()
    return [future.result() for future in ordered]
