"""The commands of a log that exists: `report`, `compare`, `merge` and `repro`, and how a run shows its result."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from conformance.certificate.folder import is_published, named_log_of
from conformance.cli.options import baseline_from, log_in, reports_in, suite_from, target_named
from conformance.cli.parser import path_from, say
from conformance.log import compare
from conformance.log.answers import NamedLog, named_log
from conformance.log.compare import Against, Baseline, Comparison, compare_files, merge
from conformance.log.log_file import owned
from conformance.log.summary import Summary, exit_code, summarize
from conformance.report import writers
from conformance.report.comparison import tree_of
from conformance.report.document import ReportTree
from conformance.report.run_sections import ending_of
from conformance.report.terminal import next_command, screen_of, show, step_line
from conformance.report.writers import refuse_overwriting
from conformance.run.environments import target_as_recorded
from conformance.run.script_folder import LogScripts, check_named, reproduced, write_recorded, write_reproducer
from conformance.spec.verdict import Section
from conformance.suite.adapter_file import bundled_adapters, recorded_target, target_from_text
from conformance.tensors.errors import UsageError
from conformance.tensors.text import counted

# `conformance compare`: what changed from one run to another.


def compare_logs(options: argparse.Namespace) -> int:
    """Show what changed from one run to another."""
    files = reports_in(options)
    with opened(options.old) as old, opened(options.new) as new:
        refuse_overwriting(files.values(), [options.old, options.new, old.path, new.path])
        comparison = compare_files(old, new)
    show_tree(tree_of(comparison), files, comparison)
    return int(compare.exit_code(comparison))


def show_tree(tree: ReportTree, files: Mapping[str, Path], source: Comparison | None = None) -> None:
    """Write the requested reports of a tree or its source, print it, and say where they are."""
    written = [writers.write(kind, source or tree, path) for kind, path in files.items()]
    show(tree)
    for path in written:
        say(f"report: {path}")


@contextmanager
def opened(path: Path) -> Iterator[NamedLog]:
    """The log of an argument: a file, the folder of a run, or a certificate."""
    if is_published(path):
        with named_log_of(path) as log:
            yield log
    else:
        yield named_log(log_in(path))


# The last step of every command that has a log: writes its reports, prints its result, returns the exit code.


def show_log(log: Path, files: dict[str, Path], baseline: Baseline | None = None, *, lists_known: bool = False) -> int:
    """Write the requested reports, print the screen of the run, and return the exit code."""
    summary, written = _written(log, files, baseline, shows_progress=True)
    show(screen_of(summary, lists_known=lists_known))
    for path in written:
        say(f"report: {path}")
    if command := next_command(summary):
        say(f"next: {command}")
    return int(exit_code(summary))


def show_result_of(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print the result alone, and return the exit code."""
    summary, _ = _written(log, files, baseline, shows_progress=False)
    show(ending_of(summary))
    return int(exit_code(summary))


def write_reports(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print where they are, and return the exit code."""
    summary, written = _written(log, files, baseline, shows_progress=True)
    for path in written:
        say(f"report: {path}")
    return int(exit_code(summary))


def _written(
    log: Path, files: dict[str, Path], baseline: Baseline | None, *, shows_progress: bool
) -> tuple[Summary, list[Path]]:
    """What a log says, and the reports that were written of it."""
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


def report_log(options: argparse.Namespace) -> int:
    """Make reports from a log, and show its result."""
    files = reports_in(options)
    log = log_in(options.log)
    inputs = [log] if options.baseline is None else [log, log_in(options.baseline)]
    refuse_overwriting(files.values(), inputs)
    baseline = baseline_from(options)
    return write_reports(log, files, baseline) if files else show_log(log, {}, baseline, lists_known=options.known)


# `conformance merge`: joins the logs of all shards.


def merge_logs(options: argparse.Namespace) -> int:
    """Join the logs of all shards."""
    output: Path = options.output
    is_file = output.suffix == ".jsonl"
    folder, log = (output.parent, output) if is_file else (output, output / "run.jsonl")
    baseline, logs = baseline_from(options), [log_in(path) for path in options.logs]
    refuse_overwriting([log], logs)
    with owned(folder):
        merge(logs, log)
        return show_log(log, {} if is_file else {"html": folder / "report.html"}, baseline)


# `conformance repro`: one check as a script without this project.


def write_scripts(options: argparse.Namespace) -> int:
    """Write scripts of checks or recorded deviations, or run those of recorded ones."""
    if (options.case is None) is (options.recorded is None):
        raise UsageError("repro", "takes one case or log, or --recorded", fix="name one of the three")
    if options.run:
        return _run_recorded(options)
    if options.recorded == "":
        raise UsageError("--recorded", "writes the script of one deviation", fix="name its id, or add --run")
    log = None if options.case is None else log_in(path_from(options.case))
    if log is not None and log.is_file():
        return _repro_of_log(log, options)
    if options.target is None:
        raise UsageError("--target", "a case needs a target", fix="add `--target NAME`, or name a log")
    if options.recorded is not None:
        adapter, suite = target_from_text(options.target).adapter, suite_from(options)
        say(str(write_recorded(adapter, options.recorded, suite, options.output or path_from("."))))
        return 0
    check = check_named(suite_from(options, [options.case]), options.case, options.form)
    for path in write_reproducer(check, target_named(options.target), options.output):
        say(str(path))
    return 0


def _run_recorded(options: argparse.Namespace) -> int:
    """Run the scripts of recorded deviations, each without this project, and name those that show no fault."""
    if options.recorded is None:
        raise UsageError("--run", "runs the scripts of recorded deviations", fix="add --recorded")
    adapters = bundled_adapters() if options.target is None else (target_from_text(options.target).adapter,)
    shown, problems, left_out = reproduced(adapters, suite_from(options), options.recorded)
    for line in left_out:
        say(line)
    if problems:
        raise ExceptionGroup(counted(len(problems), "problem"), problems)
    say(f"scripts of recorded deviations that show their faults: {shown}")
    return 0


def _repro_of_log(log: Path, options: argparse.Namespace) -> int:
    """Write a folder for the first check of each new cause."""
    if options.form is not None:
        raise UsageError("--form", "a log has it already", fix="leave it out")
    named = None if options.target is None else target_named(options.target)
    summary, suite = summarize(log), suite_from(options)
    entries = {target.name: target for target in summary.targets}
    new = [cause for cause in summary.causes if cause.verdict.meaning.section is Section.NEW and cause.records]
    for number, cause in enumerate(new, 1):
        record, entry = cause.records[0], entries[cause.target]
        check = check_named(suite, record.case, record.form.value)
        folder = options.output / str(number) if options.output is not None else None
        if named is not None and named.adapter.name == entry.adapter:
            request = named
        else:
            request = target_as_recorded(recorded_target(entry.adapter, entry.options), entry.version)
        say(str(write_reproducer(check, request, folder)[0]))
    if not new:
        say(f"{log}: no check differs anew, so there is nothing to reproduce")
    return 0
