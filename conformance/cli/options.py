"""The parser of all commands, the options that several of them share, and what prints for them."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeAlias, TypeVar

from conformance.tensors.errors import UsageError
from conformance.tensors.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.log.merge import Baseline
    from conformance.run.selection import Selection
    from conformance.suite.adapter_file import TargetRequest
    from conformance.suite.case_file import CaseFamily
    from conformance.suite.suite import Suite


# The argument parser, the types of arguments, and the exit codes of every command.

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

        from conformance.tensors.errors import nearest

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


# How a command prints to the terminal, apart from reports and progress.


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text to standard output, or to `stream`. Control characters in it are shown and have no effect."""
    print(visible(text, len(text)), file=stream, flush=True)


TIMEOUT_S = 30.0
"""The time limit of a check, if a user names none."""
DEFAULT_TARGETS = ("numpy", "onnxruntime", "openvino", "torch")
"""The bundled adapters that a run asks if no target is named; the others are asked where they are named."""
_OptionValue = TypeVar("_OptionValue", bound=Enum)


def add_cases_folder(parser: Options) -> None:
    """Add the option for the folder of the cases."""
    about = "folder laid out as cases/ (default: the bundled cases)"
    add_repeatable(parser, "--cases-folder", metavar="DIR", about=about, type=path_from)


def only_cases_folder(options: argparse.Namespace) -> Path | None:
    """The folder of a command that reads or writes the files of one folder; None for the bundled cases.

    Raises:
        UsageError: the options name several.
    """
    if len(options.cases_folder) > 1:
        raise UsageError("--cases-folder", "takes one folder here", fix="run the command once for each folder")
    return next(iter(options.cases_folder), None)


def writable_cases_folder(options: argparse.Namespace) -> Path:
    """The folder of a command that writes cases.

    Raises:
        UsageError: the options name several, or none, and the bundled one belongs to an installation.
    """
    from conformance.suite.suite import bundled_folder

    root = only_cases_folder(options) or bundled_folder("cases")
    if root.parent.name == "bundled" and not options.cases_folder:
        fix = "in a checkout, add `--cases-folder cases`; elsewhere, add `--cases-folder` with a folder of your own"
        raise UsageError(str(root), "belongs to the installation", fix=fix)
    return root


def check_command(options: argparse.Namespace, path: Path) -> str:
    """The command that checks a case file which a command wrote, ready to paste."""
    folder = [word for path in options.cases_folder for word in ("--cases-folder", str(path))]
    return shlex.join(["conformance", "check", *folder, str(path)])


def add_own_cases(parser: Options) -> None:
    """Add the option for folders with cases of one's own."""
    about = "folder laid out as cases/, whose cases are added to the bundled ones"
    add_repeatable(parser, "--cases", metavar="DIR", about=about, type=path_from)


def suite_from(options: argparse.Namespace, ids: Sequence[str] = ()) -> Suite:
    """The suite in the folders of the options, or the bundled one, with the cases that the options add.

    Of the bundled suite, only the operators that `ids` (ids or patterns) name are read, if they name any.
    """
    from functools import reduce

    from conformance.suite.adapter_file import released_suite
    from conformance.suite.suite import Suite, load_suite

    first, *more = map(load_suite, options.cases_folder) if options.cases_folder else (released_suite(ids),)
    return reduce(Suite.joined_with, [*more, *map(load_suite, getattr(options, "cases", ()))], first)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select checks."""
    from conformance.protocol.form import Form
    from conformance.spec.choices import CaseSet, Expects

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


def selection_from(options: argparse.Namespace) -> Selection:
    """The selection that the options describe."""
    from conformance.protocol.form import Form
    from conformance.run.selection import Selection, sets_included
    from conformance.spec.choices import CaseSet, Expects

    chosen = Selection(
        operators=tuple(options.operator),
        cases=tuple(options.case),
        clauses=tuple(options.clause),
        forms=tuple(Form(form) for form in options.form),
        sets=sets_included(CaseSet(options.set)),
        expects=tuple(Expects(what) for what in options.expects),
        sample=options.checks,
        challenge=options.challenge,
    )
    if options.profile is None:
        return chosen
    from conformance.certificate.profile_file import read_profile
    from conformance.suite.suite import bundled_folder

    fixed = {"case": options.case, "clause": options.clause, "set": options.set != "default", "cases": options.cases}
    if clashing := [f"--{name}" for name, is_given in fixed.items() if is_given]:
        what = f"cannot be combined with {' or '.join(clashing)}"
        raise UsageError("--profile", what, fix="narrow it with --operator, --form or --expects alone")
    return _narrowed(read_profile(options.profile, bundled_folder("profiles")).selection, chosen)


def _narrowed(profile: Selection, chosen: Selection) -> Selection:
    """The checks of a profile that the options also choose."""
    from dataclasses import replace

    return replace(
        profile,
        operators=chosen.operators,
        forms=_intersection("form", profile.forms, chosen.forms),
        expects=_intersection("expects", profile.expects, chosen.expects),
        sample=chosen.sample,
        challenge=chosen.challenge,
    )


def _intersection(
    option: str, of_profile: tuple[_OptionValue, ...], chosen: tuple[_OptionValue, ...]
) -> tuple[_OptionValue, ...]:
    """The values in both; nothing stands for all of them."""
    if not (of_profile and chosen):
        return of_profile or chosen
    both = tuple(value for value in of_profile if value in chosen)
    if not both:
        names = " or ".join(str(value.value) for value in of_profile)
        raise UsageError(f"--{option}", "the profile has no such check", fix=f"write {names}, or leave --profile out")
    return both


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


def baseline_from(options: argparse.Namespace) -> Baseline | None:
    """The checks that failed in the earlier log; None without that option."""
    from conformance.log.merge import read_baseline

    return read_baseline(log_in(options.baseline)) if options.baseline is not None else None


def add_reports(parser: argparse.ArgumentParser, **about: str) -> None:
    """Add an option for the file of each kind of report; `about` is its help."""
    for kind, says in about.items():
        parser.add_argument(f"--{kind}", metavar="FILE", type=path_from, help=says)


def reports_in(options: argparse.Namespace) -> dict[str, Path]:
    """The files of the reports that the options name, by kind."""
    kinds = ("html", "junit", "markdown", "json")
    return {kind: path for kind in kinds if (path := getattr(options, kind, None)) is not None}


def log_in(path: Path) -> Path:
    """The log at a path: the file itself, or the one in the folder of a run."""
    return path / "run.jsonl" if path.is_dir() else path


def add_offline(parser: Options) -> None:
    """Add the option that forbids to install a release that a target names."""
    parser.add_argument("--offline", action="store_true", help="make no environment of a release that a target names")


def targets_named(names: Sequence[str], *, is_offline: bool = False, in_lab: bool = False) -> tuple[TargetRequest, ...]:
    """The named targets, one for each release that they name; or those of `DEFAULT_TARGETS` that are installed.

    Machines of a lab have the releases that are installed there, so that nothing is made for them here.
    """
    from conformance.run.handshake import missing_needs
    from conformance.suite.adapter_file import TargetRequest, bundled_adapters, target_from_text

    if in_lab and names:
        return tuple(map(_one_target, names))
    if names:
        found = ((name, target_from_text(name)) for name in names)
        return tuple(one for name, target in found for one in _target_per_release(target, name, is_offline=is_offline))
    chosen = []
    for adapter in (one for one in bundled_adapters() if one.name in DEFAULT_TARGETS):
        missing = missing_needs(adapter)
        if missing:
            say(f"left out: {adapter.name}, which needs {', '.join(missing)}", sys.stderr)
        else:
            chosen.append(TargetRequest(adapter=adapter, options={}))
    return tuple(chosen)


def target_named(name: str) -> TargetRequest:
    """The named target, at the release that it names.

    Raises:
        UsageError: it names several releases.
    """
    (target,) = _target_per_release(_one_target(name), name, is_offline=False)
    return target


def _one_target(name: str) -> TargetRequest:
    """The named target, before an environment is found for its release.

    Raises:
        UsageError: it names several releases.
    """
    from conformance.run.environments.resolution import names_several
    from conformance.suite.adapter_file import target_from_text

    target = target_from_text(name)
    if names_several(target.version):
        raise UsageError(f"target {name!r}", "names several releases, and one is possible here", fix="name one")
    return target


def _target_per_release(target: TargetRequest, name: str, *, is_offline: bool) -> list[TargetRequest]:
    """The target at each release that it names; says on standard error which environments are made for them."""
    if not target.version:
        return [target]
    from conformance.run.environments.resolution import Making, targets_at_releases

    making = Making(is_offline=is_offline, say=lambda text: say(text, sys.stderr))
    return targets_at_releases(target, f"target {name!r}", making)


def warn_of_memory(families: Sequence[CaseFamily]) -> None:
    """Say what huge cases need, and how to leave them out, before anything is allocated."""
    for where, memory in {family.document.path: family.memory for family in families if family.memory}.items():
        what = f"its largest case needs {memory} of memory, and runs all the same"
        say(f"{where}: {what}; select other cases or another --set to leave it out", sys.stderr)
