"""Parses the arguments, runs the command and returns its exit code. Each command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from conformance import __version__
from conformance.commands import (
    adapters,
    bisect,
    cases,
    certificates,
    check,
    compare,
    completion,
    env,
    fuzz,
    history,
    lab,
    list_cases,
    merge,
    new,
    report,
    repro,
    run,
    schema,
    support,
)
from conformance.commands.parser import EXIT_CODES, HARNESS, USAGE, Parser
from conformance.commands.terminal_output import say
from conformance.sessions.interruption import heard_by, interrupt, make_lenient, unwritten
from conformance.values.errors import HarnessError, MachineError, OpconformError

_COMMANDS = (
    *(check, new, cases, list_cases),
    *(run, fuzz, report, compare, history, bisect, support, merge),
    *(certificates, repro, adapters, env, lab, schema),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = command_parser()
    if completion.STARTED_BY_SHELL in os.environ:
        completion.complete(parser)
    options = parser.parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # halves the time of NumPy's import, also in each worker
    make_lenient()
    with heard_by(interrupt):
        code = _exit_code(options.run_command, options)
    if why := unwritten(sys.stdout):
        say(f"standard output: {why}", sys.stderr)
        return code or HARNESS
    return code


def _exit_code(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command and return its exit code. If an error ends it, print the error and return the code for it."""
    try:
        return command(options)
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
        import traceback

        say(traceback.format_exc().rstrip(), sys.stderr)
        return HARNESS


def _help(parser: argparse.ArgumentParser) -> int:
    """The answer to a call without a command; not a success, since nothing ran."""
    say(parser.format_help().rstrip())
    return USAGE


def command_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(
        prog="conformance",
        description="Run the cases of tensor operators' specs on frameworks, and judge the answers bit for bit.",
        epilog=f"start with: conformance run --target numpy\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"opconform {__version__}")
    parser.set_defaults(run_command=lambda _: _help(parser))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in _COMMANDS:
        module.add(commands)
    return parser
