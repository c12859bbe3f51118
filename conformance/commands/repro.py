"""`conformance repro`: one check as a script without this project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from conformance.commands.options import add_cases_folder, add_own_cases, log_in, suite_from, target_named
from conformance.commands.parser import Commands, add_command, add_output, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError
from conformance.values.text import counted

if TYPE_CHECKING:
    from pathlib import Path


def add(commands: Commands) -> None:
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
    from conformance.formats.adapter_file import target_from_text
    from conformance.scripts.folder import check_named, write_reproducer
    from conformance.scripts.recorded import write_recorded

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
    from conformance.formats.adapter_file import bundled_adapters, target_from_text
    from conformance.running.reproducer import reproduced

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
    from conformance.environments.resolution import target_as_recorded
    from conformance.findings.summary import summarize
    from conformance.formats.adapter_file import recorded_target
    from conformance.language.verdict import Section
    from conformance.scripts.folder import check_named, write_reproducer

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
