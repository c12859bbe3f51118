"""The words that a shell offers for the values of options and arguments.

The library argcomplete speaks with the shell and completes commands, options and files. Of the suite, the completers
read only the operators, and the cases of an operator after its name was typed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from argcomplete import autocomplete
from argcomplete.completers import DirectoriesCompleter

from conformance.cli.parser import Parser
from conformance.protocol.form import Form
from conformance.spec.operator import Operator
from conformance.suite.adapter_file import NAME, bundled_adapters
from conformance.suite.suite import bundled_folder, read_suite

Completer: TypeAlias = Callable[..., Iterable[str]]
"""Gets from argcomplete the beginning of a word as `prefix`, and the options so far as `parsed_args`."""


def complete(parser: Parser) -> None:
    """Answer the shell with the words that fit, and exit."""
    for action in _actions(parser):
        if action.choices is None and action.dest in COMPLETERS:
            action.completer = COMPLETERS[action.dest]  # type: ignore[attr-defined]
    autocomplete(parser)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The actions of a parser and of all its commands."""
    for action in parser._actions:  # noqa: SLF001  (argparse has no public list)
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in action.choices.values():
                yield from _actions(command)


def _targets(prefix: str, **_: object) -> Iterable[str]:
    if "/" in prefix or prefix.startswith("."):
        return DirectoriesCompleter()(prefix)
    return [adapter.name for adapter in bundled_adapters()]


def _operators(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    return [operator.id for operator in read_suite(_root(parsed_args), ())[0].operators]


def _cases(prefix: str, parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
    """Operators, then the ids of the cases of one, then after `[` those with its matrix products."""
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
    operators = read_suite(_root(options), ())[0].operators
    typed = options.operator or ()
    named = {typed} if isinstance(typed, str) else set(typed)
    return [operator for operator in operators if named & {operator.id, operator.family}] or operators


def _forms(**_: object) -> Iterable[str]:
    return [form.value for form in Form]


def _profiles(**_: object) -> Iterable[str]:
    return [path.stem for path in sorted(bundled_folder("profiles").glob("*.yaml")) if path.name != NAME]


def _root(options: argparse.Namespace) -> Path:
    return next(iter(getattr(options, "cases_folder", ())), bundled_folder("cases"))


COMPLETERS: dict[str, Completer] = {
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
