from __future__ import annotations

from conformance.suite.coverage_tables import Exclusion, Space

NO_SQUARE = Exclusion({"a": frozenset({"1"}), "b": frozenset({"1"})}, "no square")
SPACE = Space({"a": ("1", "2"), "b": ("1", "2"), "c": ("x", "y")}, (NO_SQUARE,))


def test_combination_that_meets_an_exclusion_is_left_out() -> None:
    assert SPACE.exclusion_of({"a": "1", "b": "1"}) is NO_SQUARE
    assert SPACE.exclusion_of({"a": "1", "b": "2"}) is None
