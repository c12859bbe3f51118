"""`conformance compare`: what changed from one run to another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from conformance.commands.options import log_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    compare = add_command(commands, "compare", _compare, "show what changed from one run to another")
    compare.epilog = "exit codes: 0 no regression, 1 a regression, 2 usage, 3 a run is incomplete or nothing in common"
    compare.add_argument("old", metavar="OLD", type=path_from, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=path_from, help="run.jsonl of the later run, or its folder")
    compare.add_argument("--html", metavar="FILE", type=path_from, help="self-contained page")
    compare.add_argument("--markdown", metavar="FILE", type=path_from, help="summary for a pull request")
    compare.add_argument("--json", metavar="FILE", type=path_from, help="for programs, as `schema comparison` says")


def _compare(options: argparse.Namespace) -> int:
    from conformance.comparison.compare import compare_files, exit_code
    from conformance.report import writers
    from conformance.report.comparison import console

    kinds = ("html", "markdown", "json")
    files = {kind: path for kind in kinds if (path := getattr(options, kind)) is not None}
    with _unpacked(options.old) as old, _unpacked(options.new) as new:
        writers.refuse_overwriting(files.values(), [options.old, options.new, old, new])
        comparison = compare_files(old, new)
    written = [writers.write_comparison(kind, comparison, path) for kind, path in files.items()]
    console.show(comparison)
    for path in written:
        say(f"report: {path}")
    return int(exit_code(comparison))


def _unpacked(path: Path) -> AbstractContextManager[Path]:
    """The log of an argument: a file, the folder of a run, or a certificate."""
    from contextlib import nullcontext

    from conformance.certificate.published import is_published, unpacked_log

    return unpacked_log(path) if is_published(path) else nullcontext(log_in(path))
