"""Parses the arguments, imports and runs the module of the command, and returns the exit code."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pkgutil import resolve_name

from conformance.cli.commands import command_parser
from conformance.cli.parser import HARNESS, USAGE, Parser, say
from conformance.run.ending import heard_by, interrupt, make_lenient, unwritten
from conformance.tensors.errors import HarnessError, MachineError, OpconformError

STARTED_BY_SHELL = "_ARGCOMPLETE"
"""The environment variable with which the shell asks for words."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = command_parser()
    if STARTED_BY_SHELL in os.environ:
        from conformance.cli.completion import complete

        complete(parser)
    options = parser.parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # halves the time of NumPy's import, also in each worker
    make_lenient()
    with heard_by(interrupt):
        code = _exit_code(options) if options.run_command else _help(parser)
    if why := unwritten(sys.stdout):
        say(f"standard output: {why}", sys.stderr)
        return code or HARNESS
    return code


def run_of(command: str) -> Callable[[argparse.Namespace], int]:
    """The function that a command names, with its module imported."""
    function: Callable[[argparse.Namespace], int] = resolve_name(f"conformance.cli.{command}")
    return function


def _exit_code(options: argparse.Namespace) -> int:
    """Run a command and return its exit code. If an error ends it, print the error and return the code for it."""
    try:
        return run_of(options.run_command)(options)
    except ExceptionGroup as group:
        for problem in group.exceptions:
            say(str(problem), sys.stderr)
        say(group.message, sys.stderr)
        return USAGE
    except OpconformError as error:
        say(str(error), sys.stderr)
        return HARNESS if isinstance(error, HarnessError | MachineError) else USAGE
    except OSError as error:
        where = " -> ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        say(f"{where or 'conformance'}: {error.strerror or error}", sys.stderr)
        return USAGE
    except KeyboardInterrupt as interruption:
        say(f"interrupted by {interruption or 'SIGINT'}", sys.stderr)
        return HARNESS
    except Exception:  # noqa: BLE001  (a fault of ours must not look like one of a framework)
        say(traceback.format_exc().rstrip(), sys.stderr)
        return HARNESS


def _help(parser: Parser) -> int:
    """The answer to a call without a command; not a success, since nothing ran."""
    say(parser.format_help().rstrip())
    return USAGE
