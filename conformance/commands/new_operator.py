"""`conformance new operator`: writes the skeleton of an operator's page, with one case."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_cases_folder, check_command, writable_cases_folder
from conformance.commands.parser import Commands, add_command
from conformance.commands.terminal_output import say


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    about = "write the page of an operator that copies its data, and a case, to change both"
    new = add_command(commands, "operator", _new_operator, about)
    new.add_argument("name", metavar="NAME", help="operator version, as onnx.Identity-13 or openvino.Tile-1")
    add_cases_folder(new)


def _new_operator(options: argparse.Namespace) -> int:
    from conformance.authoring.drafts import write_operator

    page, cases = write_operator(options.name, writable_cases_folder(options))
    say(f"{page}\n{cases}\nnext: {check_command(options, cases)}")
    return 0
