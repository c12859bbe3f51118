"""The commands of a log that exists: `report`, `compare`, `merge` and `repro`, and how a run shows its result."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.cli.options import (
    Commands,
    Options,
    add_baseline,
    add_cases_folder,
    add_command,
    add_output,
    add_own_cases,
    add_reports,
    baseline_from,
    log_in,
    path_from,
    reports_in,
    say,
    suite_from,
    target_named,
)
from conformance.tensors.errors import UsageError
from conformance.tensors.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.log.answers import NamedLog
    from conformance.log.compare import Comparison
    from conformance.log.merge import Baseline
    from conformance.log.summary import Summary
    from conformance.report.document import ReportTree


# `conformance compare`: what changed from one run to another.


def add_compare(commands: Commands) -> None:
    """Add the command to the parser."""
    compare = add_command(commands, "compare", _compare, "show what changed from one run to another")
    compare.epilog = (
        "exit codes: 0 no regression, 1 a regression, 2 usage, 3 an incomplete run or no common checks. "
        "For more than two runs: conformance history"
    )
    compare.add_argument("old", metavar="OLD", type=path_from, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=path_from, help="run.jsonl of the later run, or its folder")
    add_reports(
        compare,
        html="self-contained page",
        markdown="summary for a pull request",
        json="comparison for programs; format: `schema comparison`",
    )


def _compare(options: argparse.Namespace) -> int:
    from conformance.log.compare import compare_files, exit_code
    from conformance.report.comparison import tree_of
    from conformance.report.writers import refuse_overwriting

    files = reports_in(options)
    with opened(options.old) as old, opened(options.new) as new:
        refuse_overwriting(files.values(), [options.old, options.new, old.path, new.path])
        comparison = compare_files(old, new)
    show_tree(tree_of(comparison), files, comparison)
    return int(exit_code(comparison))


def show_tree(tree: ReportTree, files: Mapping[str, Path], source: Comparison | None = None) -> None:
    """Write the requested reports of a tree or its source, print it, and say where they are."""
    from conformance.report.terminal import show
    from conformance.report.writers import write

    written = [write(kind, source or tree, path) for kind, path in files.items()]
    show(tree)
    for path in written:
        say(f"report: {path}")


@contextmanager
def opened(path: Path) -> Iterator[NamedLog]:
    """The log of an argument: a file, the folder of a run, or a certificate."""
    from conformance.certificate.folder import is_published, named_log_of
    from conformance.log.answers import named_log

    if is_published(path):
        with named_log_of(path) as log:
            yield log
    else:
        yield named_log(log_in(path))


# The last step of every command that has a log: writes its reports, prints its result, returns the exit code.


def add_known(parser: Options) -> None:
    """Add the option that lists known deviations."""
    parser.add_argument("--known", action="store_true", help="list the known deviations in place of their number")


def show_log(log: Path, files: dict[str, Path], baseline: Baseline | None = None, *, lists_known: bool = False) -> int:
    """Write the requested reports, print the screen of the run, and return the exit code."""
    from conformance.log.summary import exit_code
    from conformance.report.screen import next_command, screen_of
    from conformance.report.terminal import show

    summary, written = _written(log, files, baseline, shows_progress=True)
    show(screen_of(summary, lists_known=lists_known))
    for path in written:
        say(f"report: {path}")
    if command := next_command(summary):
        say(f"next: {command}")
    return int(exit_code(summary))


def show_result_of(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print the result alone, and return the exit code."""
    from conformance.log.summary import exit_code
    from conformance.report.run_sections import ending_of
    from conformance.report.terminal import show

    summary, _ = _written(log, files, baseline, shows_progress=False)
    show(ending_of(summary))
    return int(exit_code(summary))


def write_reports(log: Path, files: dict[str, Path], baseline: Baseline | None) -> int:
    """Write the requested reports, print where they are, and return the exit code."""
    from conformance.log.summary import exit_code

    summary, written = _written(log, files, baseline, shows_progress=True)
    for path in written:
        say(f"report: {path}")
    return int(exit_code(summary))


def _written(
    log: Path, files: dict[str, Path], baseline: Baseline | None, *, shows_progress: bool
) -> tuple[Summary, list[Path]]:
    """What a log says, and the reports that were written of it."""
    from conformance.log.merge import Against
    from conformance.log.summary import summarize
    from conformance.report import writers
    from conformance.report.terminal import step_line
    from conformance.run.script_folder import LogScripts

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


def add_report(commands: Commands) -> None:
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


# `conformance merge`: joins the logs of all shards.


def add_merge(commands: Commands) -> None:
    """Add the command to the parser."""
    merge = add_command(commands, "merge", _merge, "join the logs of all shards of a run, and show the result")
    merge.add_argument(
        "logs", metavar="LOG", type=path_from, nargs="+", help="run.jsonl of each shard, or its folder, in any order"
    )
    about = "folder for run.jsonl and report.html, or a file NAME.jsonl for the log alone"
    add_output(merge, about, required=True)
    add_baseline(merge)


def _merge(options: argparse.Namespace) -> int:
    from conformance.log.log_file import owned
    from conformance.log.merge import merge
    from conformance.report.writers import refuse_overwriting

    output: Path = options.output
    is_file = output.suffix == ".jsonl"
    folder, log = (output.parent, output) if is_file else (output, output / "run.jsonl")
    baseline, logs = baseline_from(options), [log_in(path) for path in options.logs]
    refuse_overwriting([log], logs)
    with owned(folder):
        merge(logs, log)
        return show_log(log, {} if is_file else {"html": folder / "report.html"}, baseline)


# `conformance repro`: one check as a script without this project.


def add_repro(commands: Commands) -> None:
    """Add the command to the parser."""
    repro = add_command(
        commands, "repro", _repro, "write a folder with a script that runs one case without this project"
    )
    about = "id of one case, exactly as in a report; or a log: one case of each new cause"
    repro.add_argument("case", metavar="CASE|LOG", nargs="?", help=about)
    about = "as for `run`: onnxruntime[optimization=disabled]; for a log, a folder that its name alone does not find"
    repro.add_argument("-t", "--target", metavar="TARGET", help=about)
    about = "write the script of a recorded deviation of the target, in place of a case"
    repro.add_argument("--recorded", metavar="ID", nargs="?", const="", help=about)
    about = "run the script of --recorded ID, or without an ID of all deviations of the target, or of all targets"
    repro.add_argument("--run", action="store_true", help=about)
    repro.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the case's first form)")
    add_output(repro, "folder to write (default: repro-CASE-...)")
    add_cases_folder(repro)
    add_own_cases(repro)


def _repro(options: argparse.Namespace) -> int:
    from conformance.run.script_folder import check_named, write_recorded, write_reproducer
    from conformance.suite.adapter_file import target_from_text

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
    from conformance.run.reproducer import reproduced
    from conformance.suite.adapter_file import bundled_adapters, target_from_text

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
    from conformance.log.summary import summarize
    from conformance.run.environments.resolution import target_as_recorded
    from conformance.run.script_folder import check_named, write_reproducer
    from conformance.spec.verdict import Section
    from conformance.suite.adapter_file import recorded_target

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
