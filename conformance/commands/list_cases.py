"""`conformance list`: the ids of the selected cases."""

from __future__ import annotations

import argparse
import sys

from conformance.commands.options import add_selection, selection_from, suite_from, warn_of_memory
from conformance.commands.parser import Commands, add_command
from conformance.commands.terminal_output import say
from conformance.sessions.interruption import is_read


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    listing = add_command(commands, "list", _list, "list the ids of the selected cases, one per line")
    add_selection(listing)
    listing.add_argument("--long", action="store_true", help="with file and line, clauses and forms")


def _list(options: argparse.Namespace) -> int:
    from itertools import groupby

    from conformance.planning.run_plan import selected_checks
    from conformance.planning.selection import sound_families

    selection = selection_from(options)
    families = sound_families(suite_from(options, options.operator or options.case), selection)
    if options.long:
        warn_of_memory(families)
    for _, checks in groupby(selected_checks(families, selection), key=lambda check: check.case.id):
        if not is_read(sys.stdout):
            break
        first, *more = checks
        case, forms = first.case, ",".join(check.form.value for check in (first, *more))
        say(f"{case.id}  {case.where}  {','.join(case.clauses)}  {forms}" if options.long else case.id)
    return 0
