"""Explanations of outputs that hold the right elements at wrong places."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from moved_cases import joined_rows, transposed

from conformance.judge.explain import explain
from conformance.spec.case import Elements, due_outputs
from conformance.spec.elements import Places
from conformance.tensors.tensor import array_from_tensor, tensor_from_array


@pytest.mark.parametrize(
    ("came", "cause", "sentence"),
    [
        (
            [0, 1, 2, 3, 5, 4],
            "elements misplaced",
            "2 elements of 6 from elsewhere in the data; element [2, 0] should be inputs_1[1, 0], is inputs_1[1, 1]",
        ),
        (
            [0, 1, 2, 3, 2, 3],
            "elements shifted",
            "2 elements earlier in the data than expected; element [2, 0] should be inputs_1[1, 0], is inputs_1[0, 0]",
        ),
        (
            [0, 1, 2, 3, 4, 0],
            "elements duplicated",
            "1 element missing, others repeated; element [2, 1] should be inputs_1[1, 1], is inputs_0[0, 0]",
        ),
    ],
)
def test_misplaced_elements_are_reported_with_their_origin(came: Sequence[int], cause: str, sentence: str) -> None:
    case = joined_rows(range(6))
    actual = due_outputs(joined_rows(came))
    assert explain([case], [actual]) == (cause, f"output 0: {sentence}")


def test_elements_that_the_data_does_not_have_are_no_misplaced_ones() -> None:
    case = transposed((2, 3), (1, 0), "int64")
    (right,) = due_outputs(case)
    assert explain([case], [(tensor_from_array(array_from_tensor(right) + 100),)])[0] == "other values"


def test_a_single_element_from_elsewhere_is_not_called_shifted() -> None:
    case = joined_rows(range(6), expectation=Elements((Places((3, 2), (0, 1, 2, 3, 4, 4)),)))
    assert explain([case], [due_outputs(joined_rows(range(6)))])[0] == "elements misplaced"
