"""Builds the parts of a log's header that follow from the suite, the selection, and the target.

A run writes them; verification of a log builds them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from conformance import __version__
from conformance.formats.case_file import CaseFamily
from conformance.formats.suite import Suite
from conformance.judging.deviation import Circumstances, Conditions, Deviation
from conformance.language.choices import Choices
from conformance.log.record import (
    RecordedDeviation,
    RecordedInterpretation,
    SelectionEntry,
    ShardEntry,
    SuiteEntry,
    TargetEntry,
)
from conformance.planning.selection import Selection
from conformance.values.text import options_text


def suite_entry(suite: Suite, families: Sequence[CaseFamily]) -> SuiteEntry:
    """The suite, with the clauses and laws of the families' operators and the interpretations of disputed cases."""
    operators = {family.operator.id: family.operator for family in families}
    in_plan = {operator.family for operator in operators.values()}
    return SuiteEntry(
        version=__version__,
        digest=suite.digest,
        digests={name: digest for name, digest in suite.digests.items() if name in in_plan},
        operators={
            name: {clause.id: clause.says for clause in operator.clauses.values()}
            for name, operator in operators.items()
        },
        laws={name: list(operator.law.lines) for name, operator in operators.items() if operator.law is not None},
        disputes={family.id: _interpretations(family) for family in families if family.entry.disputed},
    )


def selection_entry(selection: Selection, shard: ShardEntry | None = None) -> SelectionEntry:
    """The selection as a log records it."""
    choices = {item.name: getattr(selection, item.name) for item in fields(Choices)}
    return SelectionEntry(**choices, rerun="failed" if selection.checks else "", shard=shard)


def circumstances_of(target: TargetEntry, system: str) -> Circumstances:
    """Where a target ran, to match the conditions of deviations; `system` starts with the operating system's name."""
    return Circumstances(
        version=target.version,
        options=target.options,
        instruction_set=target.instruction_set,
        devices=tuple(target.devices),
        system=system.partition(" ")[0],
    )


def deviation_entry(target: str, deviation: Deviation) -> RecordedDeviation:
    """A recorded deviation that applies to a target, as a log records it."""
    shown = deviation.model_dump(mode="json", include={item.name for item in fields(RecordedDeviation)})
    if deviation.witness is not None:
        shown["reproducer"] = f"{deviation.witness.case}, form {deviation.witness.form.value}"
    return RecordedDeviation(target=target, where=_conditions_text(deviation.conditions), **shown)


def _conditions_text(conditions: Conditions) -> str:
    """`>=2026.4,<2026.5; instruction set <AVX512_CORE_FP16`."""
    named = (
        ("", conditions.versions),
        ("options ", options_text(conditions.options, ",")),
        ("instruction set ", conditions.instruction_set),
        ("device ", conditions.device),
        ("system ", conditions.system),
    )
    return "; ".join(f"{name}{value}" for name, value in named if value)


def _interpretations(family: CaseFamily) -> list[RecordedInterpretation]:
    return [
        RecordedInterpretation(name=name, reason=entry.reason, thread=entry.thread)
        for name, entry in (family.entry.disputed or {}).items()
    ]
