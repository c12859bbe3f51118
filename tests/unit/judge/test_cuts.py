"""Each fault by itself. `test_explain` has the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from split_cases import split_case, value_of

from conformance.judge import explain
from conformance.judge.hypotheses import StepEvidence
from conformance.spec.case import Parts
from conformance.tensors.tensor import tensor_from_array

ROWS = np.arange(12, dtype=np.int16).reshape(6, 2)
Fault = Callable[[StepEvidence], str | None]


def evidence(lengths: Sequence[int], outputs: Sequence[object], axis: int = 0) -> StepEvidence:
    case = split_case(value_of(tensor_from_array(ROWS)), lengths, axis)
    return StepEvidence([case], [[tensor_from_array(np.asarray(output)) for output in outputs]], 0)


@pytest.mark.parametrize(
    ("fault", "lengths", "outputs", "sentence"),
    [
        (
            explain.empty_outputs_dropped,
            [2, 0, 4],
            [ROWS[:2], ROWS[2:]],
            "3 outputs expected, 2 returned: the empty ones are missing",
        ),
        (explain.swapped, [2, 4], [ROWS[2:], ROWS[:2]], "the outputs are in the order [1, 0]"),
        (
            explain.remainder_spread,
            [2, 2, 1, 1],
            [ROWS[:2], ROWS[2:4], ROWS[4:5], ROWS[5:]],
            None,
        ),
        (
            explain.boundary_off_by_one,
            [2, 4],
            [ROWS[:3], ROWS[3:]],
            "along axis 0 the data was split at [0, 3, 6], expected [0, 2, 6]",
        ),
        (explain.boundary_off_by_one, [1, 5], [ROWS[:3], ROWS[3:]], None),
        (
            explain.cut_elsewhere,
            [1, 5],
            [ROWS[:3], ROWS[3:]],
            "along axis 0 the data was split at [0, 3, 6], expected [0, 1, 6]",
        ),
        (explain.cut_elsewhere, [1, 5], [ROWS[:3], ROWS[2:5]], None),
        (explain.starts_one_off, [2, 4], [ROWS[1:3], ROWS[2:]], "output 0 starts at 1 along axis 0, expected 0"),
        (explain.starts_one_off, [2, 4], [ROWS[2:4], ROWS[2:]], None),
        (explain.starts_elsewhere, [2, 4], [ROWS[3:5], ROWS[2:]], "output 0 starts at 3 along axis 0, expected 0"),
        (explain.wrong_axis, [1, 1], [ROWS[:, :1], ROWS[:, 1:]], "the data was split along axis 1, expected axis 0"),
    ],
)
def test_a_fault_is_named_only_where_it_explains_every_bit(
    fault: Fault, lengths: list[int], outputs: list[object], sentence: str | None
) -> None:
    assert fault(evidence(lengths, outputs)) == sentence


def test_uneven_parts_whose_remainder_was_spread() -> None:
    seven = np.arange(7)
    case = split_case(value_of(tensor_from_array(seven)), [3, 3, 1])
    spread = [tensor_from_array(part) for part in (seven[:3], seven[3:5], seven[5:])]
    found = explain.remainder_spread(StepEvidence([case], [spread], 0))
    assert found == "along axis 0 the data was split at [0, 3, 5, 7], expected [0, 3, 6, 7]"


def test_a_part_that_is_in_two_places_proves_nothing() -> None:
    data = np.array([9, 1, 2, 1, 2, 7])
    case = split_case(value_of(tensor_from_array(data)), [2, 4])
    right = tensor_from_array(data[2:])
    once, twice = tensor_from_array(data[4:]), tensor_from_array(data[1:3])
    assert explain.starts_elsewhere(StepEvidence([case], [[once, right]], 0)) is not None
    assert explain.starts_elsewhere(StepEvidence([case], [[twice, right]], 0)) is None


def test_parts_of_another_type_beside_a_gap_are_no_parts_of_the_data() -> None:
    case = split_case(value_of(tensor_from_array(ROWS)), [2, 4])
    case = replace(case, expectation=Parts(((2, 6),)), declared_outputs=1)
    wide = [tensor_from_array(ROWS[2:].astype(np.int32))]
    assert explain.boundary_off_by_one(StepEvidence([case], [wide], 0)) is None
