"""`conformance coverage`: which clauses and combinations of parameters have checks."""

from __future__ import annotations

import argparse
import sys

from conformance.commands.options import add_cases_folder, suite_from
from conformance.commands.parser import Commands, add_command, add_repeatable


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands, "coverage", _coverage, "show which clauses and which combinations of parameters have checks"
    )
    add_repeatable(parser, "--operator", metavar="NAME", about="as onnx.Split-13; repeatable")
    parser.add_argument("--set", choices=["default", "full"], default="default", help="default: %(default)s")
    parser.add_argument(
        "--strength", type=int, choices=[2, 3], default=2, help="parameters in a combination (default: %(default)s)"
    )
    parser.add_argument("--missing", action="store_true", help="list every combination without a check")
    parser.add_argument("--ids", action="store_true", help="list the cases of each clause")
    about = "show the classes of each kind of argument, how many operators have them, and which have not"
    parser.add_argument("--classes", action="store_true", help=about)
    add_cases_folder(parser)


def _coverage(options: argparse.Namespace) -> int:
    from conformance.language.choices import CaseSet
    from conformance.planning.coverage_measure import classes_by_operator, measure
    from conformance.planning.selection import Selection, sets_included
    from conformance.report.coverage import class_sections, section_of
    from conformance.report.terminal import print_blocks

    selection = Selection(operators=tuple(options.operator), sets=sets_included(CaseSet(options.set)))
    if options.classes:
        print_blocks(class_sections(classes_by_operator(suite_from(options, options.operator), selection)))
        return 0
    found = list(measure(suite_from(options, options.operator), selection, options.strength))
    max_missing, max_ids = sys.maxsize if options.missing else None, sys.maxsize if options.ids else 0
    print_blocks(section_of(coverage, max_missing=max_missing, max_ids=max_ids) for coverage in found)
    return 0 if all(coverage.is_complete for coverage in found) else 1
