from __future__ import annotations

from dataclasses import replace

import pytest
from bundled import cases_of_operators

from conformance.adapter import Description
from conformance.adapter_kit.interview import declared_checks, returns_special_data, undeclared_checks
from conformance.protocol.form import Form
from conformance.spec.case import Rejection
from conformance.spec.check import Check
from conformance.suite.suite import Suite

TOY = Description(
    framework="toy", version="1", operators=("onnx.Split-11", "onnx.Split-13"), forms=("constant", "dynamic", "strided")
)


def suite() -> Suite:
    return cases_of_operators("onnx.Split", "onnx.Concat")


@pytest.fixture(scope="module")
def declared() -> list[Check]:
    return declared_checks(suite(), TOY)


def test_only_declared_operators_and_forms_are_sent_as_declared(declared: list[Check]) -> None:
    assert {check.case.operator.id for check in declared} == {"onnx.Split-11", "onnx.Split-13"}
    assert {check.form for check in declared} <= {Form.CONSTANT, Form.DYNAMIC, Form.STRIDED}


def test_the_newest_version_runs_in_all_forms_and_older_ones_in_the_first(declared: list[Check]) -> None:
    forms = {name: {check.form for check in declared if check.case.operator.id == name} for name in TOY.operators}
    assert forms == {"onnx.Split-11": {Form.CONSTANT}, "onnx.Split-13": {Form.CONSTANT, Form.DYNAMIC, Form.STRIDED}}


def test_every_type_of_the_page_is_sent_once_at_least(declared: list[Check]) -> None:
    newest = next(operator for operator in suite().operators if operator.id == "onnx.Split-13")
    sent = {check.case.data.dtype for check in declared if check.case.data and check.case.operator == newest}
    assert sent >= set(newest.data_dtypes)


def test_types_that_the_adapter_does_not_declare_are_sent_as_undeclared() -> None:
    narrow = replace(TOY, dtypes=("float32",))
    undeclared = undeclared_checks(suite(), narrow)
    assert {check.case.data.dtype for check in declared_checks(suite(), narrow) if check.case.data} == {"float32"}
    others = {check.case.data.dtype for check in undeclared if check.case.data and check.case.operator.name == "Split"}
    assert "float64" in others
    assert "float32" not in others
    assert {check.form for check in undeclared} == {Form.CONSTANT}


def test_an_operator_without_a_declared_version_is_sent_once_in_its_newest() -> None:
    others = [check for check in undeclared_checks(suite(), TOY) if check.case.operator.name == "Concat"]
    assert [check.case.operator.id for check in others] == ["onnx.Concat-13"]


def test_invalid_calls_are_small_and_there_is_one_of_each_clause(declared: list[Check]) -> None:
    newest = [check for check in declared if check.case.operator.id == "onnx.Split-13"]
    clauses = [check.case.expectation.clause for check in newest if isinstance(check.case.expectation, Rejection)]
    assert len(clauses) == len(set(clauses)) > 5


def test_each_type_has_a_call_that_returns_its_data_with_special_values(declared: list[Check]) -> None:
    sent = [check.case for check in declared if returns_special_data(check.case)]
    special = {case.data.dtype for case in sent if case.data}
    newest = next(operator for operator in suite().operators if operator.id == "onnx.Split-13")
    assert special >= set(newest.data_dtypes)


def test_each_operator_comes_first_once(declared: list[Check]) -> None:
    assert {check.case.operator.id for check in declared[:2]} == {"onnx.Split-11", "onnx.Split-13"}


def test_some_sixty_calls_of_an_operator_are_enough() -> None:
    everything = replace(TOY, operators=("*",), forms=tuple(form.value for form in Form))
    assert len(declared_checks(suite(), everything)) < 60 * len(suite().operators)
