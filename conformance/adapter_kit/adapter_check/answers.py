"""How the probes read answers: which requests were valid, and which outputs are correct."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.border.outcome import Outcome, Produced
from conformance.judging.judge import acceptance_of, differences_of
from conformance.language.case import ExpectedOutputs, Rejection, expected_outputs
from conformance.language.check import Check
from conformance.values.tensor import outputs_digest


@dataclass(frozen=True, slots=True)
class AnsweredCheck:
    """A check and its outcome."""

    check: Check
    outcome: Outcome

    def __str__(self) -> str:
        """The case id and the form, by which a reader can run the check again."""
        return f"{self.check.case.id} ({self.check.form.value})"

    @property
    def dtype(self) -> str:
        """The type of the data; empty if the call has none."""
        data = self.check.case.data
        return "" if data is None else data.dtype

    @property
    def is_valid(self) -> bool:
        """Whether the case expects outputs."""
        return isinstance(self.check.case.expectation, ExpectedOutputs)

    @property
    def broken_clause(self) -> str:
        """The clause that requires a rejection; empty if none does."""
        expectation = self.check.case.expectation
        return expectation.clause if isinstance(expectation, Rejection) else ""


def produced(answers: Iterable[AnsweredCheck]) -> list[tuple[AnsweredCheck, Produced]]:
    """The answers that have outputs."""
    return [(item, item.outcome) for item in answers if isinstance(item.outcome, Produced)]


def digests(outcome: Produced) -> list[str]:
    """The digest of the outputs of each run."""
    return [outputs_digest([run]) for run in outcome.runs]


def right_runs(item: AnsweredCheck, outcome: Produced) -> list[bool]:
    """For each run of a valid request, whether its outputs are accepted."""
    return [
        not differences_of(acceptance_of(step), expected_outputs(step.expectation, step), actual, 0)
        for step, actual in zip(item.check.steps, outcome.runs, strict=False)
    ]
