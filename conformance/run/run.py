"""A run: plans the selected checks, has them executed on every target, and writes the log, which reports read."""

from __future__ import annotations

import os
import platform
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from conformance.authoring.lint import refuse_wrong_cases
from conformance.log.build_record import unrun_record, untimed_record, with_times, without_time
from conformance.log.log_file import RunLogWriter, now, read_lines
from conformance.log.record import Footer, Header, Machine, TimingRecord
from conformance.protocol.outcome import MEMORY_LIMIT_BYTES, Effort, Measurement, NotMeasured
from conformance.run.dispatch import EFFORTS, TimingMode
from conformance.run.ending import heard_by, killed_when
from conformance.run.execution import Execution, LocalExecution, RunTarget, selection_entry, suite_entry
from conformance.run.reuse import resumed
from conformance.run.run_plan import RunPlan, RunRequest, checks_left_out, run_plan_of
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.session import StoppedError, TimingSession
from conformance.spec.check import Check
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import is_edited
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite
from conformance.tensors import machine as procfs
from conformance.tensors.errors import HarnessError, RunLogError, SelectionError, UsageError
from conformance.tensors.files import appended, refuse_foreign

# The timing pass of a run: case by case, and in each round every target in turn, so that drift affects all alike.
#
# Only one worker is busy at a time. A target with a wrong answer is not timed.


def families_to_time(suite: Suite, selection: Selection) -> tuple[CaseFamily, ...]:
    """The selected families of the set `timing`, whichever sets the selection names.

    Raises:
        UsageError: there is none.
    """
    try:
        return families_selected(suite, _timing_selection(selection))
    except SelectionError:
        raise _nothing_to_time() from None


def checks_to_time(suite: Suite, selection: Selection) -> list[Check]:
    """The selected checks of the set `timing`.

    Raises:
        UsageError: there is none.
    """
    checks = list(checks_of(families_to_time(suite, selection), _timing_selection(selection)))
    if not checks:
        raise _nothing_to_time()
    return checks


def _timing_selection(selection: Selection) -> Selection:
    return replace(selection, sets=(CaseSet.TIMING,))


def _nothing_to_time() -> UsageError:
    what = "none of the selected cases is in the set `timing`, and only those are timed"
    return UsageError("--timing", what, fix="`conformance list --set timing` shows those that are")


@dataclass(slots=True, kw_only=True)
class TimingPass:
    """Times checks on targets, which are workers by the target's name, and passes each record to `on_record`.

    The caller sets `stopping` to end the pass. `done` holds target and case of each timing record in a resumed log.
    """

    checks: Sequence[Check]
    targets: Mapping[str, TimingSession]
    effort: Effort
    on_record: Callable[[TimingRecord], None]
    stopping: threading.Event
    done: Collection[tuple[str, str]] = ()

    def run(self, on_done: Callable[[int], None] = lambda _: None) -> None:
        """Time all checks, unless stopped; `on_done` gets the number of cases that are timed."""
        with killed_when(self.stopping, self._kill):
            try:
                for number, check in enumerate(self.checks, 1):
                    records = self._timed(check)
                    if self.stopping.is_set():
                        break
                    for record in records:
                        self.on_record(record)
                    on_done(number)
            except StoppedError:
                pass
            finally:
                self._kill()

    def _kill(self) -> None:
        for session in self.targets.values():
            session.kill()

    def _timed(self, check: Check) -> list[TimingRecord]:
        names = [name for name in self.targets if (name, check.case.id) not in self.done]
        records = {name: self._answered(check, name) for name in names if not self.stopping.is_set()}
        rounds: dict[str, list[Measurement]] = {name: [] for name in records}
        for number in range(self.effort.rounds):
            for name in _turned(names, number):
                if self.stopping.is_set():
                    return []
                record = records[name]
                if record.reason:
                    continue
                match self.targets[name].measure(self.effort):
                    case Measurement() as measured:
                        rounds[name].append(measured)
                    case NotMeasured(reason=reason):
                        records[name] = without_time(record, reason)
        return [
            record if record.reason else with_times(record, rounds[name], self.effort.confidence_percent)
            for name, record in records.items()
        ]

    def _answered(self, check: Check, name: str) -> TimingRecord:
        try:
            return untimed_record(check, name, self.targets[name].outcome_of(check))
        except HarnessError as error:
            return unrun_record(check, name, error.what)


def _turned(names: Sequence[str], by: int) -> list[str]:
    """The targets in a circle, so that each round starts with another one."""
    start = by % max(len(names), 1)
    return [*names[start:], *names[:start]]


Progress = Callable[[str, int], None]
"""Called with a target's name and its number of finished checks, and with `timing` and the number of timed cases. The
calls come from the thread that called `run`.
"""


def run(
    request: RunRequest,
    on_start: Callable[[Header], None],
    on_progress: Progress,
    execution_of: Callable[[RunRequest, threading.Event], Execution] = LocalExecution,
) -> Footer:
    """Send every selected check to every target and write the log.

    Raises:
        ExceptionGroup: of `CaseFileError`: a case is wrong.
        UsageError: a link or a pipe stands at the place of the log, the selection is empty, two targets have the same
            name, the log cannot be resumed, or another process replaced it.
        HarnessError: the run was interrupted before the first check.
        MachineError: the system could not start a worker; the log can be resumed.
    """
    refuse_foreign(request.log)
    families = families_selected(request.suite, request.selection)
    is_timed = request.timing is not TimingMode.OFF
    to_time = checks_to_time(request.suite, request.selection) if is_timed else []
    stopping, interrupted = threading.Event(), list[str]()

    def stop(name: str) -> None:
        interrupted.append(name)
        stopping.set()

    with heard_by(stop):
        execution = execution_of(request, stopping)
        try:  # while frameworks are imported
            refuse_wrong_cases(request.suite, families)
            plan = run_plan_of(families, request.selection, request.shard)
            if not plan.planned:
                fix = "leave --form out"
                if CaseSet.FULL not in request.selection.sets:
                    fix += ", or add `--set full`, in which cases can have more forms"
                raise SelectionError("selection", "no case has any of these forms", fix=fix)
            targets = execution.started()
            if interrupted:
                raise HarnessError("run", f"interrupted by {interrupted[0]} before the first check")
            _refuse_same_names(targets)
            header = _header(request, plan, targets)
            counts = resumed(request, header, plan, targets) if request.resume else {}
            if not request.resume and request.log.is_file():
                request.log.replace(request.log.with_name("previous.jsonl"))
            with appended(request.log) as stream:
                log = RunLogWriter(stream, counts)
                if not request.resume:
                    log.header(header)
                on_start(header)
                reason = execution.run(plan, targets, log, lambda: _report_progress(targets, on_progress))
                if is_timed and not interrupted:
                    _timing_pass(request, to_time, targets, log, stopping).run(partial(on_progress, "timing"))
                footer = log.footer(f"interrupted by {interrupted[0]}" if interrupted else reason)
                _require_its_place(stream, request.log)
                return footer
        finally:
            stopping.set()
            execution.end()


def _header(request: RunRequest, plan: RunPlan, targets: Sequence[RunTarget]) -> Header:
    suite = request.suite
    return Header(
        started=now(),
        suite=suite_entry(suite, plan.families),
        selection=selection_entry(request.selection, plan.shard),
        targets=[target.entry for target in targets],
        deviations=[entry for target in targets for entry in target.recorded],
        machine=_machine(),
        planned=plan.planned,
        left_out=checks_left_out(suite, plan),
        timeout_s=request.timeout_s,
        memory_limit_bytes=MEMORY_LIMIT_BYTES,
        strict_records=request.strict_records and not is_edited(suite),
        timing=EFFORTS.get(request.timing),
        cases_folders=[] if suite.is_bundled and not suite.added else list(suite.folders()),
    )


def _require_its_place(stream: BinaryIO, log: Path) -> None:
    """Check that the log's path still leads to the file that was written, because reports read it from there.

    Raises:
        RunLogError: the file was replaced or removed.
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
    model = procfs.processor("model name")
    return f"{model} ({platform.machine()})" if model else platform.processor() or platform.machine()


def _refuse_same_names(targets: Sequence[RunTarget]) -> None:
    names = [target.entry.name for target in targets]
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"target {name!r}", "is named twice", fix="name each target once")


def _timing_pass(
    request: RunRequest,
    checks: Sequence[Check],
    targets: Sequence[RunTarget],
    log: RunLogWriter,
    stopping: threading.Event,
) -> TimingPass:
    """The timing pass, without the times that the log already has, on the targets that could start."""
    timed = {
        target.entry.name: TimingSession(target_request, request.timeout_s, stopping)
        for target_request, target in zip(request.targets, targets, strict=True)
        if not target.entry.problem
    }
    lines = read_lines(request.log) if request.resume else ()
    done = {(line.target, line.case) for line in lines if isinstance(line, TimingRecord)}
    return TimingPass(
        checks=checks, targets=timed, effort=EFFORTS[request.timing], on_record=log.timing, stopping=stopping, done=done
    )


def _report_progress(targets: Sequence[RunTarget], on_progress: Progress) -> None:
    for target in targets:
        on_progress(target.entry.name, target.done)
