from __future__ import annotations

import numpy as np
from report_records import call, difference, difference_of_arrays, entry, entry_of_bits, record

from conformance.log.record import TensorEntry
from conformance.report.tensors import TensorGrids, comparison_of, input_of_moved, nested_text
from conformance.spec.verdict import Verdict


def _marked(layout: TensorGrids) -> list[tuple[str, str, str, str]]:
    return [
        (grid.title, label, column, cell.element.text)
        for grid in layout.grids
        for label, cells in grid.rows
        for column, cell in zip(grid.columns, cells, strict=True)
        if cell is not None and cell.other is not None
    ]


def test_the_element_that_differs_is_marked_on_both_sides() -> None:
    found = comparison_of(difference_of_arrays(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [9, 4]])))
    assert _marked(found.expected) == [("", "1", "0", "3")]
    assert _marked(found.actual) == [("", "1", "0", "9")]
    assert [(item.index, item.expected.text, item.actual.text) for item in found.listed] == [("[1, 0]", "3", "9")]


def test_bits_are_shown_where_values_look_alike() -> None:
    want, have = (entry_of_bits([bits], "float32", "uint32") for bits in (0x7FC00001, 0x7FC00000))
    shown = comparison_of(difference(want, have)).actual
    cell = shown.grids[0].rows[0][1][0]
    assert cell is not None
    assert cell.is_ambiguous
    assert cell.element.bits == "0x7fc00000"


def test_a_long_vector_is_wrapped_around_its_first_difference() -> None:
    want = np.arange(5000)
    have = want.copy()
    have[4001] = -1
    found = comparison_of(difference_of_arrays(want, have))
    assert _marked(found.actual) == [("", "4000", "+1", "-1")]
    assert found.actual.note == "96 of 5,000 elements are shown"


def test_higher_ranks_are_shown_slice_by_slice() -> None:
    want = np.zeros((2, 3, 2, 2), np.int8)
    have = want.copy()
    have[1, 2, 0, 1] = 7
    found = comparison_of(difference_of_arrays(want, have))
    assert _marked(found.actual) == [("[1, 2, :, :]", "0", "1", "7")]
    assert len(found.actual.grids) == 6


def test_a_scalar_is_one_cell() -> None:
    found = comparison_of(difference_of_arrays(np.array(1), np.array(2)))
    assert _marked(found.actual) == [("", "0", "0", "2")]


def test_nothing_is_marked_where_shapes_differ() -> None:
    found = comparison_of(difference(entry([[1, 2]]), entry([[1], [3]]), mismatch="shape"))
    assert _marked(found.expected) == _marked(found.actual) == []


def test_an_empty_output_says_so() -> None:
    found = comparison_of(difference(entry(np.zeros((2, 0))), entry([[1], [2]]), mismatch="shape"))
    assert found.expected.note == "it has no elements"


def test_an_unreadable_output_says_so() -> None:
    broken = TensorEntry(dtype="int32", shape=[2], count=2, data="AAAA")
    found = comparison_of(difference(broken, broken))
    assert found.actual.note == "the log holds none of its elements in a form that can be read"


def test_values_are_nested_by_their_shape() -> None:
    assert nested_text(entry([[1, 2], [3, 4]], "int64"), 8) == "[[1, 2], [3, 4]]"
    assert nested_text(entry(7, "int64"), 8) == "7"
    assert nested_text(entry(np.arange(100), "int64"), 3) == "0, 1, 2, … (100 elements in all)"
    assert nested_text(TensorEntry(dtype="int8", shape=[10**12, 0]), 3) == "no elements"


def test_floats_that_differ_are_measured_in_ulp() -> None:
    found = comparison_of(
        difference_of_arrays(
            np.array([1.0, 0.0], np.float32), np.array([np.nextafter(np.float32(1), 2), -0.0], np.float32)
        )
    )
    assert [item.ulp for item in found.listed] == [1, 0]


def test_a_nan_has_no_distance() -> None:
    found = comparison_of(difference_of_arrays(np.array([1.0], np.float32), np.array([np.nan], np.float32)))
    assert [item.ulp for item in found.listed] == [None]


def test_the_input_stands_beside_elements_that_moved() -> None:
    moved = difference_of_arrays(np.array([1, 2]), np.array([2, 1]))
    wrong = record(Verdict.WRONG_RESULT, call=call(entry([[1, 2]], "int64")), differences=[moved])
    shown = input_of_moved(wrong, moved)
    assert [cell.element.text for _, cells in shown.grids[0].rows for cell in cells if cell] == ["1", "2"]


def test_no_input_stands_beside_elements_that_changed() -> None:
    changed = difference_of_arrays(np.array([1, 2]), np.array([1, 9]))
    assert input_of_moved(record(Verdict.WRONG_RESULT, call=call(entry([[1, 2]], "int64"))), changed) == TensorGrids()
