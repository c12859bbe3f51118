from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.authoring.lint import check_suite
from conformance.spec.operator import Operator
from conformance.suite.case_file import families_from_document
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import Suite, bundled_folder
from conformance.suite.yaml_file import document_from_bytes, read_document
from conformance.tensors.errors import CaseFileError

pytestmark = pytest.mark.slow

WORDS = st.sampled_from(
    ["id", "versions", "clauses", "arguments", "matrix", "outputs", "rejected", "disputed", "input", "axis", "split",
     "dtype", "shape", "fill", "values", "bits", "reason", "$dtype", "$n.x", "$", "float32", "int4", "string", "all",
     "T", "0:2", "2:6", "0:6/2", ">=13", "split.sum", "onnx.Split", "a", "", "special", "1-2j"]
)  # fmt: skip
SCALARS = st.one_of(
    WORDS, st.integers(-3, 9), st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=8
)
TENSOR = st.fixed_dictionaries(
    {"dtype": WORDS | st.sampled_from(["float32", "int8", "string"])},
    optional={"shape": VALUES, "fill": VALUES, "values": VALUES, "bits": VALUES},
)
EXPECTED = st.one_of(
    st.fixed_dictionaries({"outputs": VALUES | st.lists(WORDS, max_size=3)}),
    st.fixed_dictionaries({"rejected": st.sampled_from(["split.sum", "axis.range", "nonsense"])}),
    st.fixed_dictionaries({"disputed": VALUES}),
)
CASE = st.builds(
    lambda case, expected: case | expected,
    st.fixed_dictionaries(
        {"id": st.just("a"), "clauses": st.just(["split.sum"]),
         "arguments": st.fixed_dictionaries({}, optional={"input": TENSOR | VALUES, "axis": VALUES, "split": VALUES,
                                                          "num_outputs": VALUES})},
        optional={"matrix": st.dictionaries(st.sampled_from(["dtype", "n", "x.y"]), VALUES, max_size=2),
                  "declared_outputs": VALUES, "versions": WORDS},
    ),
    EXPECTED,
)  # fmt: skip


@cache
def operators() -> Sequence[Operator]:
    path = bundled_folder("cases") / "onnx" / "Split" / "operator.yaml"
    return operators_from_document(read_document(path, "operator.yaml"))


def all_problems(data: bytes) -> list[BaseException]:
    """What reading and checking a file says; anything but a list of problems is a fault of the reader."""
    try:
        families = families_from_document(document_from_bytes(data, "f.yaml"), operators())
    except ExceptionGroup as group:
        return list(group.exceptions)
    root = bundled_folder("cases")
    return list(check_suite(Suite(root=root, digest="", operators=(), families=families))[1])


@settings(max_examples=60)
@given(CASE)
def test_any_case_is_read_or_refused_with_what_is_wrong(case: dict[str, object]) -> None:
    problems = all_problems(yaml.safe_dump({"operator": "onnx.Split", "cases": [case]}).encode())
    assert all(isinstance(problem, CaseFileError) for problem in problems)
    assert all(str(problem).startswith("f.yaml:") for problem in problems)


@given(VALUES)
def test_any_yaml_is_read_or_refused_with_what_is_wrong(value: object) -> None:
    problems = all_problems(yaml.safe_dump(value).encode())
    assert problems
    assert all(isinstance(problem, CaseFileError) for problem in problems)


@given(st.binary(max_size=60) | st.text("[]{}:,-&*!?|>'\"%@`#\n \tab0.", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_with_what_is_wrong(data: bytes) -> None:
    problems = all_problems(data)
    assert problems
    assert all(isinstance(problem, CaseFileError) for problem in problems)
    assert all(str(problem).startswith("f.yaml") for problem in problems)
