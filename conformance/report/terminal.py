"""The terminal that reports are printed on."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text


class Terminal(Console):
    """Standard output. That nobody reads it any more is for the command to tell, and not an exit of its own."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> None:
        """Pass on the error that is being raised."""
        raise BrokenPipeError


def plain(text: str, style: str = "") -> Text:
    """Text in which no bracket is markup."""
    return Text(text, style)


def indented(text: str, columns: int) -> Padding:
    """Text whose further lines stay under the first."""
    return Padding(plain(text), (0, 0, 0, columns), expand=False)
