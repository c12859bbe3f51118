from __future__ import annotations

from dataclasses import replace

from conformance.adapter import Description
from conformance.formats.suite import bundled_folder, load_suite
from conformance.spec.case import Rejection
from conformance.spec.form import Form
from conformance.vendor.adapter_check.requests import RequestedChecks, requests_of

SUITE = load_suite(bundled_folder("cases"), ["onnx.Split", "onnx.Concat"])
TOY = Description(
    framework="toy", version="1", operators=("onnx.Split-11", "onnx.Split-13"), forms=("constant", "dynamic", "strided")
)


def requested(**changes: object) -> RequestedChecks:
    return requests_of(SUITE, replace(TOY, **changes))  # type: ignore[arg-type]


def test_only_declared_operators_and_forms_are_sent_as_declared() -> None:
    declared = requested().declared
    assert {check.case.operator.id for check in declared} == {"onnx.Split-11", "onnx.Split-13"}
    assert {check.form for check in declared} <= {Form.CONSTANT, Form.DYNAMIC, Form.STRIDED}


def test_the_newest_version_runs_in_all_forms_and_older_ones_in_the_first() -> None:
    forms = {
        name: {check.form for check in requested().declared if check.case.operator.id == name} for name in TOY.operators
    }
    assert forms == {"onnx.Split-11": {Form.CONSTANT}, "onnx.Split-13": {Form.CONSTANT, Form.DYNAMIC, Form.STRIDED}}


def test_every_type_of_the_page_is_sent_once_at_least() -> None:
    newest = next(operator for operator in SUITE.operators if operator.id == "onnx.Split-13")
    sent = {
        check.case.data.dtype for check in requested().declared if check.case.data and check.case.operator == newest
    }
    assert sent >= set(newest.data_dtypes)


def test_types_that_the_adapter_does_not_declare_are_sent_as_undeclared() -> None:
    found = requested(dtypes=("float32",))
    assert {check.case.data.dtype for check in found.declared if check.case.data} == {"float32"}
    others = {check.case.data.dtype for check in found.undeclared if check.case.data}
    assert "float64" in others
    assert {check.form for check in found.undeclared} == {Form.CONSTANT}


def test_an_operator_without_a_declared_version_is_sent_once_in_its_newest() -> None:
    others = [check for check in requested().undeclared if check.case.operator.name == "Concat"]
    assert [check.case.operator.id for check in others] == ["onnx.Concat-13"]


def test_invalid_calls_are_small_and_there_is_one_of_each_clause() -> None:
    newest = [check for check in requested().declared if check.case.operator.id == "onnx.Split-13"]
    clauses = [check.case.expectation.clause for check in newest if isinstance(check.case.expectation, Rejection)]
    assert len(clauses) == len(set(clauses)) > 5
