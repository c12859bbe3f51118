"""`conformance run`: selects, runs, and shows the result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from conformance.certificate.issue import answered_undeclared
from conformance.certificate.rules import released_part
from conformance.cli.logs import show_log, show_result_of
from conformance.cli.options import baseline_from, log_in, selection_from, suite_from, targets_named, warn_of_memory
from conformance.cli.parser import say
from conformance.log.history import default_store
from conformance.log.log_file import owned
from conformance.log.record import Header
from conformance.report.terminal import Bars, progress_bars
from conformance.run.dispatch import TimingMode
from conformance.run.environments import target_as_recorded
from conformance.run.execution import Execution, LocalExecution
from conformance.run.run import checks_to_time, families_to_time, run
from conformance.run.run_plan import RunRequest, Shard, failed_in
from conformance.run.selection import Selection, families_selected, sets_of_cases
from conformance.run.target_runner import declared_by_any
from conformance.suite.adapter_file import TargetRequest, is_edited, recorded_target
from conformance.suite.suite import Suite, bundled_folder
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign


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
        earlier = _earlier_log(options.rerun) or log
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


def _earlier_log(rerun: Sequence[Path]) -> Path | None:
    """The log that `--rerun failed LOG` names; None for the one in the output folder."""
    what, *logs = rerun
    if str(what) != "failed" or len(logs) > 1:
        raise UsageError(
            "--rerun", "takes `failed`, and a log or none", fix="write `--rerun failed` or `--rerun failed LOG`"
        )
    return log_in(logs[0]) if logs else None


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
    from conformance.cli.lab import lab_execution  # its packages are needed in a lab alone

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
