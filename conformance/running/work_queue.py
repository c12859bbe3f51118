"""Distributes one target's checks to several sessions, and puts their records back in order.

A session takes the next check when it has room for it, so that a crash delays only its own session. The log reads as if
one session had run everything.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from conformance.spec.check import Check

_Record = TypeVar("_Record")

MAX_RECORDS_AHEAD = 1024


class WorkQueue(Generic[_Record]):
    """The checks of one target for several threads.

    Args:
        checks: taken one at a time.
        write: called with each record, in the order of the checks, by one thread at a time.
        stopping: set from outside to end the wait for an earlier record.
    """

    def __init__(self, checks: Iterator[Check], write: Callable[[_Record], None], stopping: threading.Event) -> None:
        self._checks = enumerate(checks)
        self._write = write
        self._stopping = stopping
        self._taking = threading.Lock()
        self._written = threading.Condition()
        self._waiting: dict[int, _Record] = {}
        self._next = 0

    def take(self) -> tuple[int, Check] | None:
        """The next check with its number; None if all are taken."""
        with self._taking:
            return next(self._checks, None)

    def put(self, number: int, record: _Record) -> None:
        """Write the record of a check as soon as all earlier ones are written; wait while those are far behind."""
        with self._written:
            while number - self._next > MAX_RECORDS_AHEAD and not self._stopping.is_set():
                self._written.wait(0.1)
            self._waiting[number] = record
            while self._next in self._waiting:
                self._write(self._waiting[self._next])
                del self._waiting[self._next]
                self._next += 1
            self._written.notify_all()


class WorkShare(Generic[_Record]):
    """The checks that one thread takes from a work queue, as an iterator; it returns the records in that order."""

    def __init__(self, division: WorkQueue[_Record]) -> None:
        self._division = division
        self._numbers: deque[int] = deque()

    def __iter__(self) -> WorkShare[_Record]:
        return self

    def __next__(self) -> Check:
        taken = self._division.take()
        if taken is None:
            raise StopIteration
        self._numbers.append(taken[0])
        return taken[1]

    def put(self, record: _Record) -> None:
        """Return the record of the first check that has none yet."""
        self._division.put(self._numbers.popleft(), record)
