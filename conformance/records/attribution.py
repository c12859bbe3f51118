"""Runs the control of a deviating check and records whether the fault is the operator's or a neighbour's."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from conformance.records.build_record import control_entry, with_control
from conformance.records.record import CheckRecord
from conformance.spec.check import Check
from conformance.spec.outcome import NotExpressibleOutcome, Outcome


class Attribution:
    """Attributes the deviations of one target.

    Args:
        ask: runs a control on the target.
        forms: the forms for which the adapter takes controls.
    """

    def __init__(self, ask: Callable[[Check], Outcome], forms: Collection[str]) -> None:
        self._ask = ask
        self._forms = forms

    def attributed(self, check: Check, record: CheckRecord) -> CheckRecord:
        """The record of a check, with that of its control if it has one.

        Raises:
            StoppedError: the run was asked to stop.
        """
        if not record.judged.meaning.may_be_neighbours or check.form.value not in self._forms:
            return record
        control = self._ask(replace(check, is_control=True))
        if isinstance(control, NotExpressibleOutcome):
            return record
        return with_control(record, control_entry(check, record, control))
