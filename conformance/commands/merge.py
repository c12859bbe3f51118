"""`conformance merge`: joins the logs of all shards."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from conformance.commands.options import add_baseline, baseline_from, log_in
from conformance.commands.parser import Commands, add_command, add_output, path_from
from conformance.commands.show_log import show_log

if TYPE_CHECKING:
    from pathlib import Path


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    merge = add_command(commands, "merge", _merge, "join the logs of all shards of a run, and show the result")
    merge.add_argument(
        "logs", metavar="LOG", type=path_from, nargs="+", help="run.jsonl of each shard, or its folder, in any order"
    )
    about = "folder for run.jsonl and report.html, or a file NAME.jsonl for the log alone"
    add_output(merge, about, required=True)
    add_baseline(merge)


def _merge(options: argparse.Namespace) -> int:
    from conformance.findings.merge import merge
    from conformance.log.ownership import owned
    from conformance.report.writers import refuse_overwriting

    output: Path = options.output
    is_file = output.suffix == ".jsonl"
    folder, log = (output.parent, output) if is_file else (output, output / "run.jsonl")
    baseline, logs = baseline_from(options), [log_in(path) for path in options.logs]
    refuse_overwriting([log], logs)
    with owned(folder):
        merge(logs, log)
        return show_log(log, {} if is_file else {"html": folder / "report.html"}, baseline)
