"""What pages leave open: every bundled disputed case is inside an open point, and its readings are known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.spec.case import (
    Case,
    Disputed,
    Interpretation,
    Rejection,
    call_arguments,
    expected_outputs,
)
from conformance.spec.readings import CallAnswer, answers_of, open_points_of
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.tensor import Tensor, pack_integers

WITH_OTHER_NODES = {Form.AFTER_RELU, Form.UNNAMED_OUTPUTS}
"""Forms whose disputes are about nodes and names of a model, not about the call."""


def is_about_the_call(case: Case) -> bool:
    """Whether another reading gives other outputs, and not only other NaNs."""
    assert isinstance(case.expectation, Disputed)
    are_numbers = not any(one.nan_payloads_may_differ for one in case.expectation.interpretations)
    return are_numbers and not set(case.forms) & WITH_OTHER_NODES


@cache
def families_of_onnx() -> tuple[CaseFamily, ...]:
    names = {operator.family for operator in bundled_operators().values() if operator.dialect == "onnx"}
    return load_suite(bundled_folder("cases"), names).families


def disputed_cases() -> Iterator[Case]:
    cases = (case for family in families_of_onnx() if family.entry.disputed for case in family.cases())
    return filter(is_about_the_call, cases)


def answers(case: Case) -> list[CallAnswer]:
    return answers_of(case.operator, call_arguments(case), case.declared_outputs)


def is_known(reading: Interpretation, case: Case) -> bool:
    """Whether an interpretation of a case is among the answers of its call."""
    if isinstance(reading.expectation, Rejection):
        return any(answer.broken_clause == reading.expectation.clause for answer in answers(case))
    return expected_outputs(reading.expectation, case) in [a.outputs for a in answers(case) if not a.broken_clause]


def test_a_disputed_call_has_all_its_answers() -> None:
    cases = list(disputed_cases())
    assert len(cases) > 100
    for case in cases:
        assert isinstance(case.expectation, Disputed)
        assert len(answers(case)) > 1, case.id
        unknown = [reading.name for reading in case.expectation.interpretations if not is_known(reading, case)]
        assert unknown == [], case.id


def test_a_definite_case_has_one_kind_of_answer() -> None:
    """A call that must be rejected has no reading with outputs, and one with outputs has no other reading.

    Of each family, the first hundred products are asked.
    """
    families = [family for family in families_of_onnx() if not family.memory and not family.entry.disputed]
    for case in (case for family in families for case in islice(family.cases(), 100)):
        is_small = not case.data or case.data.nbytes < 1 << 20
        if is_small and open_points_of(case.operator, call_arguments(case), case.declared_outputs):
            found = answers(case)
            assert len(found) == 1 or all(answer.broken_clause for answer in found), case.id


def test_an_index_counted_from_the_front_may_need_more_bits_than_its_type_has() -> None:
    data, indices = Tensor("float32", (0, (1 << 32) + 6), b""), pack_integers([-1], "int32", (1,))
    found = answers_of(bundled_operators()["onnx.Gather-1"], {"data": data, "indices": indices, "axis": 1}, 1)
    assert {answer.broken_clause or answer.outputs[0].shape for answer in found} == {(0, 1), "indices.range"}
