"""The terminal that reports are printed on."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from conformance.spec.verdict import ExitCode
from conformance.values.text import visible


def terminal() -> Console:
    """Standard output."""
    return Console(highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Text in which no bracket is markup, and no character acts."""
    return Text(visible(text, len(text)), style)


def print_ending(out: Console, reasons: Iterable[str], sentence: str, code: ExitCode) -> None:
    """The last lines, which alone tell what the exit code says: why nothing can be concluded, and the result."""
    out.print()
    for reason in reasons:
        out.print(plain(reason), style="yellow")
    style = {ExitCode.CONFORMING: "bold green", ExitCode.NOT_CONFORMING: "bold red"}.get(code, "bold yellow")
    out.print(plain(f"{sentence} (exit code {int(code)})"), style=style)


def indented(text: str, columns: int) -> Padding:
    """Text whose further lines stay under the first."""
    return Padding(plain(text), (0, 0, 0, columns), expand=False)
