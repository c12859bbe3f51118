"""The last step of every command with a log: its reports, its result, its exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.comparison.baseline import Baseline


def show_log(log: Path, files: dict[str, Path], baseline: Baseline | None = None) -> int:
    """Write the requested reports, and print the result."""
    from conformance.comparison.baseline import Against
    from conformance.records.summary import exit_code, summarize
    from conformance.report import console, writers
    from conformance.repro.log_scripts import LogScripts

    against = Against(log, baseline) if baseline is not None else None
    lines = against or log
    summary = summarize(lines)
    source = writers.Source(lines, summary, LogScripts(summary))
    written = [writers.write(kind, source, path) for kind, path in files.items()]
    if against is not None:
        say(against.mended_sentence())
    console.show(summary)
    for path in written:
        say(f"report: {path}")
    return int(exit_code(summary))
