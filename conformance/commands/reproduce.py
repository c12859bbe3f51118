"""`conformance reproduce`: runs the scripts of recorded deviations, each without this project."""

from __future__ import annotations

import argparse

from conformance.commands.parser import Commands, add_command, path_from
from conformance.commands.terminal_output import say
from conformance.values.text import counted


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    reproduce = add_command(
        commands, "reproduce", _reproduce, "run the scripts of recorded deviations, and name those that show no fault"
    )
    about = "deviations.yaml of adapters (default: those of all bundled adapters)"
    reproduce.add_argument("files", metavar="FILE", type=path_from, nargs="*", help=about)


def _reproduce(options: argparse.Namespace) -> int:
    from conformance.formats.adapter_file import bundled_adapters, read_adapter
    from conformance.running.reproducer import reproduced

    adapters = tuple(read_adapter(path.parent) for path in options.files) or bundled_adapters()
    shown, problems, left_out = reproduced(adapters)
    for line in left_out:
        say(line)
    if problems:
        raise ExceptionGroup(counted(len(problems), "problem"), problems)
    say(f"reproducers of recorded deviations that show their faults: {shown}")
    return 0
