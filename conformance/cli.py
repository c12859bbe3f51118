"""Arguments in, exit code out. Draws nothing, decides nothing, and imports what a command needs only when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from conformance import __version__
from conformance.errors import HarnessError, MachineError, OpconformError, UsageError
from conformance.interruption import heard_by, interrupt
from conformance.standard_streams import is_read, make_lenient, unwritten

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from conformance.adapter_file import TargetRequest
    from conformance.baseline import Baseline
    from conformance.case_file import CaseFamily
    from conformance.plan import Selection
    from conformance.progress import Bars
    from conformance.record import Header
    from conformance.shard import Shard
    from conformance.suite import Suite

_EXIT_CODES = "exit codes: 0 conforming, 1 not conforming, 2 usage or configuration, 3 harness error"
_USAGE, _HARNESS = 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # half of what NumPy's import costs, in each worker too
    make_lenient()
    with heard_by(interrupt):
        code = _exit_code(options.run_command, options)
    if why := unwritten(sys.stdout):
        _say(f"standard output: {why}", sys.stderr)
        return code or _HARNESS
    return code


def _exit_code(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command and return its exit code. An error that ends it is printed, and has an exit code of its own."""
    try:
        return command(options)
    except ExceptionGroup as group:
        for problem in group.exceptions:
            _say(str(problem), sys.stderr)
        _say(group.message, sys.stderr)
        return _USAGE
    except OpconformError as error:
        _say(str(error), sys.stderr)
        return _HARNESS if isinstance(error, HarnessError | MachineError) else _USAGE
    except OSError as error:
        where = " -> ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        _say(f"{where or 'conformance'}: {error.strerror or error}", sys.stderr)
        return _USAGE
    except KeyboardInterrupt as interruption:
        _say(f"interrupted by {interruption or 'SIGINT'}", sys.stderr)
        return _HARNESS
    except Exception:  # noqa: BLE001  (a fault of ours must not look like one of a framework)
        import traceback

        _say(traceback.format_exc().rstrip(), sys.stderr)
        return _HARNESS


def _say(text: str, stream: TextIO | None = None) -> None:
    """The one way of a command to the terminal, but for reports and progress: what others wrote is seen and does not
    act.
    """
    from conformance.report.text import visible

    print(visible(text, len(text)), file=stream)


def _check(options: argparse.Namespace) -> int:
    import threading
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import ExitStack

    from conformance.adapter_file import bundled_adapters, read_adapter
    from conformance.check import check_deviations, check_suite, untested_clauses
    from conformance.coverage.upkeep import table_problems, unused_tables
    from conformance.reproducer import reproduced
    from conformance.suite import bundled_folder, read_suite

    suite, problems = read_suite(options.cases_folder or bundled_folder("cases"))
    is_read = not problems
    if options.files and not is_read:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    recorded = [path for path in options.files if path.name == "deviations.yaml"]
    case_files = [path for path in options.files if path not in recorded]
    asked = suite.of_files(case_files) if case_files or not recorded else suite.without_cases()
    is_whole = is_read and not options.files
    adapters = bundled_adapters() if is_whole and options.cases_folder is None else ()
    adapters = adapters or tuple(read_adapter(path.parent) for path in recorded)
    stopping = threading.Event()
    with ThreadPoolExecutor(1) as beside, ExitStack() as at_end:
        at_end.callback(stopping.set)
        scripts = beside.submit(reproduced, adapters, stopping)
        tally, found = check_suite(asked)
        problems += found
        if is_read:
            problems += table_problems(asked)
        if is_whole:
            problems += untested_clauses(suite)
            problems += unused_tables(suite)
        if adapters:
            problems += check_deviations(suite, [adapter.folder for adapter in adapters])
        reproduction = scripts.result()
    for line in reproduction.left_out:
        _say(line)
    problems += reproduction.problems
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    if asked.families:
        _say(
            f"{tally.files} files, {tally.families} written cases, {tally.cases} products, {tally.clauses} clauses: "
            f"no problems; the reference agrees with {tally.compared} of {tally.cases} products"
        )
    if adapters:
        _say(f"{reproduction.shown} reproducers of recorded deviations show their faults")
    return 0


def _cover(options: argparse.Namespace) -> int:
    from conformance.coverage.upkeep import keep_tables
    from conformance.suite import bundled_folder, read_suite

    suite, problems = read_suite(options.cases_folder or bundled_folder("cases"))
    if problems:
        raise ExceptionGroup(f"{len(problems)} problem(s) in {suite.root}", problems)
    for upkeep in keep_tables(suite.of_files(options.files)):
        state = "written" if upkeep.is_new else "unchanged"
        _say(f"{upkeep.path}: {'removed' if upkeep.rows is None else f'{upkeep.rows} rows, {state}'}")
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
    from conformance.form_calls import forms_of
    from conformance.plan import cases_of, families_selected

    selection = _selection(options)
    families = families_selected(_suite(options), selection)
    if options.long:
        _tell_memory(families)
    for case in cases_of(families, selection):
        if not is_read(sys.stdout):
            break
        forms = [form.value for form in forms_of(case) if not selection.forms or form in selection.forms]
        if forms:
            _say(f"{case.id}  {case.where}  {','.join(case.clauses)}  {','.join(forms)}" if options.long else case.id)
    return 0


def _run(options: argparse.Namespace) -> int:
    from conformance.ownership import owned

    with owned(options.output):
        return _run_in(options.output, options)


def _run_in(folder: Path, options: argparse.Namespace) -> int:
    from dataclasses import replace
    from functools import partial

    from conformance.adapter_file import recorded_target
    from conformance.plan import families_selected
    from conformance.progress import progress_bars
    from conformance.release_file import is_edited
    from conformance.rerun import failed_in
    from conformance.run import RunRequest, run
    from conformance.timing.effort import TimingMode
    from conformance.timing.passes import families_to_time

    log = folder / "run.jsonl"
    if options.resume and not log.is_file():
        raise UsageError("--resume", f"there is no log {log}", fix="leave --resume out to start one")
    suite, selection = _suite(options), _selection(options)
    targets: tuple[TargetRequest, ...] = ()
    if options.of is not None and options.rerun is None:
        raise UsageError("--of", "there is nothing to run again", fix="add `--rerun failed`")
    if options.rerun is not None:
        failed = failed_in(_log_in(options.of or log), suite.digest)
        if not failed.checks:
            _say(f"{options.of or log}: nothing failed, so there is nothing to run again")
            return 0
        selection = replace(selection, sets=failed.sets, checks=failed.checks)
        if not options.target:
            targets = tuple(recorded_target(entry.adapter, entry.options) for entry in failed.targets)
    if options.strict_records and is_edited(suite):
        what = "does not hold, since deviations are recorded for the cases of a release"
        _say(f"--strict-records: {what}", sys.stderr)
    targets = targets or _targets(options.target)
    timing = TimingMode(options.timing)
    if timing is not TimingMode.OFF and options.shard is not None:
        raise UsageError("--timing", "shards run on many machines, and times are of one", fix="leave --shard out")
    to_time = () if timing is TimingMode.OFF else families_to_time(suite, selection)
    _tell_memory((*families_selected(suite, selection), *to_time))
    probe = None
    if options.profile is not None:
        from conformance.certificate.commands import probe_of

        probe = probe_of(suite, options.timeout)
    request = RunRequest(
        suite=suite,
        selection=selection,
        targets=targets,
        log=log,
        timeout_s=options.timeout,
        strict_records=options.strict_records,
        jobs=options.jobs,
        resume=options.resume,
        shard=_shard(options),
        timing=timing,
        probe=probe,
    )
    baseline = _baseline(options)  # before the run, whose log may take its place
    with progress_bars(is_shown=not options.quiet) as bars:
        run(request, partial(_on_start, bars), bars.advance)
    return _show(log, {"html": folder / "report.html"}, baseline)


def _on_start(bars: Bars, header: Header) -> None:
    for target in header.targets:
        if target.problem:
            _say(f"{target.name} could not start, and is asked nothing: {target.problem}", sys.stderr)
    bars.start(header)


def _merge(options: argparse.Namespace) -> int:
    from conformance.merge import merge
    from conformance.ownership import owned
    from conformance.report.writers import refuse_overwriting

    output: Path = options.output
    is_file = output.suffix == ".jsonl"
    folder, log = (output.parent, output) if is_file else (output, output / "run.jsonl")
    baseline, logs = _baseline(options), [_log_in(path) for path in options.logs]
    refuse_overwriting([log], logs)
    with owned(folder):
        merge(logs, log)
        return _show(log, {} if is_file else {"html": folder / "report.html"}, baseline)


def _tell_memory(families: Sequence[CaseFamily]) -> None:
    """Warn of what huge cases take, before anything is allocated."""
    for where, memory in {family.document.path: family.memory for family in families if family.memory}.items():
        _say(f"{where}: its largest case needs {memory} of memory", sys.stderr)


def _report(options: argparse.Namespace) -> int:
    from conformance.report.writers import refuse_overwriting

    kinds = ("html", "junit", "markdown", "json", "ctrf", "badge")
    files = {kind: path for kind in kinds if (path := getattr(options, kind)) is not None}
    inputs = [options.log] if options.baseline is None else [options.log, _log_in(options.baseline)]
    refuse_overwriting(files.values(), inputs)
    return _show(options.log, files, _baseline(options))


def _show(log: Path, files: dict[str, Path], baseline: Baseline | None = None) -> int:
    """Write the reports that are asked for, and tell the result on the terminal."""
    from conformance.baseline import Against
    from conformance.report import console, writers
    from conformance.report.summary import exit_code, summarize

    against = Against(log, baseline) if baseline is not None else None
    lines = against or log
    summary = summarize(lines)
    written = [writers.write(kind, lines, summary, path) for kind, path in files.items()]
    if against is not None:
        _say(against.mended_sentence())
    console.show(summary)
    for path in written:
        _say(f"report: {path}")
    return int(exit_code(summary))


def _repro(options: argparse.Namespace) -> int:
    from conformance.adapter_file import target_from_text
    from conformance.repro.folder import check_named, write_reproducer

    check = check_named(_suite(options), options.case, options.form)
    for path in write_reproducer(check, target_from_text(options.target), options.output):
        _say(str(path))
    return 0


def _compare(options: argparse.Namespace) -> int:
    from conformance.comparison.compare import compare_files, exit_code
    from conformance.report import writers
    from conformance.report.comparison import console

    kinds = ("html", "markdown", "json")
    files = {kind: path for kind in kinds if (path := getattr(options, kind)) is not None}
    with _unpacked(options.old) as old, _unpacked(options.new) as new:
        writers.refuse_overwriting(files.values(), [options.old, options.new, old, new])
        comparison = compare_files(old, new)
    written = [writers.write_comparison(kind, comparison, path) for kind, path in files.items()]
    console.show(comparison)
    for path in written:
        _say(f"report: {path}")
    return int(exit_code(comparison))


def _adapters(options: argparse.Namespace) -> int:
    from conformance.adapter_file import bundled_adapters, installed_versions, is_built

    del options
    for adapter in bundled_adapters():
        manifest = adapter.manifest
        _say(f"{adapter.name}: {manifest.summary}")
        for requirement, version in installed_versions(manifest).items():
            _say(f"  needs {requirement}: {f'{version} is installed' if version else 'not installed'}")
        if manifest.build is not None:
            _say(f"  needs `{manifest.build.by}` in {adapter.folder}: {'done' if is_built(adapter) else 'not done'}")
        for name, option in manifest.options.items():
            choices = f" ({' | '.join(option.choices)})" if option.choices else ""
            _say(f"  [{name}={'...' if option.default is None else option.default}]{choices} {option.summary}")
    return 0


def _adapter_new(options: argparse.Namespace) -> int:
    from conformance.scaffold.folder import Language, next_command, write_adapter

    written = write_adapter(options.name, Language(options.language), options.output)
    for path in written:
        _say(str(path))
    _say(f"next: {next_command(written[0].parent)}")
    return 0


def _adapter_check(options: argparse.Namespace) -> int:
    from conformance.adapter_check.finding import exit_code
    from conformance.adapter_check.interview import interview
    from conformance.adapter_check.probes import findings
    from conformance.adapter_check.text import lines_of
    from conformance.adapter_file import target_from_text
    from conformance.check import refuse_wrong_cases

    suite = _suite(options)
    refuse_wrong_cases(suite, suite.families)
    held = interview(target_from_text(options.target), suite, options.timeout)
    found = findings(held, suite.operators)
    for line in lines_of(options.target, found):
        _say(line)
    return int(exit_code(found, has_started=held.description is not None))


def _schema(options: argparse.Namespace) -> int:
    import json

    from conformance.schemas import schema

    _say(json.dumps(schema(options.of), indent=2))
    return 0


def _targets(names: Sequence[str]) -> tuple[TargetRequest, ...]:
    """The targets that were named, or every bundled one whose framework is installed."""
    from conformance.adapter_file import TargetRequest, bundled_adapters, missing_needs, target_from_text

    if names:
        return tuple(target_from_text(name) for name in names)
    chosen = []
    for adapter in bundled_adapters():
        missing = missing_needs(adapter)
        if missing:
            _say(f"left out: {adapter.name}, which needs {', '.join(missing)}", sys.stderr)
        else:
            chosen.append(TargetRequest(adapter=adapter, options={}))
    return tuple(chosen)


def _baseline(options: argparse.Namespace) -> Baseline | None:
    from conformance.baseline import read_baseline

    return read_baseline(_log_in(options.baseline)) if options.baseline is not None else None


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--baseline", metavar="LOG", type=_path, help="earlier log: what failed in it too does not fail again"
    )


def _unpacked(path: Path) -> AbstractContextManager[Path]:
    """The log that a command is given: a file, the folder of a run, or a certificate."""
    from contextlib import nullcontext

    from conformance.certificate.published import is_published, unpacked_log

    return unpacked_log(path) if is_published(path) else nullcontext(_log_in(path))


def _log_in(path: Path) -> Path:
    """The log that a path leads to: itself, or the one in a folder of `run`."""
    return path / "run.jsonl" if path.is_dir() else path


def _shard(options: argparse.Namespace) -> Shard | None:
    from conformance.shard import Shard

    if options.shard is None:
        if options.shard_times is not None:
            raise UsageError("--shard-times", "there is no --shard to balance", fix="add `--shard K/N`")
        return None
    number, of = options.shard
    times = _log_in(options.shard_times) if options.shard_times is not None else None
    return Shard(number=number, of=of, times=times)


def _suite(options: argparse.Namespace) -> Suite:
    from conformance.suite import bundled_folder, load_suite

    return load_suite(options.cases_folder or bundled_folder("cases"))


def _selection(options: argparse.Namespace) -> Selection:
    from dataclasses import replace

    from conformance.case_file import CaseSet
    from conformance.form import Form
    from conformance.plan import Selection, sets_asked

    if options.profile is None:
        return Selection(
            operators=tuple(options.operator),
            cases=tuple(options.case),
            clauses=tuple(options.clause),
            forms=tuple(Form(form) for form in options.form),
            sets=sets_asked(CaseSet(options.set)),
            challenge=options.challenge,
        )
    from conformance.profile_file import read_profile
    from conformance.suite import bundled_folder

    if options.operator or options.case or options.clause or options.form or options.set != "default":
        raise UsageError("--profile", "says what is asked, and nothing is left to select", fix="leave the others out")
    return replace(read_profile(options.profile, bundled_folder("profiles")).selection, challenge=options.challenge)


def _certify(options: argparse.Namespace) -> int:
    from conformance.adapter_file import target_from_text
    from conformance.certificate import commands
    from conformance.certificate.claims import checked_claims
    from conformance.certificate.installation import installed
    from conformance.certificate.issue import Order
    from conformance.profile_file import read_profile
    from conformance.progress import progress_bars

    profiles = installed().profiles
    target, profile = target_from_text(options.target), read_profile(options.profile, profiles)
    claims = checked_claims(
        vendor=options.vendor,
        product=options.product or target.adapter.name,
        profile=profile.name,
        issuer=options.issuer or options.vendor,
        where="certify",
    )
    order = Order(
        claims=claims,
        profile=profile,
        output=options.output,
        profiles=profiles,
        key=options.key,
        challenge=options.challenge,
    )
    suite = _suite(options)
    if options.log is not None:
        assessment = commands.certify_log(order, suite, target, _log_in(options.log))
    else:
        with progress_bars(is_shown=not options.quiet) as bars:
            effort = commands.Effort(
                timeout_s=options.timeout, jobs=options.jobs, on_start=bars.start, on_progress=bars.advance
            )
            assessment = commands.certify(order, suite, target, effort)
    for line in commands.told_certificate(assessment, options.output):
        _say(line)
    return int(commands.certificate_exit_code(assessment))


def _verify(options: argparse.Namespace) -> int:
    from conformance.certificate import commands
    from conformance.certificate.installation import installed
    from conformance.certificate.verify import verified
    from conformance.report.writers import refuse_overwriting

    pages = [path for path in (options.html, options.markdown) if path is not None]
    refuse_overwriting(pages, [])
    commands.refuse_pages_within(options.folder, pages)
    with verified(options.folder, installed(), key=options.key, challenge=options.challenge) as (found, log):
        for line in commands.told_verification(found, options.folder):
            _say(line)
        if not found.broken:
            for path in commands.write_pages(found, log, options.html, options.markdown):
                _say(f"page: {path}")
    return int(commands.verification_exit_code(found))


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
    check.add_argument(
        "files", metavar="FILE", type=_path, nargs="*", help="case files, or deviations.yaml of adapters (default: all)"
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
    _add_coverage_options(coverage)

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
    _add_pace(run)
    run.add_argument("--resume", action="store_true", help="finish the log of a run that was interrupted")
    _add_parts(run)
    _add_baseline(run)

    report = _command(commands, "report", _report, "make reports from a log, and tell the result again")
    report.add_argument("log", metavar="LOG", type=_path, help="run.jsonl of a run")
    report.add_argument("--html", metavar="FILE", type=_path, help="self-contained page with what differs and why")
    report.add_argument("--junit", metavar="FILE", type=_path, help="JUnit XML for CI systems")
    report.add_argument("--markdown", metavar="FILE", type=_path, help="summary for a pull request or a CI job")
    report.add_argument("--json", metavar="FILE", type=_path, help="summary for programs, as `schema summary` says")
    report.add_argument("--ctrf", metavar="FILE", type=_path, help="Common Test Report Format, a test per check")
    _add_baseline(report)
    report.add_argument("--badge", metavar="FILE", type=_path, help="SVG with the rate of each target, for a README")

    compare = _command(commands, "compare", _compare, "tell what changed from one run to another")
    compare.epilog = "exit codes: 0 no regression, 1 a regression, 2 usage, 3 a run is incomplete or nothing in common"
    compare.add_argument("old", metavar="OLD", type=_path, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=_path, help="run.jsonl of the later run, or its folder")
    compare.add_argument("--html", metavar="FILE", type=_path, help="self-contained page")
    compare.add_argument("--markdown", metavar="FILE", type=_path, help="summary for a pull request")
    compare.add_argument("--json", metavar="FILE", type=_path, help="for programs, as `schema comparison` says")

    _add_merge(commands)

    _add_certificates(commands)

    repro = _command(commands, "repro", _repro, "write a folder with a script that asks one case without this project")
    repro.add_argument("case", metavar="CASE", help="id of one case, exactly as a report has it")
    repro.add_argument(
        *("-t", "--target"), metavar="TARGET", required=True, help="as for `run`: onnxruntime[optimization=disabled]"
    )
    repro.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the first that it has)")
    repro.add_argument("-o", "--output", metavar="DIR", type=_path, help="folder to write (default: repro-CASE-...)")
    _add_cases_folder(repro)

    _command(commands, "adapters", _adapters, "list the bundled adapters, what they need, and their options")

    _add_adapter_commands(_group(commands, "adapter", "start a new adapter, or check one before its backend is blamed"))

    schema = _command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    schema.add_argument(
        "of",
        metavar="FORMAT",
        choices=[
            *("case", "operator", "coverage", "adapter", "deviations", "profile"),
            *("releases", "certificate", "log", "summary", "comparison"),
        ],
        help="a file of the suite, of an adapter or of the profiles, or what a command writes",
    )
    return parser


def _add_certificates(commands: argparse._SubParsersAction[_Parser]) -> None:
    certify = _command(commands, "certify", _certify, "run a profile on a target and write a certificate of it")
    certify.add_argument(*("-t", "--target"), metavar="TARGET", required=True, help="as for `run`")
    certify.add_argument("--profile", metavar="NAME", required=True, help="core or full")
    certify.add_argument(*("-o", "--output"), metavar="DIR", type=_path, required=True, help="a new folder")
    certify.add_argument("--vendor", metavar="NAME", required=True, help="who makes the product")
    certify.add_argument("--product", metavar="NAME", help="what it is called (default: the adapter's name)")
    certify.add_argument("--issuer", metavar="NAME", help="who runs the suite and answers for it (default: the vendor)")
    certify.add_argument("--key", metavar="FILE", type=_path, help="private ed25519 key in PEM that signs")
    certify.add_argument("--log", metavar="LOG", type=_path, help="certify this log of `run --profile` and run nothing")
    _add_challenge(certify)
    _add_pace(certify)
    _add_cases_folder(certify)

    verify = _command(commands, "verify", _verify, "check the folder of a certificate, executing nothing of it")
    verify.epilog = "exit codes: 0 every rule holds, whatever the result, 1 a rule is broken, 2 usage"
    verify.add_argument("folder", metavar="DIR", type=_path, help="the folder of a certificate")
    verify.add_argument("--html", metavar="FILE", type=_path, help="the report of a valid certificate, for readers")
    verify.add_argument("--markdown", metavar="FILE", type=_path, help="what a valid certificate says, for readers")
    verify.add_argument("--key", metavar="FILE", type=_path, help="public ed25519 key in PEM that must have signed")
    _add_challenge(verify)


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, run: Callable[[argparse.Namespace], int], about: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", epilog=_EXIT_CODES, allow_abbrev=False
    )
    parser.set_defaults(run_command=run)
    return parser


def _group(commands: argparse._SubParsersAction[_Parser], name: str, about: str) -> argparse._SubParsersAction[_Parser]:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".", allow_abbrev=False)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _add_coverage_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--operator", metavar="NAME", action="append", default=[], help="as onnx.Split-13; repeatable")
    parser.add_argument("--set", choices=["default", "full"], default="default", help="default: %(default)s")
    parser.add_argument(
        "--strength", type=int, choices=[2, 3], default=2, help="parameters in a combination (default: %(default)s)"
    )
    parser.add_argument("--missing", action="store_true", help="tell every combination without a check")
    parser.add_argument("--ids", action="store_true", help="tell the cases of each clause")
    _add_cases_folder(parser)


def _add_adapter_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    new = _command(commands, "new", _adapter_new, "write the folder of a new adapter, which runs at once")
    new.add_argument("name", metavar="NAME", help="small letters, digits, - and _; the folder is called so")
    new.add_argument(
        "--language",
        choices=["python", "protocol"],
        default="python",
        help="protocol: a script that imports nothing of ours, to be put into any language (default: %(default)s)",
    )
    new.add_argument("-o", "--output", metavar="DIR", type=_path, default=".", help="where (default: here)")

    check = _command(commands, "check", _adapter_check, "tell whether an adapter itself is sound")
    check.add_argument("target", metavar="TARGET", help="adapter or folder, with options as in `conformance run`")
    check.add_argument(
        "--timeout",
        metavar="S",
        type=_positive_seconds,
        default=30.0,
        help="seconds that one question may take (default: %(default)g)",
    )
    _add_cases_folder(check)


def _add_cases_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cases-folder", metavar="DIR", type=_path, help="folder laid out as the bundled cases/ (default: those)"
    )


def _add_merge(commands: argparse._SubParsersAction[_Parser]) -> None:
    merge = _command(commands, "merge", _merge, "put the logs of all shards of a run together, and tell the result")
    merge.add_argument(
        "logs", metavar="LOG", type=_path, nargs="+", help="run.jsonl of each shard, or its folder, in any order"
    )
    merge.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=_path,
        required=True,
        help="folder for run.jsonl and report.html, or a file NAME.jsonl for the log alone",
    )
    _add_baseline(merge)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parts of a run")
    group.add_argument(
        "--shard",
        metavar="K/N",
        type=_shard_number,
        help="ask the K-th of N parts, each case in one of them; `merge` puts their logs together",
    )
    group.add_argument(
        "--shard-times", metavar="LOG", type=_path, help="balance the shards by the times of an earlier run"
    )
    group.add_argument("--strict-records", action="store_true", help="fail where a recorded deviation is `fixed`")
    group.add_argument("--rerun", choices=["failed"], help="ask only what failed in the last log, on the same targets")
    group.add_argument(
        "--of", metavar="LOG", type=_path, help="log that --rerun speaks of (default: run.jsonl in the output folder)"
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
        choices=["default", "full", "huge", "timing"],
        default="default",
        help="full adds combinations of three to the default, huge is data of many GiB alone, "
        "timing what --timing times (default: %(default)s)",
    )
    group.add_argument("--profile", metavar="NAME", help="all that a profile asks, and nothing else")
    _add_challenge(group)  # type: ignore[arg-type]
    _add_cases_folder(group)  # type: ignore[arg-type]


def _add_pace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=_positive_seconds,
        default=30.0,
        help="seconds that one check may take (default: %(default)g)",
    )
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_positive_count,
        default=os.cpu_count() or 1,
        help="workers at a time, several for a target with many checks (default: one per core)",
    )
    parser.add_argument(
        "--timing",
        choices=["off", "quick", "precise"],
        default="off",
        help="then time the cases of the set `timing`, whatever --set asks; see docs/timing.md (default: %(default)s)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def _add_challenge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--challenge", metavar="SEED", type=_seed, default="", help="derive the data from a reviewer's seed"
    )


def _path(text: str) -> Path:
    from pathlib import Path

    if "\0" in text:
        raise argparse.ArgumentTypeError("a path has no NUL in it")
    return Path(text)


def _seed(text: str) -> str:
    if not (text.isprintable() and text.isascii() and len(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text[:120]!r} is no seed of at most 100 printable ASCII characters")
    return text


def _positive_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _shard_number(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a shard such as 2/8")
    return int(number), int(of)


def _positive_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
