"""Runs the control of a deviating check and records whether the fault is the operator's or a neighbour's."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from conformance.records.build_record import control_entry, with_control
from conformance.records.record import CheckRecord
from conformance.spec.check import Check
from conformance.spec.outcome import NotExpressibleOutcome, Outcome


def attributed(
    check: Check, record: CheckRecord, run: Callable[[Check], Outcome], forms: Collection[str]
) -> CheckRecord:
    """The record of a check, with that of its control if it has one.

    `run` runs a control on the target; `forms` are those for which the adapter takes controls.

    Raises:
        StoppedError: the run was asked to stop.
    """
    if not record.judged.meaning.may_be_neighbours or check.form.value not in forms:
        return record
    control = run(replace(check, is_control=True))
    if isinstance(control, NotExpressibleOutcome):
        return record
    return with_control(record, control_entry(check, record, control))
