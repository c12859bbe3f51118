"""A call that a page forbids or leaves open is not clear."""

from __future__ import annotations

from dataclasses import replace

from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.spec.case import Case
from conformance.spec.making.clear_case import clear_case, has_form, is_clear, left_open
from conformance.spec.operator import OpenCalls

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
FEATURES = {"dtype": "int8", "rank": "3", "dims": "unequal", "values": "distinct", "perm": "reversed"}


def made(**open_calls: tuple[OpenCalls, ...]) -> Case | None:
    return clear_case(replace(TRANSPOSE, **open_calls), FEATURES, 1)  # type: ignore[arg-type]


def test_a_call_that_the_description_of_the_operator_leaves_open_is_not_clear() -> None:
    assert made(open=()) is not None
    assert made(open=(OpenCalls(when="rank(data) == 3", says="x"),)) is None
    assert made(open=(OpenCalls(when="rank(data) == 2", says="x"),)) is not None


def test_a_call_can_be_open_in_one_form_alone() -> None:
    case = made(open=(OpenCalls(when="rank(data) == 3", forms=(Form.DYNAMIC,), says="x"),))
    assert case is not None
    assert is_clear(case)
    assert not left_open(case, Form.CONSTANT)
    assert left_open(case, Form.DYNAMIC)
    assert [has_form(case, form) for form in (Form.CONSTANT, Form.DYNAMIC)] == [True, False]


def test_a_call_that_the_page_forbids_is_not_clear() -> None:
    case = made()
    assert case is not None
    assert not is_clear(case.with_value("perm", [0, 0, 1]))
