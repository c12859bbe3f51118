from __future__ import annotations

from itertools import combinations, product

import pytest

from conformance.authoring.coverage_upkeep import covering_rows
from conformance.suite.coverage_tables import Exclusion, Space

pytest.importorskip("covertable")
PARAMETERS = {"dtype": ("int8", "float32", "string"), "rank": ("1", "2", "3"), "form": ("constant", "dynamic")}
NO_STRINGS = Exclusion(when={"dtype": frozenset({"string"}), "form": frozenset({"dynamic"})}, because="not here")


def pairs_in(rows: list[tuple[str, ...]]) -> set[tuple[int, str, int, str]]:
    return {(i, row[i], j, row[j]) for row in rows for i, j in combinations(range(3), 2)}


def test_every_pair_occurs_in_fewer_rows_than_there_are_combinations() -> None:
    rows = covering_rows(Space(PARAMETERS), 2)
    values = list(PARAMETERS.values())
    wanted = {(i, a, j, b) for i, j in combinations(range(3), 2) for a, b in product(values[i], values[j])}
    assert pairs_in(rows) == wanted
    assert len(rows) < 18


def test_no_row_has_an_excluded_combination() -> None:
    rows = covering_rows(Space(PARAMETERS, (NO_STRINGS,)), 2)
    assert ("string", "dynamic") not in {(row[0], row[2]) for row in rows}
    assert ("string", "constant") in {(row[0], row[2]) for row in rows}


def test_kept_rows_stay_and_all_are_in_the_order_of_the_values() -> None:
    kept = ("string", "3", "constant")
    rows = covering_rows(Space(PARAMETERS), 2, [kept])
    assert kept in rows
    order = [{value: number for number, value in enumerate(values)} for values in PARAMETERS.values()]
    assert rows == sorted(rows, key=lambda row: [numbers[value] for numbers, value in zip(order, row, strict=True)])


@pytest.mark.parametrize("strength", [3, 9])
def test_a_strength_of_all_parameters_gives_every_combination(strength: int) -> None:
    assert len(covering_rows(Space(PARAMETERS), strength)) == 18
