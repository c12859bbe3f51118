"""Runs single checks on demand, for an external test runner such as pytest."""

from __future__ import annotations

import threading

from conformance.formats.adapter_file import TargetRequest
from conformance.formats.deviation_file import read_deviations
from conformance.records.attribution import Attribution
from conformance.records.build_record import not_run_record, record_of
from conformance.records.confirmation import Confirmation, Judged
from conformance.records.record import CheckRecord
from conformance.running.single_checks import SingleChecks
from conformance.running.target import start_target
from conformance.spec.check import Check
from conformance.workers.session import Session, every_check


class InteractiveSession:
    """A session of a target that answers each check at once.

    Args:
        request: adapter and options.
        limit_s: seconds that a check may take.
    """

    def __init__(self, request: TargetRequest, limit_s: float) -> None:
        stopping = threading.Event()
        session = Session(request, limit_s, stopping)
        self._target = start_target(request, session, read_deviations(request.adapter.folder))
        self._checks = SingleChecks(session)
        self._retries = SingleChecks(Session(request, limit_s, stopping, every_check, forks=True))
        self._confirmation = Confirmation(self._retries.outcome, self._target.deviations)
        controls = Session(request, limit_s, stopping, self._target.last_of_process, forks=True)
        self._controls = SingleChecks(controls)
        forms = session.description.controls if session.description is not None else ()
        self._attribution = Attribution(self._controls.outcome, forms)

    def ask(self, check: Check) -> CheckRecord:
        """The record of a check; *not run* if the target could not start, or its adapter failed for good."""
        name = self._target.entry.name
        if problem := self._target.entry.problem or self._checks.problem:
            return not_run_record(check, name, problem)
        record = record_of(check, name, self._checks.outcome(check), self._target.deviations)
        record = self._confirmation.confirmed(Judged(check=check, record=record, before=self._checks.before()))
        return self._attribution.attributed(check, record)

    def end(self) -> None:
        """End the workers."""
        self._checks.end()
        self._retries.end()
        self._controls.end()
