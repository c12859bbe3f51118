from __future__ import annotations

import pytest

from conformance.authoring.covering_array import covering_rows
from conformance.formats.coverage.space import Exclusion, Space, coverages

NO_SQUARE = Exclusion({"a": frozenset({"1"}), "b": frozenset({"1"})}, "no square")
SPACE = Space({"a": ("1", "2"), "b": ("1", "2"), "c": ("x", "y")}, (NO_SQUARE,))


def test_combination_that_meets_an_exclusion_is_left_out() -> None:
    assert SPACE.exclusion_of({"a": "1", "b": "1"}) is NO_SQUARE
    assert SPACE.exclusion_of({"a": "1", "b": "2"}) is None


def test_combination_that_cannot_but_meet_an_exclusion_is_left_out() -> None:
    only_y = Exclusion({"b": frozenset({"2"}), "c": frozenset({"x"})}, "only y")
    space = Space(SPACE.parameters, (NO_SQUARE, only_y))
    assert space.exclusion_of({"a": "1", "c": "x"}) is not None
    assert space.exclusion_of({"a": "2", "c": "x"}) is None


def test_coverage_counts_what_makes_sense_and_names_what_is_missing() -> None:
    by_names = {coverage.names: coverage for coverage in coverages(SPACE, [("1", "2", "x"), ("2", "1", "x")], 2)}
    coverage = by_names["a", "b"]
    assert (coverage.covered, coverage.possible) == (2, 3)
    assert coverage.missing == ({"a": "2", "b": "2"},)
    assert coverage.left_out == {NO_SQUARE: 1}


def test_excluded_combination_that_a_row_has_is_neither_possible_nor_covered() -> None:
    rows = [("1", "1", "x"), ("1", "2", "x")]
    by_names = {coverage.names: coverage for coverage in coverages(SPACE, rows, 2)}
    coverage = by_names["a", "b"]
    assert (coverage.covered, coverage.possible, coverage.left_out) == (1, 3, {})
    assert (by_names["a", "c"].covered, by_names["a", "c"].possible) == (1, 4)


def test_parameter_that_is_for_pairs_only_is_in_no_combination_of_three() -> None:
    space = Space(SPACE.parameters, pairs_only=frozenset({"c"}))
    rows = [("1", "1", "x")]
    assert ("a", "c") in [coverage.names for coverage in coverages(space, rows, 2)]
    assert list(coverages(space, rows, 3)) == []


def test_value_outside_the_space_covers_nothing() -> None:
    assert [coverage.covered for coverage in coverages(SPACE, [("9", "2", "x")], 2)] == [0, 0, 1]


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_covering_rows_cover_all_that_makes_sense(strength: int) -> None:
    pytest.importorskip("covertable")
    rows = covering_rows(SPACE, strength)
    assert rows == sorted(set(rows))
    assert not any(NO_SQUARE.holds_of(dict(zip(SPACE.parameters, row, strict=True))) for row in rows)
    assert not any(coverage.missing for coverage in coverages(SPACE, rows, strength))
