from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.authoring.lint import disagreement
from conformance.spec.case import Case
from conformance.suite.case_file import families_from_document
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import bundled_folder
from conformance.suite.yaml_file import document_from_bytes, read_document

OPERATOR = bundled_folder("cases") / "openvino" / "VariadicSplit" / "operator.yaml"


def case(data: str, lengths: str, expectation: str) -> Case:
    text = f"""operator: openvino.VariadicSplit
cases:
  - id: a
    clauses: [outputs.values]
    arguments: {{data: {data}, axis: 0, split_lengths: {lengths}}}
    {expectation}
"""
    operators = operators_from_document(read_document(OPERATOR, "operator.yaml"))
    (family,) = families_from_document(document_from_bytes(text.encode(), "cases.yaml"), operators)
    return next(family.cases())


def test_case_that_the_reference_agrees_with_has_no_disagreement() -> None:
    assert disagreement(case("{dtype: float32, shape: [6]}", "[2, 4]", 'outputs: ["0:2", "2:6"]')) is None
    assert disagreement(case("{dtype: float32, shape: [6]}", "[2, 2]", "rejected: split_lengths.sum")) is None


def without_reference(known: Case) -> Case:
    return replace(known, operator=replace(known.operator, name="Unknown"))


def test_without_a_reference_the_law_alone_is_compared() -> None:
    right = case("{dtype: float32, shape: [6]}", "[2, 4]", 'outputs: ["0:2", "2:6"]')
    assert disagreement(without_reference(right)) is None
    wrong = disagreement(without_reference(case("{dtype: float32, shape: [6]}", "[2, 4]", 'outputs: ["0:3", "3:6"]')))
    assert wrong is not None
    assert wrong.what == "output 0 is written with the shape [3], but the law computes [2]"


def test_a_rejection_needs_a_reference() -> None:
    rejected = case("{dtype: float32, shape: [6]}", "[2, 2]", "rejected: split_lengths.sum")
    with pytest.raises(KeyError):
        disagreement(without_reference(rejected))


@pytest.mark.parametrize(
    ("data", "outputs", "what"),
    [
        (
            "{dtype: float32, values: [[-0.0, 1], [2, 3]]}",
            "[[[0.0, 1]], [[2, 3]]]",
            "output 0 at [0, 0] is written as 0.0, but the reference computes -0.0; 1 of 2 elements differs",
        ),
        (
            "{dtype: bool, values: [true, false]}",
            "[[true], [true]]",
            "output 1 at [0] is written as true, but the reference computes false; 1 of 1 element differs",
        ),
        (
            "{dtype: int4, values: [-8, 7]}",
            "[[-8], [-7]]",
            "output 1 at [0] is written as -7, but the reference computes 7; 1 of 1 element differs",
        ),
        (
            "{dtype: nf4, bits: [1, 2]}",
            "[{dtype: nf4, bits: [1]}, {dtype: nf4, bits: [3]}]",
            "output 1 at [0] is written as 0x03, but the reference computes 0x02; 1 of 1 element differs",
        ),
        (
            '{dtype: complex64, values: ["1+2j", "3"]}',
            '[["1-2j"], ["3"]]',
            "output 0 at [0] is written as (1-2j), but the reference computes (1+2j); 1 of 1 element differs",
        ),
    ],
)
def test_first_element_that_differs_is_named_with_both_values(data: str, outputs: str, what: str) -> None:
    found = disagreement(case(data, "[1, 1]", f"outputs: {outputs}"))
    assert found is not None
    assert found.what == what


def test_part_of_the_data_that_differs_is_named_by_the_list_of_outputs() -> None:
    found = disagreement(case("{dtype: float32, shape: [6]}", "[3, 3]", 'outputs: ["0:3", "2:5"]'))
    assert found is not None
    assert found.keys == ("outputs",)
    assert found.what.startswith("output 1 at [0] is written as ")


def test_a_law_that_misreads_the_page_is_told() -> None:
    found = case("{dtype: float32, shape: [6]}", "[2, 4]", 'outputs: ["0:2", "2:6"]')
    law = found.operator.law
    assert law is not None
    late = replace(law, at="data[o[:a] + [o[a] + starts[j] + 1] + o[a+1:]]")
    beyond = disagreement(replace(found, operator=replace(found.operator, law=late)))
    assert beyond is not None
    assert beyond.what == "the law does not hold for the call: element [3] of output 1 is not in the data"
    first = replace(law, at="data[o]")
    other = disagreement(replace(found, operator=replace(found.operator, law=first)))
    assert other is not None
    assert other.what.startswith("output 1 at [0] is written as 2.0, but the law computes 0.0")


def test_outputs_by_the_law_are_compared_with_the_reference() -> None:
    lawful = case("{dtype: float32, shape: [6]}", "[2, -1]", "outputs: law\n    declared_outputs: 2")
    assert disagreement(lawful) is None
    law = lawful.operator.law
    assert law is not None
    swapped = replace(law, at="data[[5 - o[0]]]")
    found = disagreement(replace(lawful, operator=replace(lawful.operator, law=swapped)))
    assert found is not None
    assert found.what == ("output 0 at [0] is written as 5.0, but the reference computes 0.0; 2 of 2 elements differ")
