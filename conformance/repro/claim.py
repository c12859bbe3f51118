"""What a script asks and what must come of it, with the reasons: of a check of the suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from conformance.display.call_text import call_text
from conformance.records.build_record import call_entry
from conformance.selection.selection import Check
from conformance.spec.case import Case, Disputed, Expectation, Literals, Parts, Rejection, expected_outputs
from conformance.spec.form_steps import calls_of
from conformance.spec.operator import Clause, Operator
from conformance.spec.request import Question
from conformance.values.tensor import Tensor

REFUSAL = "Expected: a refusal, since the call breaks the operator's page."
OUTPUTS = "Expected: the outputs that are written below, bit for bit."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What must come of each run under one reading of the page; `runs` is None for a refusal."""

    name: str = ""
    runs: Sequence[Sequence[Tensor]] | None
    nan_payloads_may_differ: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a script shows: its title, what it says of itself in paragraphs, the question, and what must come of it.

    `readings` are those of a disputed case; of any other the one that there is, without a name. `dtype` is the type of
    the data, empty where the call gives none.
    """

    title: str
    about: Sequence[str]
    question: Question
    dtype: str
    readings: Sequence[Reading]

    @property
    def is_disputed(self) -> bool:
        """Whether there are several readings."""
        return any(reading.name for reading in self.readings)


def claim_of_check(check: Check, question: Question, target: str) -> Claim:
    """The claim of one check; `target` says whom it asks."""
    return Claim(
        title=title_of(check.case.id, check.form.value, target),
        about=_about(check),
        question=question,
        dtype=check.case.data.dtype if check.case.data is not None else "",
        readings=_readings(check),
    )


def title_of(case: str, form: str, target: str) -> str:
    """What the script shows, on one line."""
    return f"{case}, form {form}, on {target}."


def _readings(check: Check) -> list[Reading]:
    calls, expectation = calls_of(check.case, check.form), check.case.expectation
    if not isinstance(expectation, Disputed):
        return [Reading(runs=_outputs([(call.expectation, call) for call in calls]))]
    return [
        Reading(
            name=reading.name,
            runs=_outputs([(_expectation(call, number), call) for call in calls]),
            nan_payloads_may_differ=reading.nan_payloads_may_differ,
        )
        for number, reading in enumerate(expectation.interpretations)
    ]


def _expectation(call: Case, reading: int) -> Expectation:
    """What must come of a call under one reading, which a form may ask in part."""
    expectation = call.expectation
    return expectation.interpretations[reading].expectation if isinstance(expectation, Disputed) else expectation


def _outputs(asked: Sequence[tuple[Expectation, Case]]) -> list[tuple[Tensor, ...]] | None:
    if any(isinstance(expectation, Rejection) for expectation, _ in asked):
        return None
    return [expected_outputs(expectation, call) for expectation, call in asked]


def _about(check: Check) -> list[str]:
    """The call, what must come of it, and why."""
    case, operator = check.case, check.case.operator
    paragraphs = [
        f"Call: {call_text(operator.id, call_entry(check))}",
        f"Form: {check.form.value}.",
        _expectation_line(case),
    ]
    named = [case.expectation.clause] if isinstance(case.expectation, Rejection) else list(case.clauses)
    paragraphs += [_clause_text(operator.clauses[clause]) for clause in named if clause in operator.clauses]
    if isinstance(case.expectation, Disputed):
        paragraphs += [
            f"Reading {reading.name!r}: {reading.reason}{f' See {reading.thread}' if reading.thread else ''}"
            for reading in case.expectation.interpretations
        ]
    return [*paragraphs, *_sources(operator)]


def _clause_text(clause: Clause) -> str:
    return f"Why ({clause.section}): {clause.says}"


def _sources(operator: Operator) -> list[str]:
    return [f"Page: {source.title}, {source.url}" for source in operator.sources if source.url][:1]


def _expectation_line(case: Case) -> str:
    match case.expectation:
        case Rejection():
            return REFUSAL
        case Disputed(interpretations=readings):
            return f"Expected: one of the readings {', '.join(repr(reading.name) for reading in readings)}."
        case Parts() | Literals():
            return OUTPUTS
        case _:
            assert_never(case.expectation)
