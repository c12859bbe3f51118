"""The signals that end a command in order: Ctrl-C, SIGTERM, and SIGHUP, which a closing terminal sends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

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
