from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from bundled import cases_of_operators

from conformance.adapter import Description
from conformance.adapter_kit.adapter_check import declared_checks, is_identity, undeclared_checks
from conformance.protocol.form import Form
from conformance.spec.check import Check
from conformance.suite.suite import Suite
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill

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
    forms = {name: {check.form for check in declared if check.case.operator.id == name} for name in TOY.operators}
    assert forms == {name: {Form.CONSTANT, Form.DYNAMIC, Form.STRIDED} for name in TOY.operators}


def test_each_type_has_calls_that_return_its_data_with_special_values(declared: list[Check]) -> None:
    newest = next(operator for operator in suite().operators if operator.id == "onnx.Split-13")
    of_newest = [check.case.data for check in declared if check.case.operator == newest and is_identity(check.case)]
    assert {data.dtype for data in of_newest if data and data.fill is Fill.SPECIAL} == {*newest.data_dtypes}


def test_types_that_the_adapter_does_not_declare_are_sent_as_undeclared() -> None:
    narrow = replace(TOY, dtypes=("float32",))
    undeclared = [check for check, name in undeclared_checks(suite(), narrow) if name in DTYPES]
    assert {check.case.data.dtype for check in declared_checks(suite(), narrow) if check.case.data} == {"float32"}
    newest = next(operator for operator in suite().operators if operator.id == "onnx.Split-13")
    others = {check.case.data.dtype for check in undeclared if check.case.data and check.case.operator == newest}
    assert others == {*newest.data_dtypes} - {"float32"}
    assert {check.form for check in undeclared} == {Form.CONSTANT}


def test_an_operator_without_a_declared_version_is_sent_once_in_its_newest() -> None:
    assert [name for _, name in undeclared_checks(suite(), TOY)] == ["onnx.Concat-13"]


def test_nothing_is_sent_in_unknown_forms() -> None:
    assert declared_checks(suite(), replace(TOY, forms=("sideways",))) == []


def test_the_newest_version_has_some_sixty_checks_and_an_older_one_few(
    declared: list[Check],
) -> None:
    counts = Counter(check.case.operator.id for check in declared if " of " not in check.case.id)
    assert 50 < counts["onnx.Split-13"] <= 64
    assert 4 < counts["onnx.Split-11"] <= 8
