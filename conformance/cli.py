"""Arguments in, exit code out. Draws nothing, decides nothing, and imports what a command needs only when it runs."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from conformance import __version__
from conformance.errors import HarnessError, OpconformError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.adapter_file import TargetRequest
    from conformance.plan import Selection
    from conformance.suite import Suite

_EXIT_CODES = "exit codes: 0 conforming, 1 not conforming, 2 usage or configuration, 3 harness error"
_USAGE, _HARNESS = 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # others' names and messages may be in any script
    command: Callable[[argparse.Namespace], int] = options.run_command
    try:
        return command(options)
    except ExceptionGroup as group:
        for problem in group.exceptions:
            print(problem, file=sys.stderr)
        print(f"{group.message}", file=sys.stderr)
        return _USAGE
    except OpconformError as error:
        print(error, file=sys.stderr)
        return _HARNESS if isinstance(error, HarnessError) else _USAGE
    except BrokenPipeError:  # nobody reads any more, and what was found is not known here
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _HARNESS
    except OSError as error:
        print(f"{error.filename or 'conformance'}: {error.strerror or error}", file=sys.stderr)
        return _USAGE
    except Exception:  # noqa: BLE001  (a fault of ours must not look like one of a framework)
        import traceback

        traceback.print_exc()
        return _HARNESS


def _check(options: argparse.Namespace) -> int:
    from conformance.check import bundled_adapter_folders, check_deviations, check_suite, untested_clauses
    from conformance.suite import bundled_folder, read_suite

    suite, problems = read_suite(options.cases_folder or bundled_folder("cases"))
    is_whole = not problems
    tally, found = check_suite(suite)
    problems += found
    if is_whole:
        problems += untested_clauses(suite)
    if options.cases_folder is None and is_whole:
        problems += check_deviations(suite, bundled_adapter_folders())
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    print(
        f"{tally.files} files, {tally.families} written cases, {tally.cases} products, {tally.clauses} clauses: "
        f"no problems; the reference agrees with {tally.compared} of {tally.cases} products"
    )
    return 0


def _list(options: argparse.Namespace) -> int:
    from conformance.case import forms_of
    from conformance.plan import cases_of, families_selected

    selection = _selection(options)
    for case in cases_of(families_selected(_suite(options), selection), selection):
        forms = [form.value for form in forms_of(case) if not selection.forms or form in selection.forms]
        if forms:
            print(f"{case.id}  {case.where}  {','.join(case.clauses)}  {','.join(forms)}" if options.long else case.id)
    return 0


def _run(options: argparse.Namespace) -> int:
    from conformance.progress import progress_bars
    from conformance.run import RunRequest, run

    targets = _targets(options.target)
    folder: Path = options.output
    log = folder / "run.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    if options.resume and not log.is_file():
        raise UsageError("--resume", f"there is no log {log}", fix="leave --resume out to start one")
    request = RunRequest(
        suite=_suite(options),
        selection=_selection(options),
        targets=targets,
        log=log,
        timeout_s=options.timeout,
        jobs=options.jobs,
        resume=options.resume,
    )
    with progress_bars(is_shown=not options.quiet) as bars:
        run(request, bars.start, bars.advance)
    return _show(log, {"html": folder / "report.html"})


def _report(options: argparse.Namespace) -> int:
    return _show(options.log, {"html": options.html, "junit": options.junit, "markdown": options.markdown})


def _show(log: Path, files: dict[str, Path | None]) -> int:
    """Write the reports that are asked for, and tell the result on the terminal."""
    from conformance.report import console, writers
    from conformance.report.summary import exit_code, summarize

    summary = summarize(log)
    written = [path for kind, path in files.items() if path is not None and writers.write(kind, log, summary, path)]
    console.show(summary)
    for path in written:
        print(f"report: {path}")
    return int(exit_code(summary))


def _adapters(options: argparse.Namespace) -> int:
    from conformance.adapter_file import bundled_adapters, installed_versions

    del options
    for adapter in bundled_adapters():
        manifest = adapter.manifest
        print(f"{adapter.name}: {manifest.summary}")
        for requirement, version in installed_versions(manifest).items():
            print(f"  needs {requirement}: {f'{version} is installed' if version else 'not installed'}")
        for name, option in manifest.options.items():
            choices = f" ({' | '.join(option.choices)})" if option.choices else ""
            print(f"  [{name}={option.default}]{choices} {option.summary}")
    return 0


def _schema(options: argparse.Namespace) -> int:
    import json

    from conformance.schemas import schema

    print(json.dumps(schema(options.of), indent=2))
    return 0


def _targets(names: Sequence[str]) -> tuple[TargetRequest, ...]:
    """The targets that were named, or every bundled one whose framework is installed."""
    from conformance.adapter_file import TargetRequest, bundled_adapters, installed_versions, target_from_text

    if names:
        return tuple(target_from_text(name) for name in names)
    chosen = []
    for adapter in bundled_adapters():
        missing = [need for need, version in installed_versions(adapter.manifest).items() if not version]
        if missing:
            print(f"left out: {adapter.name}, which needs {', '.join(missing)}", file=sys.stderr)
        else:
            chosen.append(TargetRequest(adapter=adapter, options={}))
    return tuple(chosen)


def _suite(options: argparse.Namespace) -> Suite:
    from conformance.suite import bundled_folder, load_suite

    return load_suite(options.cases_folder or bundled_folder("cases"))


def _selection(options: argparse.Namespace) -> Selection:
    from conformance.form import Form
    from conformance.plan import Selection

    return Selection(
        operators=tuple(options.operator),
        cases=tuple(options.case),
        clauses=tuple(options.clause),
        forms=tuple(Form(form) for form in options.form),
    )


class _Parser(argparse.ArgumentParser):
    """Names the nearest command or option where one is mistyped."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse what a command does not know here, where its own options are known, and not above it."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        import re

        from conformance.errors import nearest

        typed = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: ([^\s=]+)", message)
        known = [name for action in self._actions for name in (action.choices or action.option_strings)]
        hint = nearest(next(filter(None, typed.groups()), ""), map(str, known), otherwise="") if typed else ""
        fix = f"  fix:  {hint}\n" if hint else ""
        self.exit(_USAGE, f"{self.prog}: {message}\n{fix}  see `{self.prog} --help`\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="conformance",
        description="Ask frameworks what a tensor operator's spec says, and judge their answers bit for bit.",
        epilog=f"start with: conformance run --target numpy\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"opconform {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    check = _command(
        commands, "check", _check, "check all case files, and tell every problem with its place and remedy"
    )
    _add_cases_folder(check)

    listing = _command(commands, "list", _list, "list the cases that a selection holds, one id a line")
    _add_selection(listing)
    listing.add_argument("--long", action="store_true", help="with file and line, clauses and forms")

    run = _command(
        commands, "run", _run, "run cases on targets, write the log and the HTML report, and tell the result"
    )
    _add_selection(run)
    run.add_argument(
        *("-t", "--target", "--adapter"), dest="target", metavar="TARGET", action="append", default=[],
        help="adapter or folder, as onnxruntime[optimization=disabled]; repeatable; default: all that are installed",
    )  # fmt: skip
    run.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=_path,
        default="conformance-results",
        help="folder for run.jsonl and report.html; an earlier log becomes previous.jsonl (default: %(default)s)",
    )
    run.add_argument(
        "--timeout",
        metavar="S",
        type=_positive_seconds,
        default=30.0,
        help="seconds that one check may take (default: %(default)g)",
    )
    run.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_positive_count,
        default=os.cpu_count() or 1,
        help="workers at a time, several for a target with many checks (default: one per core)",
    )
    run.add_argument("--resume", action="store_true", help="finish the log of a run that was interrupted")
    run.add_argument("-q", "--quiet", action="store_true", help="show no progress")

    report = _command(commands, "report", _report, "make reports from a log, and tell the result again")
    report.add_argument("log", metavar="LOG", type=_path, help="run.jsonl of a run")
    report.add_argument("--html", metavar="FILE", type=_path, help="self-contained page with what differs and why")
    report.add_argument("--junit", metavar="FILE", type=_path, help="JUnit XML for CI systems")
    report.add_argument("--markdown", metavar="FILE", type=_path, help="summary for a pull request or a CI job")

    _command(commands, "adapters", _adapters, "list the bundled adapters, what they need, and their options")

    schema = _command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    schema.add_argument(
        "of",
        metavar="FORMAT",
        choices=["case", "operator", "adapter", "deviations", "log"],
        help="case, operator, adapter, deviations or log",
    )
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, run: Callable[[argparse.Namespace], int], about: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", epilog=_EXIT_CODES, allow_abbrev=False
    )
    parser.set_defaults(run_command=run)
    return parser


def _add_cases_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cases-folder", metavar="DIR", type=_path, help="folder laid out as the bundled cases/ (default: those)"
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    forms = ["constant", "runtime", "dynamic", "runtime-dynamic", "axis-from-end", "second-call"]
    group = parser.add_argument_group("selection (each repeatable; all must hold)")
    group.add_argument(
        "--operator",
        metavar="NAME",
        action="append",
        default=[],
        help="as onnx.Split-13, or onnx.Split for all versions",
    )
    group.add_argument(
        "--case",
        metavar="PATTERN",
        action="append",
        default=[],
        help="case id, with or without its product; * and ? match",
    )
    group.add_argument(
        "--clause", metavar="ID", action="append", default=[], help="cases that test a clause of operator.yaml"
    )
    group.add_argument("--form", metavar="FORM", action="append", default=[], choices=forms, help=" | ".join(forms))
    _add_cases_folder(group)  # type: ignore[arg-type]


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)


def _positive_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _positive_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
