"""Runs the control of a deviating check and records whether the fault is the operator's or a neighbour's.

A control that accounts for the fault excuses it only if the call conforms without the neighbour, which is also checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from conformance.border.outcome import Killed, NotExpressibleOutcome, Outcome, Produced
from conformance.language.check import Check
from conformance.language.control import plain_of
from conformance.log.build_record import accounts_for, control_entry, record_of, with_control
from conformance.log.record import CheckRecord
from conformance.values.tensor import outputs_digest


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
    if accounts_for(record, entry):
        plain = run(plain_of(check))
        if isinstance(plain, Killed):
            return record_of(check, record.target, plain, ())
        entry = replace(entry, plain=outputs_digest(plain.runs) if isinstance(plain, Produced) else "")
    return with_control(check, record, entry)
