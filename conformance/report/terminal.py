"""The terminal on which reports are printed."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from conformance.language.verdict import ExitCode
from conformance.values.text import visible


def terminal() -> Console:
    """Standard output."""
    return Console(highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Text without markup; control characters have no effect."""
    return Text(visible(text, len(text)), style)


def ruled_table(*columns: Column | str, show_footer: bool = False) -> Table:
    """A table with a rule below its head."""
    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_footer=show_footer)


def print_ending(out: Console, reasons: Iterable[str], sentence: str, code: ExitCode) -> None:
    """Print the last lines, which alone explain the exit code: why nothing can be concluded, and the result."""
    out.print()
    for reason in reasons:
        out.print(plain(reason), style="yellow")
    style = {ExitCode.CONFORMING: "bold green", ExitCode.NOT_CONFORMING: "bold red"}.get(code, "bold yellow")
    out.print(plain(f"{sentence} (exit code {int(code)})"), style=style)


def indented(text: str, columns: int) -> Padding:
    """Text with all its lines indented alike."""
    return Padding(plain(text), (0, 0, 0, columns), expand=False)
