"""A recorded deviation, as tests of several modules need one."""

from __future__ import annotations

from datetime import date
from typing import Any

from conformance.judge.deviation import Conditions, Deviation, DeviationKind
from conformance.spec.verdict import Verdict

_ENTRY = Deviation(
    id="toy-1",
    kind=DeviationKind.PLAIN,
    where=Conditions(versions=">=1"),
    operators=("*",),
    when="True",
    verdict=(Verdict.WRONG_RESULT,),
    values=("outputs reversed",),
    what="the outputs come in reverse order",
    why="they were written from the end",
    upstream="",
    since=date(2026, 11, 21),
    review=date(2027, 2, 1),
    reproducer="last.py",
)


def entry(**changes: Any) -> Deviation:
    """An entry about outputs in reverse order, with changes."""
    return _ENTRY.model_copy(update=changes)
