"""The last step of every command that has a log: writes its reports, prints its result, returns the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.findings.baseline import Baseline


def show_log(
    log: Path, files: dict[str, Path], baseline: Baseline | None = None, *, shows_progress: bool = True
) -> int:
    """Write the requested reports, print the result, and return the exit code."""
    from conformance.findings.baseline import Against
    from conformance.findings.summary import exit_code, summarize
    from conformance.report import writers
    from conformance.report.progress import step_line
    from conformance.report.run_tree import tree_of
    from conformance.report.terminal import show
    from conformance.scripts.log_scripts import LogScripts

    against = Against(log, baseline) if baseline is not None else None
    lines = against or log
    written = []
    with step_line(is_shown=shows_progress) as begin:
        begin(f"Reading {log}")
        summary = summarize(lines)
        source = writers.ReportSource(lines, summary, LogScripts(summary))
        for kind, path in files.items():
            begin(f"Writing {path}")
            written.append(writers.write(kind, source, path))
    if against is not None:
        say(against.mended_sentence())
    show(tree_of(summary))
    for path in written:
        say(f"report: {path}")
    return int(exit_code(summary))
