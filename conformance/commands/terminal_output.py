"""How a command prints to the terminal, apart from reports and progress."""

from __future__ import annotations

from typing import TextIO

from conformance.values.text import visible


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text to standard output, or to `stream`. Control characters in it are shown and have no effect."""
    print(visible(text, len(text)), file=stream, flush=True)
