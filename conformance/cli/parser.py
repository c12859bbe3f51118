"""The parser of a command, the types of its arguments, and the options that several commands share."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeAlias

from conformance.protocol.form import Form
from conformance.spec.choices import CaseSet, Expects
from conformance.tensors.errors import nearest
from conformance.tensors.text import visible

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


def add_command(commands: Commands, name: str, run: str, about: str) -> argparse.ArgumentParser:
    """Add a command that `run` executes, as `module:function` of this package; `about` is its help."""
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


def days_from(text: str) -> float:
    """A number of days, as `30d`."""
    match = re.fullmatch(r"([0-9]{1,5})d", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days such as 30d")
    return float(match[1])


def count_from(text: str) -> int:
    """A number of processes or of checks."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text to standard output, or to `stream`. Control characters in it are shown and have no effect."""
    print(visible(text, len(text)), file=stream, flush=True)


TIMEOUT_S = 30.0
"""The time limit of a check, if a user names none."""


DEFAULT_TARGETS = ("numpy", "onnxruntime", "openvino", "torch")
"""The bundled adapters that a run asks if no target is named; the others are asked where they are named."""


def add_cases_folder(parser: Options) -> None:
    """Add the option for the folder of the cases."""
    about = "folder laid out as cases/ (default: the bundled cases)"
    add_repeatable(parser, "--cases-folder", metavar="DIR", about=about, type=path_from)


def add_own_cases(parser: Options) -> None:
    """Add the option for folders with cases of one's own."""
    about = "folder laid out as cases/, whose cases are added to the bundled ones"
    add_repeatable(parser, "--cases", metavar="DIR", about=about, type=path_from)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select checks."""
    forms = [form.value for form in Form]
    group = parser.add_argument_group("selection (each repeatable; all must hold)")
    add_repeatable(group, "--operator", metavar="NAME", about="as onnx.Split-13, or onnx.Split for all versions")
    about = "case id, with or without its product; * and ? match"
    add_repeatable(group, "--case", metavar="PATTERN", about=about)
    add_repeatable(group, "--clause", metavar="ID", about="cases that test a clause of operator.yaml")
    add_repeatable(group, "--form", metavar="FORM", choices=forms, about=" | ".join(forms))
    about = "outputs: valid calls | rejected: invalid calls | disputed: calls that the page leaves open"
    add_repeatable(group, "--expects", metavar="WHAT", choices=[one.value for one in Expects], about=about)
    sets = [one.value for one in CaseSet]
    about = (
        "smoke has each form of each operator once; full adds combinations of three parameters to the default; "
        "huge has only data of many GiB; timing has the cases that --timing times (default: %(default)s)"
    )
    group.add_argument("--set", choices=sets, default="default", help=about)
    about = "only the best sample of so many checks, evenly over the operator versions that are selected"
    group.add_argument("--checks", metavar="N", type=count_from, default=0, help=about)
    group.add_argument(
        "--profile",
        metavar="NAME",
        help="the checks of a profile; --operator, --form, --expects and --checks narrow it",
    )
    add_challenge(group)
    add_cases_folder(group)
    add_own_cases(group)


def add_challenge(parser: Options) -> None:
    """Add the option for a reviewer's seed."""
    parser.add_argument(
        "--challenge", metavar="SEED", type=seed_from, default="", help="derive the data from a reviewer's seed"
    )


def add_timeout(parser: argparse.ArgumentParser, of: str) -> None:
    """Add the option for the time limit of a check or a request."""
    says = f"seconds that one {of} may take (default: %(default)g)"
    parser.add_argument("--timeout", metavar="S", type=seconds_from, default=TIMEOUT_S, help=says)


def add_effort(parser: argparse.ArgumentParser) -> None:
    """Add the options for time limit, workers, timing and progress."""
    add_timeout(parser, "check")
    add_jobs(parser)
    about = "then time the cases of the set `timing`; see docs/reference/timing.md (default: %(default)s)"
    parser.add_argument("--timing", choices=["off", "quick", "precise"], default="off", help=about)
    about = "show no progress; `run` then prints the result alone"
    parser.add_argument("-q", "--quiet", action="store_true", help=about)


def add_jobs(parser: Options) -> None:
    """Add the option for the number of child processes."""
    about = "child processes at a time, several for a target with many checks (default: one per core)"
    parser.add_argument("-j", "--jobs", metavar="N", type=count_from, default=os.cpu_count() or 1, help=about)


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Add the option for an earlier log."""
    parser.add_argument(
        "--baseline", metavar="LOG", type=path_from, help="earlier log; checks that failed in it do not fail this run"
    )


def add_reports(parser: argparse.ArgumentParser, **about: str) -> None:
    """Add an option for the file of each kind of report; `about` is its help."""
    for kind, says in about.items():
        parser.add_argument(f"--{kind}", metavar="FILE", type=path_from, help=says)


def add_offline(parser: Options) -> None:
    """Add the option that forbids to install a release that a target names."""
    parser.add_argument("--offline", action="store_true", help="make no environment of a release that a target names")
