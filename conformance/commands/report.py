"""`conformance report`: reports of a log that exists."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_baseline, add_reports, baseline_from, log_in, reports_in
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.show_log import add_known, show_log, write_reports


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    report = add_command(commands, "report", _report, "make reports from a log, and show its result")
    report.add_argument("log", metavar="LOG", type=path_from, help="run.jsonl of a run, or its folder")
    add_reports(
        report,
        html="self-contained page with all differences and causes",
        junit="JUnit XML for CI systems",
        markdown="summary for a pull request or a CI job",
        json="summary for programs; format: `schema summary`",
    )
    add_known(report)
    add_baseline(report)


def _report(options: argparse.Namespace) -> int:
    from conformance.report.writers import refuse_overwriting

    files = reports_in(options)
    log = log_in(options.log)
    inputs = [log] if options.baseline is None else [log, log_in(options.baseline)]
    refuse_overwriting(files.values(), inputs)
    baseline = baseline_from(options)
    return write_reports(log, files, baseline) if files else show_log(log, {}, baseline, lists_known=options.known)
