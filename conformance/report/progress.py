"""Progress of a run on the terminal: one bar per target, drawn on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from conformance.records.record import Header
from conformance.values.text import one_line


class Bars:
    """The bars of one run."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._without_bar: set[str] = set()

    def start(self, header: Header) -> None:
        """Show a bar for each target that could start."""
        for target in header.targets:
            if target.problem:
                self._without_bar.add(target.name)
            else:
                self._tasks[target.name] = self._progress.add_task(one_line(target.name), total=header.planned)

    def advance(self, target: str, done: int) -> None:
        """Show how many checks of a target are done."""
        if target in self._without_bar:
            return
        if target not in self._tasks:
            self._tasks[target] = self._progress.add_task(one_line(target), total=None)
        self._progress.update(self._tasks[target], completed=done)


@contextmanager
def progress_bars(*, is_shown: bool) -> Iterator[Bars]:
    """Bars that are drawn while the context lasts, and stay when it ends."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not is_shown) as progress:
        yield Bars(progress)
