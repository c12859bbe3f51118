from __future__ import annotations

from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.protocol.form import Form
from conformance.spec.operator import OpenCalls, Role
from conformance.suite.operator_file import applies_to, operators_from_document
from conformance.suite.yaml_file import document_from_bytes, read_document


@pytest.mark.parametrize("path", sorted((HOSTILE / "operators").glob("*.yaml")), ids=lambda path: path.stem)
def test_careless_file_gets_complete_messages(path: Path) -> None:
    with pytest.raises(ExceptionGroup) as caught:
        operators_from_document(read_document(path, path.name))
    printed = "".join(f"{problem}\n" for problem in caught.value.exceptions)
    assert printed == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_versions_come_oldest_first_each_with_its_own_signature() -> None:
    operators = operators_from_document(read_document(HOSTILE / "operator.yaml", "operator.yaml"))
    assert [operator.id for operator in operators] == ["onnx.Split-11", "onnx.Split-13", "onnx.Split-18"]
    roles = [[parameter.role for parameter in operator.parameters_named("split")] for operator in operators]
    assert roles == [[Role.ATTRIBUTE], [Role.INPUT], [Role.INPUT]]
    assert [bool(operator.parameters_named("num_outputs")) for operator in operators] == [False, False, True]
    assert [sorted(operator.clauses) for operator in operators] == [
        ["axis.range", "split.lengths"],
        ["axis.range", "split.lengths", "split.sum"],
        ["axis.range", "num_outputs.uneven", "split.lengths", "split.sum"],
    ]


def test_inputs_come_in_the_order_of_the_page() -> None:
    operators = operators_from_document(read_document(HOSTILE / "operator.yaml", "operator.yaml"))
    assert [[parameter.name for parameter in operator.inputs] for operator in operators] == [
        ["input"],
        ["input", "split"],
        ["input", "split"],
    ]


def test_types_of_the_data_are_those_of_its_constraint() -> None:
    (operator, *_) = operators_from_document(read_document(HOSTILE / "operator.yaml", "operator.yaml"))
    assert operator.data_dtypes == ("float32", "float64", "int8", "bool", "string")


@pytest.mark.parametrize(
    ("versions", "held"),
    [(">=2", [2, 11, 13]), (">=2,<13", [2, 11]), ("==1", [1]), ("!=11", [1, 2, 13]), (">=0", [1, 2, 11, 13])],
)
def test_range_holds_versions(versions: str, held: list[int]) -> None:
    assert [version for version in (1, 2, 11, 13) if applies_to(versions, version)] == held


def test_open_calls_are_those_of_the_versions_that_they_name() -> None:
    text = (
        (HOSTILE / "operator.yaml").read_text()
        + """
open:
  - {versions: "<18", when: axis < 0, forms: [dynamic], says: From which end an axis counts.}
  - {when: rank(data) == 0, says: What a scalar is split into.}
"""
    )
    found = [operator.open for operator in operators_from_document(document_from_bytes(text.encode(), "operator.yaml"))]
    axis = OpenCalls(when="axis < 0", forms=(Form.DYNAMIC,), says="From which end an axis counts.")
    scalar = OpenCalls(when="rank(data) == 0", says="What a scalar is split into.")
    assert found == [(axis, scalar), (axis, scalar), (scalar,)]
