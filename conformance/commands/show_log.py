"""The last step of every command that has a log: writes its reports, prints its result, returns the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.commands.parser import Options
from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.findings.merge import Baseline
    from conformance.findings.summary import Summary


def add_known(parser: Options) -> None:
    """Add the option that lists known deviations."""
    parser.add_argument("--known", action="store_true", help="list the known deviations in place of their number")


def show_log(log: Path, files: dict[str, Path], baseline: Baseline | None = None, *, lists_known: bool = False) -> int:
    """Write the requested reports, print the screen of the run, and return the exit code."""
    from conformance.findings.summary import exit_code
    from conformance.report.screen import next_command, show_run

    summary, written = _written(log, files, baseline, shows_progress=True)
    show_run(summary, lists_known=lists_known)
    for path in written:
        say(f"report: {path}")
    if command := next_command(summary):
        say(f"next: {command}")
    return int(exit_code(summary))


def show_result_of(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print the result alone, and return the exit code."""
    from conformance.findings.summary import exit_code
    from conformance.report.screen import show_result

    summary, _ = _written(log, files, baseline, shows_progress=False)
    show_result(summary)
    return int(exit_code(summary))


def write_reports(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print where they are, and return the exit code."""
    from conformance.findings.summary import exit_code

    summary, written = _written(log, files, baseline, shows_progress=True)
    for path in written:
        say(f"report: {path}")
    return int(exit_code(summary))


def _written(
    log: Path, files: dict[str, Path], baseline: Baseline | None, *, shows_progress: bool
) -> tuple[Summary, list[Path]]:
    """What a log says, and the reports that were written of it."""
    from conformance.findings.merge import Against
    from conformance.findings.summary import summarize
    from conformance.report import writers
    from conformance.report.terminal import step_line
    from conformance.scripts.recorded import LogScripts

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
    return summary, written
