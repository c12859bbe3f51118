"""A run: sends every selected check to every target, judges each answer and records it.

The only place that starts threads. Its product is the log; reports read that.
"""

from __future__ import annotations

import os
import platform
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from conformance.formats.adapter_file import TargetRequest
from conformance.formats.release_file import is_edited
from conformance.formats.suite import Suite
from conformance.judging.deviation import Deviation
from conformance.records.attribution import Attribution
from conformance.records.build_header import deviation_entry, selection_entry, suite_entry
from conformance.records.build_record import not_run_record, record_of
from conformance.records.confirmation import Confirmation, Judged
from conformance.records.log_file import RunLogWriter, now, read_header, read_lines, whole_lines_size
from conformance.records.record import (
    CheckRecord,
    Footer,
    Header,
    Machine,
    TargetEntry,
    TimingRecord,
)
from conformance.records.shard import Shard
from conformance.running.run_plan import RunPlan, run_plan_of
from conformance.running.single_checks import SingleChecks
from conformance.running.target import recorded_deviations, start_target
from conformance.running.timing_passes import TimedTarget, TimingPass, checks_to_time
from conformance.running.work_queue import WorkQueue, WorkShare
from conformance.selection.selection import Selection, families_selected
from conformance.spec.check import Check
from conformance.spec.form import Form
from conformance.spec.outcome import AdapterFailed, Outcome
from conformance.values.errors import HarnessError, RunLogError, SelectionError, UsageError
from conformance.workers.interruption import heard_by
from conformance.workers.session import Session, StoppedError, every_check
from conformance.workers.timing.effort import EFFORTS, TimingMode
from conformance.workers.timing.timing_session import TimingSession

_T = TypeVar("_T")

_CHECKS_WORTH_A_WORKER = 256

Progress = Callable[[str, int], None]
"""Called with a target's name and its number of finished checks, and with `timing` and the number of timed cases, in
the thread that called `run`.
"""


class _Killable(Protocol):
    """Anything that holds workers."""

    def kill(self) -> None:
        """End them now."""


Probe = Callable[[TargetRequest], list[str]]
"""Names what a target answers although it does not declare it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run, and where the log goes. With `resume` the log is continued, otherwise it is replaced.

    `jobs` is the number of workers at a time; a target with many checks has several. A `probe` runs for each target
    before its first check. With `strict_records`, a recorded deviation that no longer happens fails the run, unless the
    bundled cases were edited.
    """

    suite: Suite
    selection: Selection
    targets: tuple[TargetRequest, ...]
    log: Path
    timeout_s: float
    jobs: int
    resume: bool = False
    shard: Shard | None = None
    timing: TimingMode = TimingMode.OFF
    probe: Probe | None = None
    strict_records: bool = False


@dataclass(slots=True)
class _Target:
    """A target in this run: its first session, its recorded deviations, and its progress."""

    request: TargetRequest
    session: Session
    entry: TargetEntry
    deviations: tuple[Deviation, ...]
    confirmation: Confirmation
    attribution: Attribution
    done: int = 0
    last_done: tuple[str, Form] | None = None
    """The check of its last record in a resumed log."""


def run(request: RunRequest, on_start: Callable[[Header], None], on_progress: Progress) -> Footer:
    """Send every selected check to every target and write the log.

    Raises:
        UsageError: the selection is empty, two targets have one name, or the log cannot be resumed, or was replaced.
        HarnessError: it was interrupted before the first check.
        MachineError: the system gave no worker when one was needed; the log can be resumed.
    """
    families = families_selected(request.suite, request.selection)
    is_timed = request.timing is not TimingMode.OFF
    to_time = checks_to_time(request.suite, request.selection) if is_timed else []
    stopping, interrupted = threading.Event(), list[str]()

    def stop(name: str) -> None:
        interrupted.append(name)
        stopping.set()

    with heard_by(stop), ThreadPoolExecutor(max(1, request.jobs)) as pool:
        first = [Session(target, request.timeout_s, stopping) for target in request.targets]
        again = [Session(target, request.timeout_s, stopping, every_check, forks=True) for target in request.targets]
        controls = [Session(target, request.timeout_s, stopping, forks=True) for target in request.targets]
        sessions = [*first, *again, *controls]
        try:
            of_targets = zip(request.targets, first, again, controls, strict=True)
            starts = [pool.submit(_started, *of_target, request) for of_target in of_targets]
            adapters = {target.adapter.name for target in request.targets}
            agenda = run_plan_of(families, request.selection, request.shard, adapters)  # while frameworks are imported
            if not agenda.planned:
                raise SelectionError("selection", "no case has any of these forms", fix="leave --form out")
            _wait(starts, sessions, stopping, lambda: None)
            if interrupted:
                raise HarnessError("run", f"interrupted by {interrupted[0]} before the first check")
            targets = [start.result() for start in starts]
            _refuse_same_names(targets)
            header = _header(request, agenda, targets)
            counts = _resumed(request, header, targets) if request.resume else {}
            if not request.resume and request.log.is_file():
                request.log.replace(request.log.with_name("previous.jsonl"))
            with request.log.open("ab" if request.resume else "wb", buffering=0) as stream:
                log = RunLogWriter(stream, counts)
                if not request.resume:
                    log.header(header)
                on_start(header)
                runs = []
                for target in targets:
                    workers = _sessions(target, request, agenda.planned, stopping)
                    sessions += workers[1:]
                    checks = _not_yet_done(target, agenda.checks())
                    division = WorkQueue(checks, partial(_write, target, agenda, log), stopping)
                    runs += [pool.submit(_ask, target, session, WorkShare(division)) for session in workers]
                _wait(runs, sessions, stopping, lambda: _report_progress(targets, on_progress))
                if is_timed and not interrupted:
                    timing = _timing_pass(request, to_time, targets, log, stopping)
                    _wait([pool.submit(timing.run)], [timing], stopping, lambda: on_progress("timing", timing.num_done))
                footer = log.footer(f"interrupted by {interrupted[0]}" if interrupted else "")
                _require_its_place(stream, request.log)
                return footer
        finally:
            stopping.set()
            for session in sessions:
                session.kill()


def _started(
    target: TargetRequest, session: Session, again: Session, controls: Session, request: RunRequest
) -> _Target:
    started = start_target(target, session, recorded_deviations(target.adapter, request.suite))
    entry = started.entry
    if request.probe is not None and not entry.problem:
        entry = replace(entry, undeclared=request.probe(target))
    confirmation = Confirmation(SingleChecks(again).outcome, started.deviations)
    controls.last_of_process = started.last_of_process
    forms = session.description.controls if session.description is not None else ()
    attribution = Attribution(SingleChecks(controls).outcome, forms)
    return _Target(target, session, entry, started.deviations, confirmation, attribution)


def _sessions(target: _Target, request: RunRequest, planned: int, stopping: threading.Event) -> list[Session]:
    """The target's first session, and further ones, not yet started, if there are enough checks for them."""
    count = min(request.jobs, (planned - target.done) // _CHECKS_WORTH_A_WORKER)
    if target.entry.problem:
        count = 1
    first = target.session
    others = (Session(target.request, request.timeout_s, stopping, first.last_of_process) for _ in range(count - 1))
    return [first, *others]


def _ask(target: _Target, session: Session, share: WorkShare[Judged]) -> None:
    """Run a share of a target's checks; a stopped run leaves the rest."""
    with suppress(StoppedError):
        reason = target.entry.problem or _problem_while_running(target, session, share)
        for check in chain(session.unanswered()[1:], share if reason else ()):
            if session.is_stopping:
                return
            share.put(Judged(check=check, record=not_run_record(check, target.entry.name, reason)))


def _problem_while_running(target: _Target, session: Session, share: WorkShare[Judged]) -> str:
    """Run a share of a target's checks; returns why it broke off early."""
    try:
        if session is not target.session:
            session.start()
        for check, outcome in session.answers(share):
            share.put(_judged(target, check, outcome, session.before()))
    except HarnessError as error:
        if session.is_stopping or session.description is None:
            return ""  # a further worker that cannot start: the first one asks alone
        share.put(_judged(target, session.unanswered()[0], AdapterFailed(message=str(error)), ()))
        return str(error)
    return ""


def _judged(target: _Target, check: Check, outcome: Outcome, before: tuple[str, ...]) -> Judged:
    record = record_of(check, target.entry.name, outcome, target.deviations)
    return Judged(check=check, record=record, before=before)


def _write(target: _Target, agenda: RunPlan, log: RunLogWriter, judged: Judged) -> None:
    record = target.attribution.attributed(judged.check, target.confirmation.confirmed(judged))
    log.check(replace(record, place=agenda.place(target.done)))
    target.done += 1


def _not_yet_done(target: _Target, checks: Iterator[Check]) -> Iterator[Check]:
    """The checks after those of the resumed log; a target's records are in the order of its checks."""
    last = None
    for check in islice(checks, target.done):
        last = (check.case.id, check.form)
    if last != target.last_done:
        raise RunLogError(target.entry.name, "the log has other checks than this selection", fix="start a new log")
    return checks


def _header(request: RunRequest, agenda: RunPlan, targets: Sequence[_Target]) -> Header:
    return Header(
        started=now(),
        suite=suite_entry(request.suite, agenda.families),
        selection=selection_entry(request.selection, agenda.shard),
        targets=[target.entry for target in targets],
        deviations=[deviation_entry(target.entry.name, entry) for target in targets for entry in target.deviations],
        machine=_machine(),
        planned=agenda.planned,
        timeout_s=request.timeout_s,
        strict_records=request.strict_records and not is_edited(request.suite),
        timing=EFFORTS.get(request.timing),
    )


def _require_its_place(stream: BinaryIO, log: Path) -> None:
    """Check that the file at the log's path is the one that was written, because reports read it.

    Raises:
        RunLogError: it is another one, or there is none.
    """
    with suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(stream.fileno()), log.stat()):
            return
    raise RunLogError(str(log), "was removed or replaced while it was written", fix="run it again")


def _machine() -> Machine:
    from importlib.metadata import version

    return Machine(
        system=f"{platform.system()} {platform.release()}",
        processor=_processor_name(),
        cores=os.cpu_count() or 0,
        python=platform.python_version(),
        numpy=version("numpy"),
    )


def _processor_name() -> str:
    """The processor's model if the system reports it, else its architecture."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()} ({platform.machine()})"
    return platform.processor() or platform.machine()


def _refuse_same_names(targets: Sequence[_Target]) -> None:
    names = [target.entry.name for target in targets]
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"target {name!r}", "is named twice", fix="name each target once")


def _resumed(request: RunRequest, header: Header, targets: Sequence[_Target]) -> dict[str, Counter[str]]:
    """Continue the targets where the log ends, and cut off an unfinished line.

    Raises:
        RunLogError: the log is complete, or belongs to another suite, selection or set of targets.
    """
    before = read_header(request.log)
    for what, old, new in (
        ("another version of opconform", before.suite.version, header.suite.version),
        ("other deviations", before.deviations, header.deviations),
        ("other case files", before.suite.digest, header.suite.digest),
        ("another selection", before.selection, header.selection),
        ("other targets", [t.name for t in before.targets], [t.name for t in header.targets]),
        ("another number of checks", before.planned, header.planned),
        ("another --timing", before.timing, header.timing),
    ):
        if old != new:
            raise RunLogError(str(request.log), f"was made with {what}: {old!r}, not {new!r}", fix="start a new log")
    counts: dict[str, Counter[str]] = {}
    by_name = {target.entry.name: target for target in targets}
    for line in read_lines(request.log):
        if isinstance(line, Footer) and line.complete:
            raise RunLogError(str(request.log), "is complete already", fix="leave --resume out to run it anew")
        if isinstance(line, CheckRecord):
            counts.setdefault(line.target, Counter())[line.verdict.value] += 1
            by_name[line.target].done += 1
            by_name[line.target].last_done = (line.case, line.form)
    os.truncate(request.log, whole_lines_size(request.log))
    return counts


def _timing_pass(
    request: RunRequest,
    checks: Sequence[Check],
    targets: Sequence[_Target],
    log: RunLogWriter,
    stopping: threading.Event,
) -> TimingPass:
    """The timing pass over what the log does not have yet, on the targets that could start."""
    timed = [
        TimedTarget(target.entry.name, TimingSession(target.request, request.timeout_s))
        for target in targets
        if not target.entry.problem
    ]
    lines = read_lines(request.log) if request.resume else ()
    done = {(line.target, line.case) for line in lines if isinstance(line, TimingRecord)}
    return TimingPass(
        checks=checks, targets=timed, effort=EFFORTS[request.timing], on_record=log.timing, stopping=stopping, done=done
    )


def _report_progress(targets: Sequence[_Target], on_progress: Progress) -> None:
    for target in targets:
        on_progress(target.entry.name, target.done)


def _wait(
    futures: Sequence[Future[_T]], sessions: Sequence[_Killable], stopping: threading.Event, on_tick: Callable[[], None]
) -> None:
    """Wait for the futures; if the run is stopping, end their workers first."""
    pending = set(futures)
    while pending:
        finished, pending = wait(pending, timeout=0.1)
        if stopping.is_set():
            for session in sessions:
                session.kill()
        on_tick()
        for future in finished:
            future.result()
