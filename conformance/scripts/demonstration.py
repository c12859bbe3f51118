"""What a script demonstrates about a check of the suite: the request, the expected outputs, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from conformance.border.request import Request
from conformance.language.case import (
    Case,
    Disputed,
    Elements,
    Expectation,
    Lawful,
    Literals,
    Parts,
    Rejection,
    expected_outputs,
)
from conformance.language.check import Check
from conformance.log.build_record import call_entry
from conformance.report.tensors import call_text
from conformance.values.tensor import Tensor

REJECTION = "Expected: a rejection, because the call breaks the operator's page."
OUTPUTS = "Expected: the outputs that are written below, bit for bit."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRuns:
    """The expected outputs of each run under one interpretation; `runs` is None if it requires a rejection."""

    name: str = ""
    runs: Sequence[Sequence[Tensor]] | None
    nan_payloads_may_differ: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """What a script shows: its title, paragraphs about it, the request, and the expected outputs.

    `interpretations` are those of a disputed case; any other case has one without a name. `dtype` is the type of the
    data, empty if the call has none.
    """

    title: str
    about: Sequence[str]
    request: Request
    dtype: str
    interpretations: Sequence[ExpectedRuns]

    @property
    def is_disputed(self) -> bool:
        """Whether there are several interpretations."""
        return any(interpretation.name for interpretation in self.interpretations)


def demonstration_of(check: Check, request: Request, target: str) -> Demonstration:
    """The demonstration of one check; `target` names the framework for readers."""
    return Demonstration(
        title=title_of(check.case.id, check.form.value, target),
        about=_about(check),
        request=request,
        dtype=check.case.data.dtype if check.case.data is not None else "",
        interpretations=_interpretations(check),
    )


def title_of(case: str, form: str, target: str) -> str:
    """The title of a script, on one line."""
    return f"{case}, form {form}, on {target}."


def _interpretations(check: Check) -> list[ExpectedRuns]:
    expectation = check.case.expectation
    if not isinstance(expectation, Disputed):
        return [ExpectedRuns(runs=_outputs([(step.expectation, step) for step in check.steps]))]
    return [
        ExpectedRuns(
            name=interpretation.name,
            runs=_outputs([(_expectation(step, number), step) for step in check.steps]),
            nan_payloads_may_differ=interpretation.nan_payloads_may_differ,
        )
        for number, interpretation in enumerate(expectation.interpretations)
    ]


def _expectation(step: Case, interpretation: int) -> Expectation:
    """The expectation of a step under one interpretation; a form can have steps that are not disputed."""
    expectation = step.expectation
    return expectation.interpretations[interpretation].expectation if isinstance(expectation, Disputed) else expectation


def _outputs(steps: Sequence[tuple[Expectation, Case]]) -> list[tuple[Tensor, ...]] | None:
    if any(isinstance(expectation, Rejection) for expectation, _ in steps):
        return None
    return [expected_outputs(expectation, step) for expectation, step in steps]


def _about(check: Check) -> list[str]:
    """Paragraphs with the call, its expectation, and the reasons."""
    case, operator = check.case, check.case.operator
    paragraphs = [
        f"Call: {call_text(operator.id, call_entry(check))}",
        f"Form: {check.form.value}.",
        _expectation_line(case),
    ]
    named = [case.expectation.clause] if isinstance(case.expectation, Rejection) else list(case.clauses)
    paragraphs += [
        f"Why ({clause.section}): {clause.says}" for clause in map(operator.clauses.get, named) if clause is not None
    ]
    if isinstance(case.expectation, Disputed):
        paragraphs += [
            f"Interpretation {entry.name!r}: {entry.reason}{f' See {entry.thread}' if entry.thread else ''}"
            for entry in case.expectation.interpretations
        ]
    pages = [f"Page: {source.title}, {source.url}" for source in operator.sources if source.url]
    return [*paragraphs, *pages[:1]]


def _expectation_line(case: Case) -> str:
    match case.expectation:
        case Rejection():
            return REJECTION
        case Disputed(interpretations=interpretations):
            return f"Expected: one of the interpretations {', '.join(repr(entry.name) for entry in interpretations)}."
        case Parts() | Elements() | Lawful() | Literals():
            return OUTPUTS
        case _:
            assert_never(case.expectation)
