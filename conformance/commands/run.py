"""`conformance run`: selects, runs, and shows the result."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from conformance.commands.options import (
    add_baseline,
    add_effort,
    add_selection,
    baseline_from,
    log_in,
    selection_from,
    suite_from,
    targets_named,
    warn_of_memory,
)
from conformance.commands.parser import Commands, add_command, path_from, shard_from
from conformance.commands.show_log import show_log
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.formats.adapter_file import TargetRequest
    from conformance.records.record import Header
    from conformance.records.shard import Shard
    from conformance.report.progress import Bars


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    run = add_command(
        commands, "run", _run, "run cases on targets, write the log and the HTML report, and show the result"
    )
    add_selection(run)
    run.add_argument(
        *("-t", "--target", "--adapter"), dest="target", metavar="TARGET", action="append", default=[],
        help="adapter or folder, as onnxruntime[optimization=disabled]; repeatable; default: all that are installed",
    )  # fmt: skip
    run.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=path_from,
        default="conformance-results",
        help="folder for run.jsonl and report.html; an earlier log becomes previous.jsonl (default: %(default)s)",
    )
    add_effort(run)
    run.add_argument("--resume", action="store_true", help="finish the log of a run that was interrupted")
    _add_parts(run)
    add_baseline(run)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parts of a run")
    group.add_argument(
        "--shard",
        metavar="K/N",
        type=shard_from,
        help="run the K-th of N parts, with each case in one of them; `merge` joins their logs",
    )
    group.add_argument(
        "--shard-times", metavar="LOG", type=path_from, help="balance the shards by the times of an earlier run"
    )
    group.add_argument("--strict-records", action="store_true", help="fail where a recorded deviation is `fixed`")
    group.add_argument("--rerun", choices=["failed"], help="run only what failed in the last log, on the same targets")
    group.add_argument(
        "--of",
        metavar="LOG",
        type=path_from,
        help="log that --rerun speaks of (default: run.jsonl in the output folder)",
    )


def _run(options: argparse.Namespace) -> int:
    from conformance.records.ownership import owned

    with owned(options.output):
        return _run_in(options.output, options)


def _run_in(folder: Path, options: argparse.Namespace) -> int:
    from dataclasses import replace
    from functools import partial

    from conformance.formats.adapter_file import recorded_target
    from conformance.formats.release_file import is_edited
    from conformance.records.rerun import failed_in
    from conformance.report.progress import progress_bars
    from conformance.running.run import RunRequest, run
    from conformance.running.timing_passes import families_to_time
    from conformance.selection.selection import families_selected
    from conformance.workers.timing.effort import TimingMode

    log = folder / "run.jsonl"
    if options.resume and not log.is_file():
        raise UsageError("--resume", f"there is no log {log}", fix="leave --resume out to start one")
    suite, selection = suite_from(options, options.operator or options.case), selection_from(options)
    targets: tuple[TargetRequest, ...] = ()
    if options.of is not None and options.rerun is None:
        raise UsageError("--of", "there is nothing to run again", fix="add `--rerun failed`")
    if options.rerun is not None:
        failed = failed_in(log_in(options.of or log), suite.digest)
        if not failed.checks:
            say(f"{options.of or log}: nothing failed, so there is nothing to run again")
            return 0
        selection = replace(selection, sets=failed.sets, checks=failed.checks)
        if not options.target:
            targets = tuple(recorded_target(entry.adapter, entry.options) for entry in failed.targets)
    if options.strict_records and is_edited(suite):
        what = "does not hold, since deviations are recorded for the cases of a release"
        say(f"--strict-records: {what}", sys.stderr)
    targets = targets or targets_named(options.target)
    timing = TimingMode(options.timing)
    if timing is not TimingMode.OFF and options.shard is not None:
        raise UsageError("--timing", "shards run on many machines, and times are of one", fix="leave --shard out")
    to_time = () if timing is TimingMode.OFF else families_to_time(suite, selection)
    warn_of_memory((*families_selected(suite, selection), *to_time))
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
    baseline = baseline_from(options)  # before the run, whose log may take its place
    with progress_bars(is_shown=not options.quiet) as bars:
        run(request, partial(_on_start, bars), bars.advance)
    return show_log(log, {"html": folder / "report.html"}, baseline)


def _on_start(bars: Bars, header: Header) -> None:
    for target in header.targets:
        if target.problem:
            say(f"{target.name} could not start, so none of its checks run: {target.problem}", sys.stderr)
    bars.start(header)


def _shard(options: argparse.Namespace) -> Shard | None:
    from conformance.records.shard import Shard

    if options.shard is None:
        if options.shard_times is not None:
            raise UsageError("--shard-times", "there is no --shard to balance", fix="add `--shard K/N`")
        return None
    number, of = options.shard
    times = log_in(options.shard_times) if options.shard_times is not None else None
    return Shard(number=number, of=of, times=times)
