"""Parses the arguments, runs the command and returns its exit code. Each command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance import __version__
from conformance.cli import adapters, cases, certificates, fuzz, logs, releases, run
from conformance.cli.options import EXIT_CODES, HARNESS, USAGE, Commands, Parser, add_command, say
from conformance.run.interruption import heard_by, interrupt, make_lenient, unwritten
from conformance.tensors.errors import HarnessError, MachineError, OpconformError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.spec.operator import Operator


# The words that a shell offers for the values of options and arguments.
#
# The library argcomplete speaks with the shell and completes commands, options and files. Of the suite, the completers
# read only the operators, and the cases of an operator after its name was typed.

STARTED_BY_SHELL = "_ARGCOMPLETE"
"""The environment variable with which the shell asks for words."""

Completer: TypeAlias = Callable[..., Iterable[str]]
"""Gets from argcomplete the beginning of a word as `prefix`, and the options so far as `parsed_args`."""


def complete(parser: Parser) -> None:
    """Answer the shell with the words that fit, and exit."""
    from argcomplete import autocomplete

    for action in _actions(parser):
        if action.choices is None and action.dest in _COMPLETERS:
            action.completer = _COMPLETERS[action.dest]  # type: ignore[attr-defined]
    autocomplete(parser)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The actions of a parser and of all its commands."""
    for action in parser._actions:  # noqa: SLF001  (argparse has no public list)
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in action.choices.values():
                yield from _actions(command)


def _targets(prefix: str, **_: object) -> Iterable[str]:
    from argcomplete.completers import DirectoriesCompleter

    from conformance.suite.adapter_file import bundled_adapters

    if "/" in prefix or prefix.startswith("."):
        return DirectoriesCompleter()(prefix)
    return [adapter.name for adapter in bundled_adapters()]


def _operators(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    from conformance.suite.suite import read_suite

    return [operator.id for operator in read_suite(_root(parsed_args), ())[0].operators]


def _cases(prefix: str, parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
    """Operators, then the ids of the cases of one, then after `[` those with its matrix products."""
    from conformance.suite.suite import read_suite

    operator, slash = prefix.partition("/")[:2]
    if not slash:
        return [f"{name}/" for name in _operators(parsed_args)]
    families = read_suite(_root(parsed_args), {operator.rpartition("-")[0]})[0].families
    name, bracket = prefix.partition("[")[:2]
    if not bracket:
        return [family.id for family in families]
    return [case_id for family in families if family.id == name for case_id in family.ids()]


def _clauses(parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
    """The clauses of the operators that the options name, or of all."""
    return sorted({clause for operator in _chosen_operators(parsed_args) for clause in operator.clauses})


def _arguments(parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
    """The arguments of the operators that the options name, or of all, each with its `=`."""
    return sorted({f"{one.name}=" for operator in _chosen_operators(parsed_args) for one in operator.parameters})


def _chosen_operators(options: argparse.Namespace) -> Sequence[Operator]:
    """The operators that the options name, or all."""
    from conformance.suite.suite import read_suite

    operators = read_suite(_root(options), ())[0].operators
    typed = options.operator or ()
    named = {typed} if isinstance(typed, str) else set(typed)
    return [operator for operator in operators if named & {operator.id, operator.family}] or operators


def _forms(**_: object) -> Iterable[str]:
    from conformance.protocol.form import Form

    return [form.value for form in Form]


def _profiles(**_: object) -> Iterable[str]:
    from conformance.suite.adapter_file import NAME
    from conformance.suite.suite import bundled_folder

    return [path.stem for path in sorted(bundled_folder("profiles").glob("*.yaml")) if path.name != NAME]


def _root(options: argparse.Namespace) -> Path:
    from conformance.suite.suite import bundled_folder

    return next(iter(getattr(options, "cases_folder", ())), bundled_folder("cases"))


_COMPLETERS: dict[str, Completer] = {
    "target": _targets,
    "operator": _operators,
    "case": _cases,
    "check": _cases,
    "clause": _clauses,
    "argument": _arguments,
    "form": _forms,
    "profile": _profiles,
}
"""By the name of the option or argument, which means the same in every command."""


# `conformance schema`: the JSON Schema of a file format, generated from the types that read it.
#
# The schemas are published in docs/schemas for editors.

_FORMATS = {
    "case": "suite.case_entry:CaseFile",
    "operator": "suite.operator_file:OperatorFile",
    "adapter": "suite.adapter_file:AdapterFile",
    "engine": "suite.adapter_file:EngineFile",
    "packages": "suite.adapter_file:PackagesFile",
    "deviations": "judge.deviation:DeviationFile",
    "profile": "certificate.profile_file:ProfileFile",
    "releases": "suite.adapter_file:ReleasesFile",
    "lab": "run.lab.machines:LabFile",
    "certificate": "certificate.certificate_file:CertificateFile",
    "log": "log.log_file:log_schema",
    "summary": "report.writers:DOCUMENT.schema",
    "comparison": "report.comparison:COMPARISON.schema",
    "compat": "report.writers:DATA.schema",
    "compat-engines": "report.writers:FRAMEWORKS.schema",
}
"""The model of each format, or the function that gives its schema. Only that of the requested format is imported."""


def add_schema(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    about = "file of the suite, of an adapter, of the profiles or of a lab, or output of a command"
    parser.add_argument("of", metavar="FORMAT", choices=list(_FORMATS), help=about)


def _schema(options: argparse.Namespace) -> int:
    import json

    say(json.dumps(schema(options.of), indent=2))
    return 0


def schema(of: str) -> dict[str, Any]:
    """The schema of a file format or of a command's output.

    Formats are `case`, `operator`, `adapter`, `engine`, `packages`, `deviations`, `profile`, `releases` and `lab`;
    outputs are a line of a `log`, a `summary`, a `comparison` and a `certificate`. The published data of all
    releases is `compat` and `compat-engines`.

    Raises:
        KeyError: there is no such format.
    """
    from pkgutil import resolve_name

    found = resolve_name(f"conformance.{_FORMATS[of]}")
    made = found.model_json_schema(by_alias=True) if hasattr(found, "model_json_schema") else found()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


_COMMANDS = (
    *(cases.add_check, cases.add_new, cases.add_cases, cases.add_list),
    *(run.add, fuzz.add, logs.add_report, logs.add_compare),
    *(releases.add_history, releases.add_bisect, releases.add_support, logs.add_merge),
    *(certificates.add, logs.add_repro, adapters.add_adapters, releases.add_env, adapters.add_lab, add_schema),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = command_parser()
    if STARTED_BY_SHELL in os.environ:
        complete(parser)
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
    for add in _COMMANDS:
        add(commands)
    return parser
