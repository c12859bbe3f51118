"""Starts a target, runs checks on it, and makes the record of each."""

from __future__ import annotations

import platform
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

from conformance.judge.controls import TwinAnswer, control_explains, gist, needs_twin
from conformance.judge.deviation import Circumstances, Deviation
from conformance.log.build_record import control_entry, not_run_record, record_of, with_control
from conformance.log.record import CheckRecord, TargetEntry
from conformance.protocol.form import Form
from conformance.protocol.messages import lists_of
from conformance.protocol.outcome import (
    AdapterFailed,
    Description,
    Killed,
    NotExpressibleOutcome,
    Outcome,
    Produced,
    RejectedOutcome,
    Unstable,
)
from conformance.report.script import has_recipe
from conformance.run.session import LastOfProcess, Session, every_check
from conformance.spec.case import Argument, Case
from conformance.spec.check import Check
from conformance.spec.control import changes_of, plain_of, twin_of
from conformance.spec.operator import Operator, is_named
from conformance.spec.verdict import Section, Severity
from conformance.suite.adapter_file import Adapter, TargetRequest, adapter_digest, deviations_digest, is_known_by_name
from conformance.tensors.errors import HarnessError, WorkerStartError
from conformance.tensors.tensor import outputs_digest

# Starts a target: its description, the recorded deviations that apply to it, and the operators that it declares.


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedTarget:
    """A target and its deviations; the entry's `problem` says why it could not start."""

    entry: TargetEntry
    deviations: tuple[Deviation, ...] = ()

    def last_of_process(self, check: Check) -> LastOfProcess:
        """Says that a check is the last of its process if a recorded memory fault covers it."""
        is_damaging = any(entry.damages_memory and entry.covers(check) for entry in self.deviations)
        return LastOfProcess.IF_RUN if is_damaging else LastOfProcess.NEVER


def circumstances_of(target: TargetEntry, system: str) -> Circumstances:
    """Where a target ran, to match the conditions of deviations; `system` starts with the operating system's name."""
    return Circumstances(
        version=target.version,
        options=target.options,
        instruction_set=target.instruction_set,
        devices=tuple(target.devices),
        system=system.partition(" ")[0],
    )


def start_target(request: TargetRequest, session: Session, deviations: Sequence[Deviation]) -> StartedTarget:
    """Start the session, and record its description or why it cannot start; keep the deviations that apply there."""
    try:
        described = session.start()
        _require_version(request, described.version)
    except HarnessError as error:
        name = request.name_at(request.version or "unknown")
        return StartedTarget(entry=TargetEntry(name=name, adapter=request.adapter.name, problem=str(error)))
    entry = TargetEntry(
        name=request.name_at(described.version),
        adapter=request.adapter.name,
        adapter_digest=adapter_digest(request.adapter),
        deviations_digest=deviations_digest(request.adapter),
        environment="" if request.adapter.environment is None else request.adapter.environment.name,
        module=_module_of(request.adapter, session.modules),
        folder="" if is_known_by_name(request.adapter) else str(request.adapter.folder.resolve()),
        python=session.python,
        numpy=session.numpy,
        options=request.all_options,
        has_scripts=has_recipe(request.adapter) or bool(described.onnx_models),
        **{name: said for name, said in lists_of(described).items() if name not in ("onnx_models", "controls")},
    )
    circumstances = circumstances_of(entry, platform.system())
    holding = tuple(deviation for deviation in deviations if deviation.conditions.hold(circumstances))
    started = StartedTarget(entry=entry, deviations=holding)
    session.last_of_process = started.last_of_process
    return started


def _module_of(adapter: Adapter, modules: Mapping[str, str]) -> str:
    """Where the module of the framework lies: in the environment, or as its last two folders."""
    names = [Requirement(text).name.replace("-", "_").lower() for text in adapter.manifest.requires]
    place = next((Path(modules[name]) for name in names if name in modules), None)
    if place is None:
        return ""
    environments = [] if adapter.environment is None else [adapter.environment.python.parents[2].resolve()]
    inside = [place.resolve().relative_to(root) for root in environments if place.resolve().is_relative_to(root)]
    return inside[0].as_posix() if inside else f"{place.parent.name}/{place.name}"


def _require_version(request: TargetRequest, installed: str) -> None:
    if request.version and installed != request.version:
        what = f"version {request.version} was requested, but {installed} is installed"
        raise HarnessError(request.adapter.name, what, fix="install it, or leave the version out")


# Which of the operators of a run its targets declare: a sample of checks spends none on others.


def declared_by_any(
    operators: Sequence[Operator], targets: Sequence[TargetRequest], limit_s: float
) -> Sequence[Operator]:
    """The operator versions that at least one of the targets declares; all if none starts and says so."""

    def described(target: TargetRequest) -> Description | None:
        session = Session(target, limit_s, threading.Event())
        try:
            return session.start()
        except HarnessError:
            return None  # the run says why
        finally:
            session.kill()

    with ThreadPoolExecutor(max(1, len(targets))) as pool:
        names = [name for said in pool.map(described, targets) if said is not None for name in said.operators]
    return [operator for operator in operators if is_named(operator.id, names)] or operators


# What runs again before a deviation or a rejection is reported: the check itself, its control, and its twin.
# `Confirmation` repeats a deviating check in a fresh process: an earlier check may have damaged the process in which
# the deviation appeared. If both processes answer alike, the record stands. If not, the verdict is *unstable*, with
# both answers. A costly rejection is repeated twice in one fresh process, and the second answer counts: what a
# framework sets up on first use is not a cost of the rejection. `attributed` runs the control of a deviating check
# and records whether the fault is the operator's or a neighbour's. A control that explains the fault excuses it only
# if the call conforms without the neighbour, which is also checked. `Twins` asks for the twins of rejected calls,
# each once in a form.

_REPEATED_OF_A_KIND = 2
"""After so many confirmed deviations of one kind, further ones of that kind are not repeated."""
_MAX_REPEATED = 256
"""Limit of repeated checks for one target, so that a framework that fails everything does not run everything twice."""


class Confirmation:
    """Confirms the deviations of one target, in the order in which they come.

    Args:
        run: runs a check a number of times in a fresh process, and nothing else there; returns the last outcome.
        record: the record of a check with an outcome.
    """

    def __init__(self, run: Callable[[Check, int], Outcome], record: Callable[[Check, Outcome], CheckRecord]) -> None:
        self._run = run
        self._record = record
        self._confirmed: Counter[tuple[str, ...]] = Counter()
        self._num_repeated = 0

    def confirmed(self, check: Check, record: CheckRecord, before: tuple[str, ...]) -> CheckRecord:
        """The final record of a check, after repeating it in a fresh process if that is due.

        `before` names the checks that ran before it in the same process.

        Raises:
            StoppedError: the run was asked to stop.
        """
        # A report groups deviations of one kind together.
        kind = record.verdict.value, record.cause, check.case.operator.id, check.form.value
        is_about_cost = record.verdict.meaning.severity is Severity.COST
        if not record.verdict.meaning.is_retried or record.death or not (before or is_about_cost):
            return record  # a process that died had answered nothing before
        if before and (self._confirmed[kind] >= _REPEATED_OF_A_KIND or self._num_repeated >= _MAX_REPEATED):
            return record
        self._num_repeated += 1
        outcome = self._run(check, 2 if is_about_cost else 1)
        fresh = self._record(check, outcome)
        if fresh.verdict.meaning.section is Section.NOT_JUDGED:
            return fresh  # no second answer, and so no difference between two
        if fresh.judged is record.judged:
            self._confirmed[kind] += 1
            return fresh if is_about_cost else record
        if is_about_cost and isinstance(outcome, RejectedOutcome):
            return fresh  # only the first rejection was costly
        if (record.verdict.meaning.section, fresh.verdict.meaning.section) == (Section.FIXED, Section.KNOWN):
            return fresh  # the recorded deviation still happens
        both = Unstable(first=_said(record), alone=_said(fresh), suspects=before)
        return self._record(check, both)


def _said(record: CheckRecord) -> str:
    return f"{record.judged.value}: {record.cause}" if record.cause else record.judged.value


def attributed(
    check: Check, record: CheckRecord, run: Callable[[Check], Outcome], forms: Collection[str]
) -> CheckRecord:
    """The record of a check, with that of its control if it has one.

    `run` runs a check on the target; if its worker was killed, the check is not judged. `forms` are those for which the
    adapter takes controls.

    Raises:
        StoppedError: the run was asked to stop.
    """
    if not record.judged.meaning.may_be_neighbours or check.form.value not in forms:
        return record
    control = run(replace(check, is_control=True))
    if isinstance(control, Killed):
        return record_of(check, record.target, control, ())
    if isinstance(control, NotExpressibleOutcome):
        return record
    entry = control_entry(check, record, control)
    if control_explains(record, entry):
        plain = run(plain_of(check))
        if isinstance(plain, Killed):
            return record_of(check, record.target, plain, ())
        entry = replace(entry, plain=outputs_digest(plain.runs) if isinstance(plain, Produced) else "")
    return with_control(check, record, entry)


TwinCall = tuple[str, tuple[Argument, ...], int, Form]
"""What decides the answer to a twin; several cases may share one."""


class Twins:
    """The answers of one target to the twins of its rejected calls.

    Args:
        run: runs a check on the target.
    """

    def __init__(self, run: Callable[[Check], Outcome]) -> None:
        self._run = run
        self._known: dict[TwinCall, TwinAnswer] = {}

    def answer(self, check: Check, outcome: Outcome) -> TwinAnswer | None:
        """The answer to the twin of a rejected call; None if its judgement needs none.

        Raises:
            StoppedError: the run was asked to stop.
        """
        if not needs_twin(check.steps, outcome):
            return None
        twin = twin_of(check.case)
        if twin is None:
            return TwinAnswer()
        asked = twin_call(twin, check.form)
        if asked not in self._known:
            self._known[asked] = _answer(self._run(Check(twin, check.form)))
        return replace(self._known[asked], arguments=changes_of(check.case, twin))


def twin_call(twin: Case, form: Form) -> TwinCall:
    """The call of a twin in a form."""
    return twin.operator.id, twin.arguments, twin.declared_outputs, form


def _answer(outcome: Outcome) -> TwinAnswer:
    """The outcome of a twin in the form of a record. It has no arguments."""
    if not isinstance(outcome, RejectedOutcome):
        return TwinAnswer(outcome=outcome.tag)
    return TwinAnswer(outcome=outcome.tag, stage=outcome.stage, message=gist(outcome.message))


# Runs checks on one target, from the request to the finished record. A runner belongs to one thread or process. Its
# worker stays warm from one call of `records` to the next.


class TargetRunner:
    """The worker of one target, with further ones that repeat deviations, and run controls and twins.

    Args:
        request: adapter and options.
        recorded: the deviations that its adapter records.
        limit_s: seconds that a check may take.
        stopping: the caller sets it to end the runner.
    """

    def __init__(
        self, request: TargetRequest, recorded: Sequence[Deviation], limit_s: float, stopping: threading.Event
    ) -> None:
        self._request = request
        self._recorded = recorded
        self._stopping = stopping
        self._session = Session(request, limit_s, stopping)
        self._retries = Session(request, limit_s, stopping, every_check, forks=True)
        self._controls = Session(request, limit_s, stopping, forks=True)
        self._problem = ""

    def start(self) -> StartedTarget:
        """Start the worker; the target's `problem` says if it cannot start."""
        started = self.target = start_target(self._request, self._session, self._recorded)
        self._problem = started.entry.problem
        self._confirmation = Confirmation(self._retries.outcome_or_failure, self._judged)
        self._controls.last_of_process = started.last_of_process
        self._control_forms = self._session.description.controls if self._session.description is not None else ()
        self._twins = Twins(self._controls.outcome_or_failure)
        return started

    @cached_property
    def bound_target(self) -> StartedTarget:
        """The target with the digest of what its worker has loaded, which is asked for before the first check."""
        return replace(self.target, entry=replace(self.target.entry, loaded_digest=self._session.loaded_digest()))

    @property
    def description(self) -> Description:
        """What the adapter of a target that has started says of it."""
        assert self._session.description is not None
        return self._session.description

    def records(self, checks: Iterable[Check]) -> Iterator[CheckRecord]:
        """The record of each check, in order; *not run* once the adapter has failed for good.

        Checks are taken ahead of their records, as many as fit into the worker's window.

        Raises:
            StoppedError: the runner was stopped.
        """
        source = iter(checks)
        if not self._problem:
            for check, outcome, before in self._answers(source):
                yield self._record_of(check, outcome, before)
                if self._problem:
                    break
        for check in chain(self._session.unanswered(), source if self._problem else ()):
            if not self._stopping.is_set():
                yield self._unrun(check)

    def record_alone(self, check: Check) -> CheckRecord:
        """The record of a check that is the first and only one of a fresh process, without its control.

        Raises:
            WorkerStartError: no worker can start.
            StoppedError: the runner was stopped.
        """
        return self._judged(check, self._retries.outcome_or_failure(check))

    def kill(self) -> None:
        """End the workers now."""
        for session in (self._session, self._retries, self._controls):
            session.kill()

    def end(self) -> bool:
        """End the workers, letting the shared one exit on its own. Returns whether it did not need killing."""
        ended = self._session.finish()
        self.kill()
        return ended

    def stderr_tail(self) -> str:
        """The end of the standard error of the shared worker, once it has ended."""
        return self._session.stderr_tail()

    def _answers(self, checks: Iterator[Check]) -> Iterator[tuple[Check, Outcome, tuple[str, ...]]]:
        """Each check with its outcome and the checks before it in the same process, until no worker can go on."""
        try:
            for check, outcome in self._session.answers(checks):
                yield check, outcome, self._session.before
        except HarnessError as error:
            self._problem = str(error)
            if not isinstance(error, WorkerStartError):
                yield next(self._session.unanswered()), AdapterFailed(message=self._problem), ()

    def _record_of(self, check: Check, outcome: Outcome, before: tuple[str, ...]) -> CheckRecord:
        """The record of a check, with all that its judgement asks for; *not run* if no worker can start for that."""
        try:
            confirmed = self._confirmation.confirmed(check, self._judged(check, outcome), before)
            return attributed(check, confirmed, self._controls.outcome_or_failure, self._control_forms)
        except WorkerStartError as error:
            self._problem = str(error)
            return self._unrun(check)

    def _judged(self, check: Check, outcome: Outcome) -> CheckRecord:
        twin = self._twins.answer(check, outcome)
        return record_of(check, self.target.entry.name, outcome, self.target.deviations, twin)

    def _unrun(self, check: Check) -> CheckRecord:
        return not_run_record(check, self.target.entry.name, self._problem)
