"""Progress on standard error: a bar for each target of a run, lines where no terminal shows them, and a line while
reports are written.
"""

from __future__ import annotations

import sys
import threading
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
from conformance.values.text import one_line, visible

_LINE_EACH_S = 10.0


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
    """Bars that are drawn while the context is open, and stay when it ends; lines where there is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    has_lines = is_shown and not console.is_terminal
    with (
        Progress(*columns, console=console, disable=has_lines or not is_shown) as progress,
        lines_of_progress(lambda: _line(progress), is_shown=has_lines),
    ):
        yield Bars(progress)


def _line(progress: Progress) -> str:
    tasks = (f"{task.description}: {task.completed:,.0f} of {task.total or 0:,.0f}" for task in progress.tasks)
    return "; ".join(tasks) or "starting"


@contextmanager
def lines_of_progress(line: Callable[[], str], *, is_shown: bool = True) -> Iterator[None]:
    """While the context is open, print what has been done by then every ten seconds."""
    has_ended = threading.Event()

    def say() -> None:
        while not has_ended.wait(_LINE_EACH_S):
            sys.stderr.write(f"{visible(line(), 2000)}\n")
            sys.stderr.flush()

    thread = threading.Thread(target=say, daemon=True)
    if is_shown:
        thread.start()
    try:
        yield
    finally:
        has_ended.set()
        if is_shown:
            thread.join()


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
