"""`conformance run`, which selects, runs, and shows the result, and `conformance fuzz`, with generated calls."""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from conformance.certificate.issue import answered_undeclared
from conformance.certificate.rules import released_part
from conformance.cli.logs import show_log, show_result_of
from conformance.cli.options import (
    baseline_from,
    log_in,
    selection_from,
    suite_from,
    target_named,
    targets_named,
    warn_of_memory,
)
from conformance.cli.parser import say
from conformance.log.history import default_store
from conformance.log.log_file import owned
from conformance.log.record import Header
from conformance.report.terminal import Bars, progress_bars
from conformance.run.dispatch import TimingMode
from conformance.run.environments.resolution import target_as_recorded
from conformance.run.execution import Execution
from conformance.run.fuzz.finds import STATE_FILE, cases_folder_of, saved_seed, write_find
from conformance.run.fuzz.fuzzing import FuzzRequest, FuzzResult, fuzz
from conformance.run.local_execution import LocalExecution
from conformance.run.run import checks_to_time, families_to_time, run
from conformance.run.run_plan import RunRequest, Shard, failed_in
from conformance.run.selection import Selection, families_selected, sets_of_cases
from conformance.run.target import declared_by_any
from conformance.suite.adapter_file import TargetRequest, is_edited, recorded_target
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign
from conformance.tensors.text import counted, one_line


def run_selected(options: argparse.Namespace) -> int:
    """Run the selected checks, write log and report, and show the result."""
    with owned(options.output):
        return _run_in(options.output, options)


def _run_in(folder: Path, options: argparse.Namespace) -> int:
    log, report = folder / "run.jsonl", folder / "report.html"
    refuse_foreign(report)
    if options.resume and not log.is_file():
        raise UsageError("--resume", f"there is no log {log}", fix="leave --resume out to start one")
    suite, selection = suite_from(options, options.operator or options.case), selection_from(options)
    targets: tuple[TargetRequest, ...] = ()
    if options.rerun is not None:
        earlier = log_in(options.rerun) if options.rerun else log
        header, checks = failed_in(earlier, suite.digest)
        if not checks:
            say(f"{earlier}: nothing failed, so there is nothing to run again")
            return 0
        selection = replace(selection, sets=sets_of_cases(header.selection.sets), checks=checks)
        if not options.target:
            targets = _targets_of(header)
    if options.strict_records and is_edited(suite):
        say("--strict-records: has no effect: deviations are recorded for the cases of a release", sys.stderr)
    targets = targets or targets_named(options.target, is_offline=options.offline, in_lab=bool(options.scheduler))
    if selection.sample and options.scheduler is None:
        selection = _declared_checks_only(suite, selection, targets, options.timeout)
    timing = TimingMode(options.timing)
    if timing is not TimingMode.OFF and options.shard is not None:
        raise UsageError(
            "--timing", "shards run on different machines, whose times cannot be compared", fix="leave --shard out"
        )
    to_time = () if timing is TimingMode.OFF else families_to_time(suite, selection)
    warn_of_memory((*families_selected(suite, selection), *to_time))
    probe = None
    if options.profile is not None:
        suite = released_part(suite, bundled_folder("profiles"))
        probe = partial(answered_undeclared, suite=suite, limit_s=options.timeout)
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
        reuse=_history_of(options),
    )
    execution_of = _execution_of(options, timing)
    baseline = baseline_from(options)  # read before the run, which may replace that log
    with progress_bars(is_shown=not options.quiet) as bars:
        on_start = partial(_on_start, bars, 0 if timing is TimingMode.OFF else len(checks_to_time(suite, selection)))
        run(request, on_start, bars.advance, execution_of)
    if options.quiet:
        return show_result_of(log, {"html": report}, baseline)
    return show_log(log, {"html": report}, baseline, lists_known=options.known)


def _history_of(options: argparse.Namespace) -> Path | None:
    """The history from which answers are taken over.

    Raises:
        UsageError: --reuse is combined with --challenge or --scheduler, or the history does not exist.
    """
    if options.reuse is None:
        return None
    for name in ("challenge", "scheduler"):
        if getattr(options, name):
            raise UsageError("--reuse", f"cannot be combined with --{name}", fix="leave one of them out")
    path = options.reuse or default_store()
    if not path.is_file():
        raise UsageError("--reuse", f"there is no history {path}", fix="make it with `conformance history --add LOG`")
    return path


def _targets_of(header: Header) -> tuple[TargetRequest, ...]:
    """The targets of a log, as they are installed now."""
    requests = [(recorded_target(entry.adapter, entry.options), entry.version) for entry in header.targets]
    return tuple(target_as_recorded(request, version) for request, version in requests)


def _declared_checks_only(
    suite: Suite, selection: Selection, targets: Sequence[TargetRequest], limit_s: float
) -> Selection:
    """The selection without operator versions that no target declares, so that none of its checks is spent on them."""
    chosen = {family.operator.id: family.operator for family in families_selected(suite, selection)}
    declared = declared_by_any(list(chosen.values()), targets, limit_s)
    if len(declared) == len(chosen):
        return selection
    return replace(selection, operators=tuple(operator.id for operator in declared))


def _execution_of(options: argparse.Namespace, timing: TimingMode) -> Callable[[RunRequest, Event], Execution]:
    """Where the checks run: in a lab, or on this machine."""
    if options.scheduler is None:
        if options.lab is not None:
            raise UsageError("--lab", "there is no --scheduler", fix="add `--scheduler ADDRESS`")
        return LocalExecution
    if timing is not TimingMode.OFF:
        raise UsageError("--timing", "times of different machines cannot be compared", fix="leave --scheduler out")
    for name in ("shard", "profile", "cases"):
        if getattr(options, name):
            raise UsageError(f"--{name}", "does not work in a lab", fix="leave --scheduler out")
    from conformance.cli.lab import lab_execution  # with packages that only a lab needs

    return lab_execution(options)


def _on_start(bars: Bars, num_timed: int, header: Header) -> None:
    for target in header.targets:
        if target.problem:
            say(f"{target.name} could not start, so none of its checks run: {target.problem}", sys.stderr)
    bars.start(header)
    if num_timed:
        bars.expect("timing", num_timed)


def _shard(options: argparse.Namespace) -> Shard | None:
    return None if options.shard is None else Shard(number=options.shard[0], of=options.shard[1])


# `conformance fuzz`: generated calls of the operators on one target.

_BUDGET_S = 60.0


def fuzz_target(options: argparse.Namespace) -> int:
    """Draw calls, judge a target's answers, and write what deviates."""
    _refuse_other_folders(options.into)
    with owned(options.into):
        return _fuzz_into(options.into, options)


def _refuse_other_folders(folder: Path) -> None:
    """Refuse a folder of written cases, and one that holds anything but earlier finds.

    Raises:
        UsageError: it is one of these.
    """
    where = folder.resolve()
    if "cases" in where.parts:
        what = "lies in a folder `cases`; somebody has to read generated cases before they go there"
        raise UsageError(str(folder), what, fix="name a folder elsewhere with --into")
    if not folder.exists() or (folder / STATE_FILE).is_file():
        return
    if not folder.is_dir() or any(path.name not in (".lock", ".owner") for path in folder.iterdir()):
        raise UsageError(str(folder), "holds something else", fix="name another folder with --into")


def _fuzz_into(folder: Path, options: argparse.Namespace) -> int:
    request = _request(folder, options)
    with progress_bars(is_shown=not options.quiet) as bars:
        result = fuzz(request, lambda name: bars.expect(name, options.checks), bars.advance)
    _show(result, request)
    return int(result.exit_code)


def _request(folder: Path, options: argparse.Namespace) -> FuzzRequest:
    seed = options.seed if options.seed is not None else saved_seed(folder)
    return FuzzRequest(
        suite=load_suite(bundled_folder("cases"), ()),
        target=target_named(options.target),
        operators=tuple(sorted(set(options.operator))),
        seed=secrets.token_hex(4) if seed is None else seed,
        checks=options.checks,
        budget_s=None if options.checks else options.budget or _BUDGET_S,
        timeout_s=options.timeout,
        folder=folder,
    )


def _show(result: FuzzResult, request: FuzzRequest) -> None:
    """Write the new causes, and say what was found; the last line says how to find the same again."""
    state = result.state
    known = [group for group in state.groups.all if group.cause.deviation]
    for group in known:
        said = f"{counted(group.count, 'call')}: {one_line(group.cause.sentence, 160)}"
        say(f"recorded as {group.cause.deviation}: {said}")
    for group in sorted(state.groups.new, key=lambda group: -group.count):
        find = write_find(group, state.source.target, request.target, request.folder)
        say(f"new: {counted(group.count, 'call')}: {one_line(group.cause.sentence, 300)}")
        say(f"  plainest call: {group.witnesses[0].made.name}")
        say(f"  cases:  {find.cases}")
        say(f"  script: {find.script or one_line(find.why_no_script, 200)}")
    if state.groups.num_beyond:
        say(f"{counted(state.groups.num_beyond, 'further call')} deviated for causes beyond the limit of what is kept")
    if state.groups.new:
        where = shlex.quote(str(cases_folder_of(request.folder)))
        say(f"next: conformance run -t {shlex.quote(request.target.adapter.name)} --cases-folder {where}")
    if state.unjudged:
        say(f"not judged, for a reason that is not the framework: {one_line(state.unjudged, 600)}")
    if result.reason:
        say(f"ended early: {one_line(result.reason, 300)}")
    verdicts = ", ".join(f"{count:,} {verdict.value}" for verdict, count in state.verdicts.most_common())
    say(f"{state.source.target}: {counted(state.done, 'call')} ({verdicts or 'none judged'})")
    causes = f"{counted(len(state.groups.new), 'new cause')}, {counted(len(known), 'recorded one')}"
    say(f"{causes}; `--seed {shlex.quote(state.source.seed)} --checks {state.done}` finds the same again")
