"""The argument parser, the types of arguments, and the exit codes of every command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

USAGE, HARNESS = 2, 3
EXIT_CODES = "exit codes: 0 conforming, 1 not conforming, 2 usage or configuration, 3 harness error"


class Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest command or option for a mistyped one."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse unknown arguments here, where the options of the command are known."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """Exit with the message and the nearest known word."""
        import re

        from conformance.values.errors import nearest

        choice = re.search(r"argument ([^:]*): invalid choice: '([^']*)'", message)
        option = re.search(r"unrecognized arguments: ([^\s=]+)", message)
        hint = ""
        if choice:
            hint = nearest(choice[2], self._choices_of(choice[1]), otherwise="")
        elif option:
            options = (name for action in self._actions for name in action.option_strings)
            hint = nearest(option[1], options, otherwise="")
        fix = f"  fix:  {hint}\n" if hint else ""
        self.exit(USAGE, f"{self.prog}: {message}\n{fix}  see `{self.prog} --help`\n")

    def _choices_of(self, argument: str) -> list[str]:
        """The choices of an argument, by its name in a message of argparse."""
        named = (action for action in self._actions if argument in ("/".join(action.option_strings), action.metavar))
        return [str(choice) for action in named for choice in action.choices or ()]


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001  (argparse names no public one)
Options: TypeAlias = "argparse._ActionsContainer"  # noqa: SLF001  (the same)
"""A parser, or a group of its options."""


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], about: str
) -> argparse.ArgumentParser:
    """Add a command that `run` executes; `about` is its help."""
    parser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", epilog=EXIT_CODES, allow_abbrev=False
    )
    parser.set_defaults(run_command=run)
    return parser


def add_group(commands: Commands, name: str, about: str) -> Commands:
    """Add a command with subcommands."""
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".", allow_abbrev=False)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def add_output(parser: Options, about: str, **more: Any) -> None:
    """Add the option for the folder that a command writes."""
    parser.add_argument("-o", "--output", metavar="DIR", type=path_from, help=about, **more)


def add_repeatable(parser: Options, *names: str, metavar: str, about: str, **more: Any) -> None:
    """Add an option that can be given several times."""
    parser.add_argument(*names, metavar=metavar, action="append", default=[], help=about, **more)


def path_from(text: str) -> Path:
    """The path in an argument."""
    from pathlib import Path

    if "\0" in text:
        raise argparse.ArgumentTypeError("a path cannot contain a NUL character")
    return Path(text)


def seed_from(text: str) -> str:
    """The seed of a challenge."""
    if not (text.isprintable() and text.isascii() and len(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text[:120]!r} is not a seed of at most 100 printable ASCII characters")
    return text


def seconds_from(text: str) -> float:
    """A time limit in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0 and below 86,400")
    return seconds


def shard_from(text: str) -> tuple[int, int]:
    """The number of a shard and the number of shards, as 2/8."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a shard such as 2/8")
    return int(number), int(of)


def budget_from(text: str) -> float:
    """A budget of time, as `60s` or `5min`, in seconds."""
    match = re.fullmatch(r"([0-9]{1,6})(s|min)", text)
    if match is None or not int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 60s or 5min")
    return float(match[1]) * (60 if match[2] == "min" else 1)


def count_from(text: str) -> int:
    """A number of processes or of checks."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
