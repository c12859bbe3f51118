from __future__ import annotations

import pytest

from conformance.authoring.coverage_upkeep import covering_rows
from conformance.suite.coverage_tables import Exclusion, Space, missing_combinations

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


def test_what_no_row_has_is_missing_and_what_is_excluded_is_not() -> None:
    rows = [("1", "2", "x"), ("2", "1", "x")]
    assert list(missing_combinations(SPACE, rows, 1)) == [{"c": "y"}]
    assert [missing for missing in missing_combinations(SPACE, rows, 2) if "c" not in missing] == [{"a": "2", "b": "2"}]


def test_a_row_has_every_combination_of_its_values() -> None:
    assert list(missing_combinations(Space({"a": ("1",), "b": ("2",)}), [("1", "2")], 3)) == []


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_covering_rows_cover_all_that_makes_sense(strength: int) -> None:
    pytest.importorskip("covertable")
    rows = covering_rows(SPACE, strength)
    assert rows == sorted(set(rows))
    assert not any(NO_SQUARE.holds_of(dict(zip(SPACE.parameters, row, strict=True))) for row in rows)
    assert list(missing_combinations(SPACE, rows, strength)) == []
