from __future__ import annotations

from collections.abc import Sequence

import pytest
from gallery import HOSTILE

from conformance.protocol.form import Form
from conformance.spec.case import Case, Disputed, Literals, Parts, Rejection, expected_outputs
from conformance.spec.check import Check, forms_of
from conformance.spec.operator import Operator, Role
from conformance.suite.case_file import families_from_document
from conformance.suite.operator_file import operators_from_document
from conformance.suite.yaml_file import document_from_bytes, read_document
from conformance.tensors.tensor import array_from_tensor


@pytest.fixture(scope="module")
def operators() -> tuple[Operator, ...]:
    return operators_from_document(read_document(HOSTILE / "operator.yaml", "operator.yaml"))


def cases_of_text(text: str, operators: Sequence[Operator]) -> list[Case]:
    document = document_from_bytes(f"operator: onnx.Split\ncases:\n{text}".encode(), "cases.yaml")
    return [case for family in families_from_document(document, operators) for case in family.cases()]


def test_second_call_of_a_case_with_many_dims_stays_small(operators: Sequence[Operator]) -> None:
    ones = ", ".join(["1"] * 40)
    (case,) = cases_of_text(
        f"""
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {{input: {{dtype: float32, shape: [{ones}]}}, split: [1]}}
    outputs: ["0:1"]""",
        operators,
    )
    assert Form.SECOND_CALL in forms_of(case)
    assert Check(case, Form.SECOND_CALL).request.nbytes < 1000


def test_one_case_serves_versions_that_take_an_argument_in_different_roles(operators: Sequence[Operator]) -> None:
    cases = cases_of_text(
        """
  - id: a
    clauses: [split.lengths]
    arguments: {split: [2, 4], input: {dtype: float32, shape: [6]}}
    outputs: ["0:2", "2:6"]""",
        operators,
    )
    roles = [{argument.name: argument.role for argument in case.arguments} for case in cases]
    assert [case.operator.version for case in cases] == [11, 13, 18]
    assert [role["split"] for role in roles] == [Role.ATTRIBUTE, Role.INPUT, Role.INPUT]
    assert [list(role) for role in roles] == [["input", "split"]] * 3


def test_two_dollar_signs_stand_for_one(operators: Sequence[Operator]) -> None:
    (case,) = cases_of_text(
        """
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {input: {dtype: string, values: ["$$x", "a$"]}, split: [2]}
    outputs: ["0:2"]""",
        operators,
    )
    assert case.data is not None
    assert array_from_tensor(case.data.tensor()).tolist() == ["$x", "a$"]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ('["0:2", "2:6"]', ((0, 2), (2, 6))),
        ('["0:6/2"]', ((0, 2), (2, 4), (4, 6))),
        ('["0:2", "2:2", "2:6/4"]', ((0, 2), (2, 2), (2, 6))),
        ('["3:3/1"]', ()),
        ("[]", ()),
    ],
)
def test_bounds_are_read_as_written(
    text: str, bounds: tuple[tuple[int, int], ...], operators: Sequence[Operator]
) -> None:
    (case,) = cases_of_text(
        f"""
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {{input: {{dtype: float32, shape: [6]}}, split: [6]}}
    declared_outputs: 1
    outputs: {text}""",
        operators,
    )
    assert case.expectation == Parts(bounds)


def test_literal_outputs_take_the_type_of_the_data(operators: Sequence[Operator]) -> None:
    (case,) = cases_of_text(
        """
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {input: {dtype: int8, shape: [3]}, split: [1, 2]}
    outputs: [[0], {dtype: uint8, bits: [0x01, 0xff]}]""",
        operators,
    )
    assert isinstance(case.expectation, Literals)
    first, second = expected_outputs(case.expectation, case)
    assert (first.dtype, bytes(first.data)) == ("int8", b"\0")
    assert (second.dtype, bytes(second.data)) == ("uint8", b"\x01\xff")


def test_disputed_case_names_its_readings(operators: Sequence[Operator]) -> None:
    (case,) = cases_of_text(
        """
  - id: a
    versions: "==18"
    clauses: [split.sum]
    arguments: {input: {dtype: float32, shape: [6]}, split: [2, 2]}
    disputed:
      strict: {reason: the sum, rejected: split.sum}
      loose: {reason: no bound, thread: "https://example.org/1", outputs: ["0:2", "2:4"], nan_payloads: any}""",
        operators,
    )
    assert isinstance(case.expectation, Disputed)
    strict, loose = case.expectation.interpretations
    assert (strict.name, strict.expectation) == ("strict", Rejection("split.sum"))
    assert (loose.name, loose.expectation, loose.thread) == ("loose", Parts(((0, 2), (2, 4))), "https://example.org/1")
    assert loose.nan_payloads_may_differ
    assert not strict.nan_payloads_may_differ


@pytest.mark.parametrize(
    ("rest", "count"),
    [
        ("split: [1, 2, 3], num_outputs: 2", 3),
        ("num_outputs: 2", 2),
        ("split: {dtype: float32, values: [1, 2]}", 2),
    ],
)
def test_declared_outputs_follow_from_the_arguments_of_an_invalid_case(
    rest: str, count: int, operators: Sequence[Operator]
) -> None:
    (case,) = cases_of_text(
        f"""
  - id: a
    versions: "==18"
    clauses: [split.sum]
    arguments: {{input: {{dtype: float32, shape: [7]}}, {rest}}}
    rejected: split.sum""",
        operators,
    )
    assert case.declared_outputs == count


OPENVINO_OPERATOR = """
operator: openvino.Reshape
about: Another shape.
sources: [{title: a page}]
versions: [1]
data: data
arguments:
  data: [{as: input, types: T}]
  special_zero: [{as: attribute}]
types:
  T: [{dtypes: [float32]}]
clauses:
  outputs.shape: {kind: shape, section: Outputs, says: The output has a shape.}
"""


def test_attribute_of_an_openvino_operator_may_be_a_truth_value() -> None:
    operators = operators_from_document(document_from_bytes(OPENVINO_OPERATOR.encode(), "operator.yaml"))
    text = """operator: openvino.Reshape
cases:
  - id: a
    clauses: [outputs.shape]
    arguments: {data: {dtype: float32, shape: [6]}, special_zero: true}
    outputs: [{block: {shape: [6]}}]"""
    document = document_from_bytes(text.encode(), "cases.yaml")
    (case,) = (case for family in families_from_document(document, operators) for case in family.cases())
    assert [argument.value for argument in case.arguments if argument.role is Role.ATTRIBUTE] == [True]
