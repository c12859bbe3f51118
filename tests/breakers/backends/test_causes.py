"""A fault has one name in every form in which it shows, whatever calls stand around the one that went wrong."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import pytest
from families import mutant_named
from hunt import all_checks, outcomes

from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.spec.case import Parts
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.fill import Fill

pytestmark = pytest.mark.slow

BOUNDARY, STALE = "boundary off by one", "stale values of an earlier call"
OVERWRITTEN = "overwritten by a later call"
ALL = frozenset(Form) - {Form.UNNAMED_OUTPUTS, Form.AS_IN_THE_MODEL}  # disputed cases; none of ours
LATER = frozenset({Form.SAME_CALL_TWICE, Form.SECOND_CALL, Form.SECOND_RANK, Form.SECOND_ARGUMENTS})
CHECKS_OF_A_FORM = 12

# mutant, the cause that each form has to name, the forms in which it shows
CAUSES = [
    ("last_element_is_lost", BOUNDARY, ALL),
    ("parts_overlap", BOUNDARY, ALL),
    ("boundary_is_one_late", BOUNDARY, ALL - {Form.BEFORE_CONCAT}),  # a Concat mends it
    ("outputs_of_a_model_are_kept", STALE, LATER | {Form.AFTER_RELU, Form.BEFORE_CONCAT}),
    ("outputs_share_memory_with_the_next_run", OVERWRITTEN, {Form.AFTER_RELU}),
]


@cache
def clear_checks() -> tuple[Check, ...]:
    """Some of every form whose outputs tell by their elements from where they are: several, and all different."""
    found: dict[Form, list[Check]] = defaultdict(list)
    for check in all_checks(mutant_named("Split.none").family):
        data = check.case.data
        # Of float64, an element and its neighbour can be the same in 32 bits, which is another cause for one element.
        if data is None or data.dtype in ("bool", "float64") or not isinstance(check.case.expectation, Parts):
            continue
        if data.fill is Fill.DISTINCT and data.data is None and math.prod(data.shape) >= 6:
            found[check.form].append(check)
    return tuple(check for checks in found.values() for check in checks[:CHECKS_OF_A_FORM])


@pytest.mark.parametrize(("mutant", "cause", "forms"), CAUSES, ids=[name for name, *_ in CAUSES])
def test_a_fault_has_the_same_cause_in_every_form(mutant: str, cause: str, forms: frozenset[Form]) -> None:
    causes: dict[Form, set[str]] = defaultdict(set)
    for check, outcome in outcomes(mutant_named(f"Split.{mutant}"), clear_checks()):
        record = record_of(check, mutant, outcome, ())
        if record.verdict is Verdict.WRONG_RESULT:
            causes[check.form].add(record.cause)
    assert causes == {form: {cause} for form in forms}
