"""Progress on standard error: a bar for each target of a run, and a line while reports are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from conformance.log.record import Header
from conformance.values.text import one_line


class Bars:
    """The bars of one run."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def start(self, header: Header) -> None:
        """Show a bar for each target that could start."""
        for target in header.targets:
            if not target.problem:
                self._tasks[target.name] = self._progress.add_task(one_line(target.name), total=header.planned)

    def expect(self, name: str, total: int | None) -> None:
        """Show a bar for further work, such as timed cases; without a total if it is unknown."""
        self._tasks[name] = self._progress.add_task(one_line(name), total=total)

    def advance(self, name: str, done: int) -> None:
        """Show how many checks of a target, or timed cases, are done."""
        if name in self._tasks:
            self._progress.update(self._tasks[name], completed=done)


@contextmanager
def progress_bars(*, is_shown: bool) -> Iterator[Bars]:
    """Bars that are drawn while the context is open, and stay when it ends."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not is_shown) as progress:
        yield Bars(progress)


@contextmanager
def step_line(*, is_shown: bool) -> Iterator[Callable[[str], None]]:
    """A line with the step that runs and the time so far, on a terminal only; it is gone when the context ends.

    Yields the function that names the next step.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    is_disabled = not (is_shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=is_disabled) as progress:
        task = progress.add_task("")
        yield lambda step: progress.update(task, description=one_line(step), refresh=True)
