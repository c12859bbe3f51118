"""The signals that end a command in order: Ctrl-C, SIGTERM, and SIGHUP, which a closing terminal sends."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO, cast

from conformance.tensors.text import without_ci_commands

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptedBySignal(KeyboardInterrupt):
    """One of these signals arrived; the text is its name."""


@contextmanager
def heard_by(listener: Callable[[str], None]) -> Iterator[None]:
    """Call a listener with the name of each of these signals while the context is open.

    Outside the main thread, the context does nothing. An ignored signal stays ignored: `nohup` starts commands that
    way.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def hear(number: int, _: FrameType | None) -> None:
        listener(signal.Signals(number).name)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    heard = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in heard:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


def interrupt(name: str) -> None:
    """A listener that ends the program.

    Raises:
        InterruptedBySignal: always.
    """
    raise InterruptedBySignal(name)


# The standard streams of a command: closed, full or without a reader, they end no process.
#
# Printed text is not a command to the CI that reads it. That is decided here, after a terminal's lines are wrapped.


class _Lenient(io.TextIOWrapper):
    """A stream that drops all text after its first failed write, and says nothing to a CI."""

    problem: OSError | None = None

    def write(self, text: str) -> int:
        try:
            super().write(without_ci_commands(text))
        except OSError as error:
            self._give_up(error)
        return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.problem = self.problem or error
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())  # what is left in the buffer goes there too
        os.close(nothing)


def make_lenient() -> None:
    """Replace standard output and standard error, so that text that cannot be written or encoded ends no process."""
    _open_what_is_closed()
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is not getattr(sys, f"__{name}__"):
            continue  # a test or a caller has replaced it
        buffer = io.BufferedWriter(io.FileIO(number, "wb", closefd=False)) if stream is None else stream.buffer
        encoding = "utf-8" if stream is None else stream.encoding
        is_prompt = number == 2 or os.isatty(number)
        setattr(sys, name, _Lenient(buffer, encoding, "backslashreplace", line_buffering=is_prompt))


def is_read(stream: TextIO) -> bool:
    """Whether all text could be written so far. It could not if the reader closed the pipe, or the disk is full."""
    return getattr(stream, "problem", None) is None


def unwritten(stream: TextIO) -> str:
    """Why some text was not written. Empty if all text was written, or if the reader closed the pipe."""
    stream.flush()
    problem = getattr(stream, "problem", None)
    if problem is None or problem.errno == errno.EPIPE:
        return ""
    return cast("OSError", problem).strerror or str(problem)


def _open_what_is_closed() -> None:
    """Open the null device for each closed stream. Otherwise the next file, such as the log, would get its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
