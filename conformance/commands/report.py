"""`conformance report`: reports of a log that exists."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_baseline, baseline_from, log_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.show_log import show_log


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    report = add_command(commands, "report", _report, "make reports from a log, and show its result")
    report.add_argument("log", metavar="LOG", type=path_from, help="run.jsonl of a run, or its folder")
    report.add_argument(
        "--html", metavar="FILE", type=path_from, help="self-contained page with all differences and causes"
    )
    report.add_argument("--junit", metavar="FILE", type=path_from, help="JUnit XML for CI systems")
    report.add_argument("--markdown", metavar="FILE", type=path_from, help="summary for a pull request or a CI job")
    report.add_argument("--json", metavar="FILE", type=path_from, help="summary for programs; format: `schema summary`")
    report.add_argument("--ctrf", metavar="FILE", type=path_from, help="Common Test Report Format, one test per check")
    add_baseline(report)
    report.add_argument(
        "--badge", metavar="FILE", type=path_from, help="SVG with the rate of each target, for a README"
    )


def _report(options: argparse.Namespace) -> int:
    from conformance.report.writers import refuse_overwriting

    kinds = ("html", "junit", "markdown", "json", "ctrf", "badge")
    files = {kind: path for kind in kinds if (path := getattr(options, kind)) is not None}
    log = log_in(options.log)
    inputs = [log] if options.baseline is None else [log, log_in(options.baseline)]
    refuse_overwriting(files.values(), inputs)
    return show_log(log, files, baseline_from(options))
