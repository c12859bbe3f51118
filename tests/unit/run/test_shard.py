from __future__ import annotations

import pytest

from conformance.run.run_plan import Shard, places_in_shard
from conformance.tensors.errors import UsageError

SIZES = [3, 1, 2, 3, 1, 1, 2]
"""The number of forms of each case."""


def dealt(sizes: list[int], of: int) -> list[list[int]]:
    return [list(places_in_shard(Shard(number=number, of=of), sizes)) for number in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_each_check_is_in_exactly_one_shard(of: int) -> None:
    assert sorted(place for places in dealt(SIZES, of) for place in places) == list(range(sum(SIZES)))


@pytest.mark.parametrize("of", [2, 3])
def test_a_shard_runs_in_the_order_of_the_plan(of: int) -> None:
    for places in dealt(SIZES, of):
        assert places == sorted(places)


def test_all_forms_of_a_case_are_in_one_shard() -> None:
    assert dealt([3, 3, 2, 3], 2) == [[0, 1, 2, 6, 7], [3, 4, 5, 8, 9, 10]]


def test_each_check_weighs_the_same() -> None:
    assert sorted(map(len, dealt([1] * 11, 3))) == [3, 4, 4]


def test_more_shards_than_cases_are_refused() -> None:
    with pytest.raises(UsageError) as printed:
        places_in_shard(Shard(number=1, of=3), [3, 3])
    assert str(printed.value) == "--shard 1/3: there are only 2 cases\n  fix:  use 2 shards or fewer"
