"""`conformance compare`: what changed from one run to another."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.commands.options import add_reports, log_in, reports_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.findings.answers import NamedLog


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    compare = add_command(commands, "compare", _compare, "show what changed from one run to another")
    compare.epilog = (
        "exit codes: 0 no regression, 1 a regression, 2 usage, 3 an incomplete run or no common checks. "
        "For more than two runs: conformance history"
    )
    compare.add_argument("old", metavar="OLD", type=path_from, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=path_from, help="run.jsonl of the later run, or its folder")
    add_reports(
        compare,
        html="self-contained page",
        markdown="summary for a pull request",
        json="comparison for programs; format: `schema comparison`",
    )


def _compare(options: argparse.Namespace) -> int:
    from conformance.findings.compare import compare_files, exit_code
    from conformance.report import writers
    from conformance.report.comparison import tree_of
    from conformance.report.terminal import show

    files = reports_in(options)
    with opened(options.old) as old, opened(options.new) as new:
        writers.refuse_overwriting(files.values(), [options.old, options.new, old.path, new.path])
        comparison = compare_files(old, new)
    written = [writers.write(kind, comparison, path) for kind, path in files.items()]
    show(tree_of(comparison))
    for path in written:
        say(f"report: {path}")
    return int(exit_code(comparison))


@contextmanager
def opened(path: Path) -> Iterator[NamedLog]:
    """The log of an argument: a file, the folder of a run, or a certificate."""
    from conformance.certificate.folder import is_published, named_log_of
    from conformance.findings.answers import named_log

    if is_published(path):
        with named_log_of(path) as log:
            yield log
    else:
        yield named_log(log_in(path))
