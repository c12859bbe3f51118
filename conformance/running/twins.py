"""Asks for the twins of rejected calls, each once in a form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conformance.border.form import Form
from conformance.border.outcome import Outcome, RejectedOutcome
from conformance.judging.gist import gist
from conformance.judging.twin_answer import TwinAnswer, needs_twin
from conformance.language.case import Argument, Case
from conformance.language.check import Check
from conformance.language.twin import changes_of, twin_of

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
    """The outcome of a twin as a record keeps it, but for the arguments."""
    if not isinstance(outcome, RejectedOutcome):
        return TwinAnswer(outcome=outcome.tag)
    return TwinAnswer(outcome=outcome.tag, stage=outcome.stage, message=gist(outcome.message))
