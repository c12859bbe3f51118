"""A call that a page leaves open is not clear, and what written cases dispute is open for made calls, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.spec.broken_clause import UncoveredCallError
from conformance.spec.case import Case, Disputed, call_arguments
from conformance.spec.check import forms_of
from conformance.spec.making.clear_case import clear_case, has_form, is_clear, is_open
from conformance.spec.operator import OpenCalls
from conformance.spec.readings import answers_of
from conformance.spec.reference import OPERATORS
from conformance.suite.suite import bundled_folder, load_suite

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
FEATURES = {"dtype": "int8", "rank": "3", "dims": "unequal", "values": "distinct", "perm": "reversed"}
LARGEST = 1 << 24
WRITTEN_ALONE = ("negative-zeros-behind-a-relu", "place-named-twice")
"""Disputed cases of calls that are not made: of a Relu, and of indices that name a place twice."""


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
    assert not is_open(case, Form.CONSTANT)
    assert is_open(case, Form.DYNAMIC)
    assert [has_form(case, form) for form in (Form.CONSTANT, Form.DYNAMIC)] == [True, False]


def test_a_call_that_the_page_forbids_is_not_clear() -> None:
    case = made()
    assert case is not None
    assert not is_clear(case.with_value("perm", [0, 0, 1]))


def disputed_cases() -> Iterator[tuple[str, Case]]:
    """The disputed cases that are not about NaN payloads, with the id of their family."""
    for family in load_suite(bundled_folder("cases")).families:
        for case in family.cases() if family.entry.disputed and family.operator.id in OPERATORS else ():
            assert isinstance(case.expectation, Disputed)
            is_of_nans = any(one.nan_payloads_may_differ for one in case.expectation.interpretations)
            if not is_of_nans and (case.data is None or case.data.nbytes <= LARGEST):
                yield family.entry.id, case


def is_open_by_a_rule(case: Case) -> bool:
    try:
        answers = answers_of(case.operator, call_arguments(case), case.declared_outputs)
    except UncoveredCallError:
        return True
    return len(answers) > 1 or all(is_open(case, form) for form in forms_of(case))


def test_what_a_written_case_disputes_is_open_by_a_reading_or_by_the_description_of_its_operator() -> None:
    cases = list(disputed_cases())
    clear = {(family, case.id) for family, case in cases if not is_open_by_a_rule(case)}
    assert len(cases) > 100
    assert {family for family, _ in clear} == set(WRITTEN_ALONE), sorted(clear)
