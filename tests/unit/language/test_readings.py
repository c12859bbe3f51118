"""What pages leave open: every bundled disputed case is inside an open point, and its readings are known."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.border.form import Form
from conformance.formats.suite import bundled_folder, load_suite
from conformance.language.case import (
    Case,
    Disputed,
    Interpretation,
    Rejection,
    call_arguments,
    expected_outputs,
)
from conformance.language.readings import CallAnswer, answers_of, open_points_of

WITH_OTHER_NODES = {Form.AFTER_RELU, Form.UNNAMED_OUTPUTS}
"""Forms whose disputes are about nodes and names of a model, not about the call."""


def is_about_the_call(case: Case) -> bool:
    """Whether another reading gives other outputs, and not only other NaNs."""
    assert isinstance(case.expectation, Disputed)
    are_numbers = not any(one.nan_payloads_may_differ for one in case.expectation.interpretations)
    return are_numbers and not set(case.forms) & WITH_OTHER_NODES and case.operator.dialect == "onnx"


@cache
def disputed_cases() -> tuple[Case, ...]:
    families = load_suite(bundled_folder("cases")).families
    cases = [case for family in families if family.entry.disputed for case in family.cases()]
    return tuple(case for case in cases if is_about_the_call(case))


def answers(case: Case) -> list[CallAnswer]:
    return answers_of(case.operator, call_arguments(case), case.declared_outputs)


def is_known(reading: Interpretation, case: Case) -> bool:
    """Whether an interpretation of a case is among the answers of its call."""
    if isinstance(reading.expectation, Rejection):
        return any(answer.broken_clause == reading.expectation.clause for answer in answers(case))
    return expected_outputs(reading.expectation, case) in [a.outputs for a in answers(case) if not a.broken_clause]


@pytest.mark.parametrize("case", disputed_cases(), ids=lambda case: case.id)
def test_a_disputed_call_has_all_its_answers(case: Case) -> None:
    assert isinstance(case.expectation, Disputed)
    assert len(answers(case)) > 1
    unknown = [reading.name for reading in case.expectation.interpretations if not is_known(reading, case)]
    assert unknown == []


def test_a_definite_case_has_one_kind_of_answer() -> None:
    """A call that must be rejected has no reading with outputs, and one with outputs has no other reading."""
    families = [family for family in load_suite(bundled_folder("cases")).families if not family.memory]
    cases = (case for family in families if not family.entry.disputed for case in family.cases())
    small = (
        case for case in cases if case.operator.dialect == "onnx" and (not case.data or case.data.nbytes < 1 << 20)
    )
    for case in small:
        if open_points_of(case.operator, call_arguments(case), case.declared_outputs):
            found = answers(case)
            assert len(found) == 1 or all(answer.broken_clause for answer in found), case.id
