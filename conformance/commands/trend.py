"""`conformance trend`: what changed over many runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from conformance.commands.compare import opened
from conformance.commands.options import add_reports, reports_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import OpconformError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.findings.logged_run import NamedLog
    from conformance.log.record import Line


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    trend = add_command(commands, "trend", _trend, "show what changed over many runs, and when")
    trend.epilog = "exit codes: 0 the trend is shown, whatever it is, 2 usage"
    about = "folder with logs or folders of runs at any depth, or a single log; ordered by the start of each run"
    trend.add_argument("paths", metavar="PATH", type=path_from, nargs="+", help=about)
    add_reports(
        trend,
        html="self-contained page with a chart for each target",
        markdown="summary for a CI job",
        json="trend for programs; format: `schema trend`",
    )


def _trend(options: argparse.Namespace) -> int:
    from conformance.findings.trend import trend_of
    from conformance.report import writers
    from conformance.report.progress import step_line
    from conformance.report.terminal import show
    from conformance.report.trend.tree import tree_of

    files = reports_in(options)
    found = list(dict.fromkeys(path for given in options.paths for path in logs_at(given)))
    writers.refuse_overwriting(files.values(), found)
    with step_line(is_shown=True) as begin:
        begin("Looking for logs")
        trend = trend_of((log, _lines(path, begin)) for log, path in _in_order(found))
    if len(trend.runs) < 2:
        reasons = "".join(f"; {unread.log}: {unread.why}" for unread in trend.unread[:3])
        what = f"a trend needs two logs that can be read, and there is {len(trend.runs) or 'none'}{reasons}"
        raise UsageError(" ".join(map(str, options.paths)), what, fix="name a folder with the folders of several runs")
    written = [writers.write(kind, trend, path) for kind, path in files.items()]
    show(tree_of(trend))
    for path in written:
        say(f"report: {path}")
    return 0


def _in_order(paths: Iterable[Path]) -> Iterator[tuple[NamedLog, Path]]:
    """The logs by the start of their runs; those that cannot be read stand first."""
    from conformance.findings.logged_run import NamedLog
    from conformance.log.log_file import read_header

    found: list[tuple[str, NamedLog, Path]] = []
    for path in paths:
        try:
            with opened(path) as log:
                found.append((read_header(log.path).started, log, path))
        except OpconformError:
            found.append(("", NamedLog(path=path, name=str(path)), path))
    for _, log, path in sorted(found, key=lambda item: (item[0], str(item[2]))):
        yield log, path


def _lines(path: Path, begin: Callable[[str], None]) -> Iterator[Line]:
    from conformance.log.log_file import read_lines

    begin(f"Reading {path}")
    with opened(path) as log:
        yield from read_lines(log.path)


def logs_at(path: Path) -> Iterator[Path]:
    """The logs and certificates in a folder, at any depth; a file is a log."""
    from pathlib import Path

    from conformance.certificate.folder import is_published

    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        if is_published(Path(folder)):
            folders.clear()
            yield Path(folder)
        else:
            yield from (Path(folder, name) for name in sorted(files) if name.endswith(".jsonl"))
