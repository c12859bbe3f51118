"""`conformance coverage`: which clauses, and which classes of arguments, have cases."""

from __future__ import annotations

import argparse
import sys

from conformance.commands.options import add_cases_folder, suite_from
from conformance.commands.parser import Commands, add_command, add_repeatable


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    about = "show which clauses have cases; fail if one has none"
    parser = add_command(commands, "coverage", _coverage, about)
    add_repeatable(parser, "--operator", metavar="NAME", about="as onnx.Split-13; repeatable")
    parser.add_argument("--set", choices=["default", "full"], default="default", help="default: %(default)s")
    parser.add_argument("--ids", action="store_true", help="list the cases of each clause")
    about = "show in place of the clauses which operators have cases of each class of an argument"
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
    found = list(measure(suite_from(options, options.operator), selection))
    max_ids = sys.maxsize if options.ids else 0
    print_blocks(section_of(coverage, max_ids=max_ids) for coverage in found)
    return 0 if all(coverage.is_complete for coverage in found) else 1
