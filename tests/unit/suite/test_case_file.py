from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from gallery import HOSTILE

from conformance.authoring.lint import check_suite
from conformance.spec.case import Case
from conformance.spec.operator import Operator
from conformance.suite.case_file import families_from_document
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import document_from_bytes, read_document


@pytest.fixture(scope="module")
def operators() -> tuple[Operator, ...]:
    return operators_from_document(read_document(HOSTILE / "operator.yaml", "operator.yaml"))


def cases_of_text(text: str, operators: Sequence[Operator]) -> list[Case]:
    document = document_from_bytes(f"operator: onnx.Split\ncases:\n{text}".encode(), "cases.yaml")
    return [case for family in families_from_document(document, operators) for case in family.cases()]


def problems_of(path: Path, operators: Sequence[Operator]) -> str:
    """Everything that the linter says about one file, as a user reads it."""
    try:
        families = families_from_document(read_document(path, path.name), operators)
    except ExceptionGroup as group:
        return "".join(f"{problem}\n" for problem in group.exceptions)
    suite = Suite(root=path.parent, digest="", operators=(), families=families)
    return "".join(f"{problem}\n" for problem in check_suite(suite)[1])


@pytest.mark.parametrize("path", sorted((HOSTILE / "cases").glob("*.yaml")), ids=lambda path: path.stem)
def test_hostile_or_careless_file_gets_complete_messages(path: Path, operators: Sequence[Operator]) -> None:
    assert problems_of(path, operators) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "limit_mib"),
    [
        ("alias-bomb", 2),
        ("deep-nesting", 2),
        ("huge-numbers", 2),
        ("matrix-explosion", 2),
        ("too-large", 2),
        ("too-many-outputs", 16),  # 65,536 outputs are allowed, and listed before the next one is refused
    ],
)
def test_nothing_large_is_allocated_for_a_hostile_file(
    name: str, limit_mib: int, operators: Sequence[Operator]
) -> None:
    path = HOSTILE / "cases" / f"{name}.yaml"
    problems_of(path, operators)
    tracemalloc.start()
    try:
        assert problems_of(path, operators)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < limit_mib << 20


def test_matrix_makes_one_case_for_each_combination_in_the_order_written(operators: Sequence[Operator]) -> None:
    cases = cases_of_text(
        """
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {input: {dtype: $dtype, shape: $cut.shape}, axis: $cut.axis, split: [2, 4]}
    matrix: {dtype: [float32, int8], cut: {row: {shape: [2, 6], axis: 1}, column: {shape: [6, 2], axis: 0}}}
    outputs: ["0:2", "2:6"]""",
        operators,
    )
    assert [case.id for case in cases] == [
        "onnx.Split-18/a[dtype=float32,cut=row]",
        "onnx.Split-18/a[dtype=float32,cut=column]",
        "onnx.Split-18/a[dtype=int8,cut=row]",
        "onnx.Split-18/a[dtype=int8,cut=column]",
    ]
    assert [(case.split_axis, case.data and case.data.shape) for case in cases] == [(1, (2, 6)), (0, (6, 2))] * 2


def test_all_stands_for_the_types_of_the_version(operators: Sequence[Operator]) -> None:
    cases = cases_of_text(
        """
  - id: a
    versions: "==13"
    clauses: [split.lengths]
    arguments: {input: {dtype: $dtype, shape: [6]}, split: [6]}
    matrix: {dtype: all}
    outputs: ["0:6"]""",
        operators,
    )
    dtypes = ["float32", "float64", "int8", "bool", "string"]
    assert [case.id for case in cases] == [f"onnx.Split-13/a[dtype={dtype}]" for dtype in dtypes]


def test_where_is_file_and_line(operators: Sequence[Operator]) -> None:
    cases = cases_of_text(
        """
  - id: a
    versions: "==18"
    clauses: [split.lengths]
    arguments: {input: {dtype: float32, shape: [6]}, split: [6]}
    outputs: ["0:6"]
  - {id: b, versions: "==18", clauses: [split.lengths], arguments: {input: 1, split: [6]}, outputs: ["0:6"]}""",
        operators,
    )
    assert [case.where for case in cases] == ["cases.yaml:4", "cases.yaml:9"]
