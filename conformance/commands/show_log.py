"""The last step of every command that has a log: writes its reports, prints its result, returns the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.findings.baseline import Baseline
    from conformance.findings.summary import Summary


def show_log(
    log: Path, files: dict[str, Path], baseline: Baseline | None = None, *, shows_progress: bool = True
) -> int:
    """Write the requested reports, print the result, and return the exit code."""
    from conformance.findings.summary import exit_code
    from conformance.report.run_tree import tree_of
    from conformance.report.terminal import show

    summary, written = _written(log, files, baseline, shows_progress=shows_progress)
    show(tree_of(summary))
    for path in written:
        say(f"report: {path}")
    _say_next(summary)
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
    from conformance.findings.baseline import Against
    from conformance.findings.summary import summarize
    from conformance.report import writers
    from conformance.report.progress import step_line
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
    return summary, written


def _say_next(summary: Summary) -> None:
    """Print the command that writes a script of the worst new difference, if there is one."""
    from conformance.language.verdict import Section
    from conformance.report.tensors.call_text import commands_of, filled, options_by_target

    targets = {target.name: target for target in summary.targets}
    for cause in summary.causes:
        if cause.verdict.meaning.section is Section.NEW and cause.records:
            *_, command = commands_of(targets[cause.target]).values()
            say(f"next: {filled(command, cause.records[0], options_by_target(summary)[cause.target])}")
            return
