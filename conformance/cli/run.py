"""`conformance run`: selects, runs, and shows the result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from conformance.cli.adapters import add_lab_file, lab_execution
from conformance.cli.logs import add_known, show_log, show_result_of
from conformance.cli.options import (
    DEFAULT_TARGETS,
    Commands,
    add_baseline,
    add_command,
    add_effort,
    add_offline,
    add_output,
    add_repeatable,
    add_selection,
    baseline_from,
    log_in,
    path_from,
    say,
    selection_from,
    shard_from,
    suite_from,
    targets_named,
    warn_of_memory,
)
from conformance.tensors.errors import UsageError
from conformance.tensors.files import refuse_foreign

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from threading import Event

    from conformance.log.record import Header
    from conformance.report.terminal import Bars
    from conformance.run.dispatch import TimingMode
    from conformance.run.execution import Execution
    from conformance.run.run_plan import RunRequest, Shard
    from conformance.run.selection import Selection
    from conformance.suite.adapter_file import TargetRequest
    from conformance.suite.suite import Suite


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    run = add_command(
        commands, "run", _run, "run cases on targets, write the log and the HTML report, and show the result"
    )
    add_selection(run)
    about = (
        "adapter or folder, as onnxruntime[optimization=disabled], or at releases, as onnxruntime@1.28.. or "
        f"openvino@newest:3; repeatable; default: those of {', '.join(DEFAULT_TARGETS)} that are installed"
    )
    add_repeatable(run, "-t", "--target", metavar="TARGET", about=about)
    add_offline(run)
    about = "folder for run.jsonl and report.html; an earlier log becomes previous.jsonl (default: %(default)s)"
    add_output(run, about, default="conformance-results")
    add_effort(run)
    about = "take answers over from `conformance history`, or FILE, where nothing that they follow from has changed"
    run.add_argument("--reuse", metavar="FILE", type=path_from, nargs="?", const="", help=about)
    run.add_argument("--resume", action="store_true", help="finish the log of an interrupted run")
    _add_parts(run)
    run.add_argument("--scheduler", metavar="ADDRESS", help="run the checks in a lab; see docs/reference/lab.md")
    add_lab_file(run)
    add_known(run)
    add_baseline(run)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parts of a run")
    about = "run shard K of N; each case is in exactly one shard; `merge` joins their logs"
    group.add_argument("--shard", metavar="K/N", type=shard_from, help=about)
    group.add_argument("--strict-records", action="store_true", help="fail if a recorded deviation is `fixed`")
    about = (
        "run only the checks that failed in an earlier log, on the same targets (default: the log in the output folder)"
    )
    group.add_argument("--rerun", metavar=("failed", "LOG"), nargs="+", action=FailedOf, help=about)


class FailedOf(argparse.Action):
    """`--rerun failed [LOG]`: the path of the log, or an empty text for the one in the output folder."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Keep the path."""
        what, *logs = map(str, values or [""])
        if what != "failed" or len(logs) > 1:
            parser.error(f"argument {option_string}: write `--rerun failed` or `--rerun failed LOG`")
        setattr(namespace, self.dest, path_from(logs[0]) if logs else "")


def _run(options: argparse.Namespace) -> int:
    from conformance.log.log_file import owned

    with owned(options.output):
        return _run_in(options.output, options)


def _run_in(folder: Path, options: argparse.Namespace) -> int:
    from dataclasses import replace
    from functools import partial

    from conformance.report.terminal import progress_bars
    from conformance.run.dispatch import TimingMode
    from conformance.run.run import checks_to_time, families_to_time, run
    from conformance.run.run_plan import RunRequest, failed_in
    from conformance.run.selection import families_selected, sets_of_cases
    from conformance.suite.adapter_file import is_edited

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
        from conformance.certificate.issue import answered_undeclared
        from conformance.certificate.rules import released_part
        from conformance.suite.suite import bundled_folder

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
    from conformance.log.history import default_store

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
    from conformance.run.environments.resolution import target_as_recorded
    from conformance.suite.adapter_file import recorded_target

    requests = [(recorded_target(entry.adapter, entry.options), entry.version) for entry in header.targets]
    return tuple(target_as_recorded(request, version) for request, version in requests)


def _declared_checks_only(
    suite: Suite, selection: Selection, targets: Sequence[TargetRequest], limit_s: float
) -> Selection:
    """The selection without operator versions that no target declares, so that none of its checks is spent on them."""
    from dataclasses import replace

    from conformance.run.selection import families_selected
    from conformance.run.target import declared_by_any

    chosen = {family.operator.id: family.operator for family in families_selected(suite, selection)}
    declared = declared_by_any(list(chosen.values()), targets, limit_s)
    if len(declared) == len(chosen):
        return selection
    return replace(selection, operators=tuple(operator.id for operator in declared))


def _execution_of(options: argparse.Namespace, timing: TimingMode) -> Callable[[RunRequest, Event], Execution]:
    """Where the checks run: in a lab, or on this machine."""
    from conformance.run.dispatch import TimingMode
    from conformance.run.local_execution import LocalExecution

    if options.scheduler is None:
        if options.lab is not None:
            raise UsageError("--lab", "there is no --scheduler", fix="add `--scheduler ADDRESS`")
        return LocalExecution
    if timing is not TimingMode.OFF:
        raise UsageError("--timing", "times of different machines cannot be compared", fix="leave --scheduler out")
    for name in ("shard", "profile", "cases"):
        if getattr(options, name):
            raise UsageError(f"--{name}", "does not work in a lab", fix="leave --scheduler out")
    return lab_execution(options)


def _on_start(bars: Bars, num_timed: int, header: Header) -> None:
    for target in header.targets:
        if target.problem:
            say(f"{target.name} could not start, so none of its checks run: {target.problem}", sys.stderr)
    bars.start(header)
    if num_timed:
        bars.expect("timing", num_timed)


def _shard(options: argparse.Namespace) -> Shard | None:
    from conformance.run.run_plan import Shard

    return None if options.shard is None else Shard(number=options.shard[0], of=options.shard[1])
