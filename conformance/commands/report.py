"""`conformance report`: reports of a log that exists."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_baseline, baseline_from, log_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.show_log import show_log


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    report = add_command(commands, "report", _report, "make reports from a log, and show its result")
    report.add_argument("log", metavar="LOG", type=path_from, help="run.jsonl of a run")
    report.add_argument("--html", metavar="FILE", type=path_from, help="self-contained page with what differs and why")
    report.add_argument("--junit", metavar="FILE", type=path_from, help="JUnit XML for CI systems")
    report.add_argument("--markdown", metavar="FILE", type=path_from, help="summary for a pull request or a CI job")
    report.add_argument("--json", metavar="FILE", type=path_from, help="summary for programs, as `schema summary` says")
    report.add_argument("--ctrf", metavar="FILE", type=path_from, help="Common Test Report Format, a test per check")
    add_baseline(report)
    report.add_argument(
        "--badge", metavar="FILE", type=path_from, help="SVG with the rate of each target, for a README"
    )


def _report(options: argparse.Namespace) -> int:
    from conformance.report.writers import refuse_overwriting

    kinds = ("html", "junit", "markdown", "json", "ctrf", "badge")
    files = {kind: path for kind in kinds if (path := getattr(options, kind)) is not None}
    inputs = [options.log] if options.baseline is None else [options.log, log_in(options.baseline)]
    refuse_overwriting(files.values(), inputs)
    return show_log(options.log, files, baseline_from(options))
