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
    from conformance.case_file import CaseFamily
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
        code = command(options)
        sys.stdout.flush()  # that nobody reads is to be met here, and not when Python ends
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
    else:
        return code


def _check(options: argparse.Namespace) -> int:
    from conformance.check import bundled_adapter_folders, check_deviations, check_suite, untested_clauses
    from conformance.coverage.upkeep import table_problems
    from conformance.suite import bundled_folder, read_suite

    suite, problems = read_suite(options.cases_folder or bundled_folder("cases"))
    is_whole = not problems
    tally, found = check_suite(suite)
    problems += found
    if is_whole:
        problems += untested_clauses(suite)
        problems += table_problems(suite)
    if options.cases_folder is None and is_whole:
        problems += check_deviations(suite, bundled_adapter_folders())
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    print(
        f"{tally.files} files, {tally.families} written cases, {tally.cases} products, {tally.clauses} clauses: "
        f"no problems; the reference agrees with {tally.compared} of {tally.cases} products"
    )
    return 0


def _cover(options: argparse.Namespace) -> int:
    from conformance.coverage.upkeep import keep_tables
    from conformance.suite import bundled_folder, read_suite

    suite, problems = read_suite(options.cases_folder or bundled_folder("cases"))
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    for upkeep in keep_tables(suite, options.files):
        state = "written" if upkeep.is_new else "unchanged"
        print(f"{upkeep.path}: {'removed' if upkeep.rows is None else f'{upkeep.rows} rows, {state}'}")
    return 0


def _coverage(options: argparse.Namespace) -> int:
    from conformance.case_file import CaseSet
    from conformance.coverage import console
    from conformance.coverage.measure import measure
    from conformance.plan import Selection, sets_asked

    selection = Selection(operators=tuple(options.operator), sets=sets_asked(CaseSet(options.set)))
    found = list(measure(_suite(options), selection, options.strength))
    console.show(found, max_missing=sys.maxsize if options.missing else None, max_ids=sys.maxsize if options.ids else 0)
    return 0 if all(coverage.is_complete for coverage in found) else 1


def _list(options: argparse.Namespace) -> int:
    from conformance.case import forms_of
    from conformance.plan import cases_of, families_selected

    selection = _selection(options)
    families = families_selected(_suite(options), selection)
    if options.long:
        _tell_memory(families)
    for case in cases_of(families, selection):
        forms = [form.value for form in forms_of(case) if not selection.forms or form in selection.forms]
        if forms:
            print(f"{case.id}  {case.where}  {','.join(case.clauses)}  {','.join(forms)}" if options.long else case.id)
    return 0


def _run(options: argparse.Namespace) -> int:
    from conformance.plan import families_selected
    from conformance.progress import progress_bars
    from conformance.run import RunRequest, run

    targets = _targets(options.target)
    folder: Path = options.output
    log = folder / "run.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    if options.resume and not log.is_file():
        raise UsageError("--resume", f"there is no log {log}", fix="leave --resume out to start one")
    suite, selection = _suite(options), _selection(options)
    _tell_memory(families_selected(suite, selection))
    request = RunRequest(
        suite=suite,
        selection=selection,
        targets=targets,
        log=log,
        timeout_s=options.timeout,
        jobs=options.jobs,
        resume=options.resume,
    )
    with progress_bars(is_shown=not options.quiet) as bars:
        run(request, bars.start, bars.advance)
    return _show(log, {"html": folder / "report.html"})


def _tell_memory(families: Sequence[CaseFamily]) -> None:
    """Warn of what huge cases take, before anything is allocated."""
    for where, memory in {family.document.path: family.memory for family in families if family.memory}.items():
        print(f"{where}: its largest case needs {memory} of memory", file=sys.stderr)


def _report(options: argparse.Namespace) -> int:
    kinds = ("html", "junit", "markdown", "json", "ctrf", "badge")
    return _show(options.log, {kind: getattr(options, kind) for kind in kinds})


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


def _repro(options: argparse.Namespace) -> int:
    from conformance.adapter_file import target_from_text
    from conformance.repro.folder import check_named, write_reproducer

    check = check_named(_suite(options), options.case, options.form)
    for path in write_reproducer(check, target_from_text(options.target), options.output):
        print(path)
    return 0


def _compare(options: argparse.Namespace) -> int:
    from conformance.comparison.compare import compare_files, exit_code
    from conformance.report import writers
    from conformance.report.comparison import console

    old, new = (path / "run.jsonl" if path.is_dir() else path for path in (options.old, options.new))
    comparison = compare_files(old, new)
    files = {kind: getattr(options, kind) for kind in ("html", "markdown", "json")}
    written = [writers.write_comparison(kind, comparison, path) for kind, path in files.items() if path is not None]
    console.show(comparison)
    for path in written:
        print(f"report: {path}")
    return int(exit_code(comparison))


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
    from conformance.case_file import CaseSet
    from conformance.form import Form
    from conformance.plan import Selection, sets_asked

    return Selection(
        operators=tuple(options.operator),
        cases=tuple(options.case),
        clauses=tuple(options.clause),
        forms=tuple(Form(form) for form in options.form),
        sets=sets_asked(CaseSet(options.set)),
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

    cover = _command(
        commands, "cover", _cover, "write the tables of cases with `cover`, where they are missing or no longer right"
    )
    cover.add_argument("files", metavar="FILE", type=_path, nargs="*", help="case files (default: all)")
    _add_cases_folder(cover)

    coverage = _command(
        commands, "coverage", _coverage, "tell which clauses and which combinations of the parameter space have checks"
    )
    coverage.add_argument(
        "--operator", metavar="NAME", action="append", default=[], help="as onnx.Split-13; repeatable"
    )
    coverage.add_argument("--set", choices=["default", "full"], default="default", help="default: %(default)s")
    coverage.add_argument(
        "--strength", type=int, choices=[2, 3], default=2, help="parameters in a combination (default: %(default)s)"
    )
    coverage.add_argument("--missing", action="store_true", help="tell every combination without a check")
    coverage.add_argument("--ids", action="store_true", help="tell the cases of each clause")
    _add_cases_folder(coverage)

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
    report.add_argument("--json", metavar="FILE", type=_path, help="summary for programs, as `schema summary` says")
    report.add_argument("--ctrf", metavar="FILE", type=_path, help="Common Test Report Format, a test per check")
    report.add_argument("--badge", metavar="FILE", type=_path, help="SVG with the rate of each target, for a README")

    compare = _command(commands, "compare", _compare, "tell what changed from one run to another")
    compare.epilog = "exit codes: 0 no regression, 1 a regression, 2 usage, 3 a run is incomplete or nothing in common"
    compare.add_argument("old", metavar="OLD", type=_path, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=_path, help="run.jsonl of the later run, or its folder")
    compare.add_argument("--html", metavar="FILE", type=_path, help="self-contained page")
    compare.add_argument("--markdown", metavar="FILE", type=_path, help="summary for a pull request")
    compare.add_argument("--json", metavar="FILE", type=_path, help="for programs, as `schema comparison` says")

    repro = _command(commands, "repro", _repro, "write a folder with a script that asks one case without this project")
    repro.add_argument("case", metavar="CASE", help="id of one case, exactly as a report has it")
    repro.add_argument(
        *("-t", "--target"), metavar="TARGET", required=True, help="as for `run`: onnxruntime[optimization=disabled]"
    )
    repro.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the first that it has)")
    repro.add_argument("-o", "--output", metavar="DIR", type=_path, help="folder to write (default: repro-CASE-...)")
    _add_cases_folder(repro)

    _command(commands, "adapters", _adapters, "list the bundled adapters, what they need, and their options")

    schema = _command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    schema.add_argument(
        "of",
        metavar="FORMAT",
        choices=["case", "operator", "coverage", "adapter", "deviations", "log", "summary", "comparison"],
        help="case, operator, coverage, adapter, deviations, log, summary or comparison",
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
    from conformance.form import Form

    forms = [form.value for form in Form]
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
    group.add_argument(
        "--set",
        choices=["default", "full", "huge"],
        default="default",
        help="full adds combinations of three to the default, huge is data of many GiB alone (default: %(default)s)",
    )
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
