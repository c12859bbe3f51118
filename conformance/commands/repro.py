"""`conformance repro`: one check as a script without this project."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_cases_folder, suite_from
from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    repro = add_command(
        commands, "repro", _repro, "write a folder with a script that runs one case without this project"
    )
    repro.add_argument("case", metavar="CASE", help="id of one case, exactly as in a report")
    repro.add_argument(
        *("-t", "--target"), metavar="TARGET", required=True, help="as for `run`: onnxruntime[optimization=disabled]"
    )
    repro.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the first that it has)")
    repro.add_argument(
        "-o", "--output", metavar="DIR", type=path_from, help="folder to write (default: repro-CASE-...)"
    )
    add_cases_folder(repro)


def _repro(options: argparse.Namespace) -> int:
    from conformance.formats.adapter_file import target_from_text
    from conformance.repro.folder import check_named, write_reproducer

    check = check_named(suite_from(options, [options.case]), options.case, options.form)
    for path in write_reproducer(check, target_from_text(options.target), options.output):
        say(str(path))
    return 0
