"""Standard output and error that may be closed, full, or read by nobody: what a command does goes on without them."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO, cast


class _Lenient(io.TextIOWrapper):
    """A stream of the process that drops what follows the first text that it cannot write."""

    problem: OSError | None = None

    def write(self, text: str) -> int:
        try:
            return super().write(text)
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
    """Let no text that cannot be written end the process, nor one in a script that the terminal does not know."""
    _open_what_is_closed()
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is not getattr(sys, f"__{name}__"):
            continue  # somebody listens in this process
        buffer = io.BufferedWriter(io.FileIO(number, "wb", closefd=False)) if stream is None else stream.buffer
        encoding = "utf-8" if stream is None else stream.encoding
        is_prompt = number == 2 or os.isatty(number)
        setattr(sys, name, _Lenient(buffer, encoding, "backslashreplace", line_buffering=is_prompt))


def is_read(stream: TextIO) -> bool:
    """Whether somebody may still read what is written: a reader that had enough closes its end."""
    return getattr(stream, "problem", None) is None


def unwritten(stream: TextIO) -> str:
    """Why text was lost that somebody was to read; empty where all was written, or the reader had enough."""
    stream.flush()
    problem = getattr(stream, "problem", None)
    if problem is None or problem.errno == errno.EPIPE:
        return ""
    return cast("OSError", problem).strerror or str(problem)


def _open_what_is_closed() -> None:
    """Else the next file that is opened, as the log, would have the number of a standard stream."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
