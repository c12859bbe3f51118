"""`conformance check` and `conformance cover`: the linter of cases, and the tables of cases with `cover`."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_cases_folder, only_cases_folder
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import CaseFileError
from conformance.values.text import counted


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    check = add_command(
        commands, "check", _check, "check all case files, and print every problem with its place and fix"
    )
    about = "case files, or deviations.yaml of adapters (default: all)"
    check.add_argument("files", metavar="FILE", type=path_from, nargs="*", help=about)
    about = "compare law and reference on other made calls (default: the same ones each time)"
    check.add_argument("--seed", metavar="TEXT", default="", help=about)
    add_cases_folder(check)

    cover = add_command(commands, "cover", _cover, "regenerate the pairwise tables of cases with `cover`")
    cover.add_argument("files", metavar="FILE", type=path_from, nargs="*", help="case files (default: all)")
    add_cases_folder(cover)


def _check(options: argparse.Namespace) -> int:
    from conformance.authoring.coverage_upkeep import table_problems, unused_tables
    from conformance.formats.adapter_file import bundled_adapters, read_adapter
    from conformance.formats.suite import bundled_folder, read_suite
    from conformance.language.reference import OPERATORS
    from conformance.planning.disagreement import made_comparisons
    from conformance.planning.lint import check_deviations, check_files, untested_clauses

    folder = only_cases_folder(options)
    suite, problems = read_suite(folder or bundled_folder("cases"))
    is_read = not problems
    if options.files and not is_read:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {suite.root}", problems)
    recorded = [path for path in options.files if path.name == "deviations.yaml"]
    case_files = [path for path in options.files if path not in recorded]
    checked = suite.root if case_files or not recorded else ", ".join(map(str, recorded))
    chosen = suite.of_files(case_files) if case_files or not recorded else suite.without_cases()
    is_whole = is_read and not options.files
    adapters = bundled_adapters() if is_whole and folder is None else ()
    adapters = adapters or tuple(read_adapter(path.parent) for path in recorded)
    compared: list[CaseFileError | None] = []
    tally, found = check_files(chosen)
    problems += found
    if is_read:
        problems += table_problems(chosen)
    if is_whole:
        compared = list(made_comparisons(suite, options.seed))
        problems += [problem for problem in compared if problem is not None]
        problems += untested_clauses(suite)
        problems += unused_tables(suite)
    if adapters:
        problems += check_deviations(suite, [adapter.folder for adapter in adapters])
    problems = list({str(problem): problem for problem in problems}.values())
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {checked}", problems)
    if chosen.families:
        files = {family.document.path for family in chosen.families}
        num_clauses = sum(len(operator.clauses) for operator in chosen.operators)
        say(
            f"{counted(len(files), 'file')}, {counted(len(chosen.families), 'written case')}, "
            f"{counted(tally.cases, 'product')}, {counted(num_clauses, 'clause')}: no problems; "
            f"law and reference agree with {tally.compared:,} of {counted(tally.cases, 'product')}"
            + (f" and {counted(len(compared), 'made call')}" if compared else "")
        )
    for operator in sorted({family.operator.id for family in chosen.families} - OPERATORS):
        say(f"{operator} has no reference: only its law is compared with its cases")
    if recorded:
        say(f"{counted(len(recorded), 'file')} of deviations: no problems")
    return 0


def _cover(options: argparse.Namespace) -> int:
    from conformance.authoring.coverage_upkeep import keep_tables
    from conformance.formats.suite import bundled_folder, load_suite
    from conformance.report.terminal import lines_of_progress

    suite = load_suite(only_cases_folder(options) or bundled_folder("cases"))
    num_done = 0
    with lines_of_progress(lambda: f"{counted(num_done, 'table')} done"):
        for num_done, upkeep in enumerate(keep_tables(suite.of_files(options.files)), 1):  # noqa: B007 - the line says it
            state = "written" if upkeep.is_new else "unchanged"
            say(f"{upkeep.path}: {'removed' if upkeep.rows is None else f'{upkeep.rows} rows, {state}'}")
    return 0
