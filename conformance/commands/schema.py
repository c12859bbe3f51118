"""`conformance schema`: the JSON Schema of a file format."""

from __future__ import annotations

import argparse

from conformance.commands.parser import Commands, add_command
from conformance.commands.terminal_output import say


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    schema = add_command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    schema.add_argument(
        "of",
        metavar="FORMAT",
        choices=[
            *("case", "operator", "coverage", "adapter", "deviations", "profile"),
            *("releases", "certificate", "log", "summary", "comparison", "trend"),
        ],
        help="file of the suite, of an adapter or of the profiles, or output of a command",
    )


def _schema(options: argparse.Namespace) -> int:
    import json

    from conformance.commands.schemas import schema

    say(json.dumps(schema(options.of), indent=2))
    return 0
