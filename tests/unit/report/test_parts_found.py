from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from report_records import call, difference, entry, record

from conformance.language.verdict import Verdict
from conformance.log.record import CheckRecord, DifferenceEntry
from conformance.report.drawing import cuts_drawing
from conformance.report.nodes import markup
from conformance.report.parts_found import Cuts, Part, cuts_of

DATA = np.arange(12.0).reshape(2, 6)


def cut_as(
    came: Sequence[NDArray[np.float64] | None], split: Sequence[int] = (2, 4), data: NDArray[np.float64] = DATA
) -> CheckRecord:
    """A check of parts along axis 1 of which others came."""
    wanted = np.split(data, np.cumsum(split)[:-1], 1)
    differences = [
        DifferenceEntry(run=0, output=number, mismatch="missing", expected=entry(want))
        if have is None
        else difference(entry(want), entry(have), output=number)
        for number, (want, have) in enumerate(zip(wanted, came, strict=True))
        if have is None or not np.array_equal(want, have)
    ]
    return record(Verdict.WRONG_RESULT, call=call(entry(data), split), differences=differences)


def found(checked: CheckRecord) -> Cuts:
    cuts = cuts_of(checked)
    assert cuts is not None
    return cuts


def bounds(cuts: Cuts) -> list[tuple[int, int, int, int]]:
    return [(part.output, part.axis, part.start, part.stop) for part in cuts.actual]


def test_parts_cut_elsewhere_are_found() -> None:
    cuts = found(cut_as(np.split(DATA, [3], 1)))
    assert bounds(cuts) == [(0, 1, 0, 3), (1, 1, 3, 6)]
    assert [(part.start, part.stop) for part in cuts.expected] == [(0, 2), (2, 6)]


def test_swapped_parts_are_found() -> None:
    assert bounds(found(cut_as([DATA[:, 3:], DATA[:, :3]], (3, 3)))) == [(0, 1, 3, 6), (1, 1, 0, 3)]


def test_parts_along_another_axis_are_found() -> None:
    assert bounds(found(cut_as([DATA[:1], DATA[1:]]))) == [(0, 0, 0, 1), (1, 0, 1, 2)]


def test_a_part_that_did_not_come_is_reported() -> None:
    cuts = found(cut_as([DATA[:, :2], None]))
    assert (bounds(cuts), cuts.absent) == ([(0, 1, 0, 2)], (1,))


def test_an_output_that_is_no_part_is_reported() -> None:
    cuts = found(cut_as([DATA[:, :1], DATA[:, 2:] + 100]))
    assert (bounds(cuts), cuts.not_slices) == ([(0, 1, 0, 1)], (1,))


def test_nothing_is_drawn_where_only_values_differ() -> None:
    assert cuts_of(cut_as([DATA[:, :2], DATA[:, 2:] + 100])) is None


@pytest.mark.parametrize("split", [(2, 9), (-3, 9)])
def test_nothing_is_drawn_of_lengths_that_the_axis_has_no_room_for(split: Sequence[int]) -> None:
    checked = record(
        Verdict.WRONG_RESULT, call=call(entry(DATA), split), differences=[difference(entry([1]), entry([2]), output=5)]
    )
    assert cuts_of(checked) is None


def test_parts_over_each_other_are_drawn_below_each_other() -> None:
    cuts = found(cut_as([DATA[:, :4], DATA[:, 1:5]], (3, 3)))
    assert markup(cuts_drawing(cuts)).count(">actual<") == 2


def test_single_elements_that_are_equal_by_coincidence_are_not_drawn() -> None:
    row = DATA[:1]
    assert cuts_of(cut_as([row[:, 1:2], row[:, 1:] + 100], (1, 5), row)) is None


def test_every_number_of_a_drawing_lies_inside_it() -> None:
    length = 9_000_000_000_000_000_000
    parts = tuple(Part(number, 0, start, start + 2) for number, start in enumerate((0, 5, length - 2)))
    moved = (*parts[:2], Part(2, 0, 7, 9))
    drawing = markup(cuts_drawing(Cuts((length,), 0, parts, moved, (), ())))
    ends = re.findall(r'class="place end" x="([\d.]+)"', drawing)
    assert ends
    assert all(float(end) <= 620 for end in ends)


def test_nothing_is_drawn_of_an_operator_that_does_not_cut() -> None:
    slice_from_elsewhere = difference(entry(DATA[:, 3:5]), entry(DATA[:, 2:4]), output=0)
    checked = record(Verdict.WRONG_RESULT, call=call(entry(DATA), [2]), differences=[slice_from_elsewhere])
    assert cuts_of(checked) is None
