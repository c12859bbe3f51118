"""Compares the law of an operator with its reference on generated calls.

Each call is made from random choices of what its arguments can be, and compared if its page allows it and is clear.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.formats.suite import Suite
from conformance.language.case import Case
from conformance.language.law.values import LawError
from conformance.language.making.call import Asked, choices_of
from conformance.language.making.clear_case import can_be_judged, clear_case
from conformance.language.making.setting import Dice
from conformance.language.operator import Operator
from conformance.planning.disagreement import disagreement
from conformance.values.errors import CaseFileError

COMPARED = 60
"""Calls of each operator version that are compared."""
_DRAWN = 4000
"""Calls that are drawn at most to find them: many choices do not fit together, or make no clear call."""
_RARE = ("17 to 255", "more than 255")
"""Numbers of inputs whose calls take long, which written cases have."""


def made_comparisons(suite: Suite, seed: str) -> Iterator[CaseFileError | None]:
    """`comparisons` of the operators of a suite of its own that have both, a law and a reference, and can be made."""
    for operator in suite.operators:
        if can_be_judged(operator) and not suite.borrows(operator):
            where = f"{suite.root.name}/{operator.dialect}/{operator.name}/operator.yaml: law"
            yield from comparisons(operator, where, seed)


def comparisons(operator: Operator, where: str, seed: str = "") -> Iterator[CaseFileError | None]:
    """For each call that is compared, how law and reference contradict each other; `seed` draws other calls."""
    choices = {name: [item for item in known if item not in _RARE] for name, known in choices_of(operator).items()}
    compared, last = 0, dict[str, str]()
    for number in range(_DRAWN):
        dice = Dice(operator.id, seed, number)
        features = {name: dice.one_of(known) for name, known in choices.items()}
        if number % 2:  # most choices of the last call, which fit together
            features |= {name: choice for name, choice in last.items() if dice.number(0, 3)}
        case = clear_case(operator, features, number)
        if case is not None:
            compared, last = compared + 1, features
            yield _contradiction(case, features, where)
        if compared == COMPARED:
            return


def _contradiction(case: Case, features: Asked, where: str) -> CaseFileError | None:
    try:
        found = disagreement(case)
        says = "" if found is None else found.what.replace("is written", "is by law")
    except LawError as error:
        says = f"the law does not hold: {error}"
    if not says:
        return None
    named = ", ".join(f"{name}={choice}" for name, choice in features.items())
    what = f"law and reference of {case.operator.id} disagree on a call with {named}: {says}"
    return CaseFileError(where, what, fix="correct the law in operator.yaml, or the reference")
