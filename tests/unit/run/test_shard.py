from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import split_case

from conformance.protocol.form import Form
from conformance.run.run_plan import Shard, places_in_shard
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.tensors.errors import UsageError

FORMS = (Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC)


def plan(*sizes: int) -> list[Check]:
    """A case for each size, in as many forms."""
    case = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
    cases = [replace(case, id=f"toy/{number}") for number in range(len(sizes))]
    return [Check(case, form) for case, size in zip(cases, sizes, strict=True) for form in FORMS[:size]]


def dealt(checks: list[Check], of: int) -> list[list[int]]:
    return [list(places_in_shard(Shard(number=number, of=of), checks)) for number in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_each_check_is_in_exactly_one_shard(of: int) -> None:
    checks = plan(3, 1, 2, 3, 1, 1, 2)
    assert sorted(place for places in dealt(checks, of) for place in places) == list(range(len(checks)))


@pytest.mark.parametrize("of", [2, 3])
def test_a_shard_runs_in_the_order_of_the_plan(of: int) -> None:
    for places in dealt(plan(3, 1, 2, 3, 1), of):
        assert places == sorted(places)


def test_all_forms_of_a_case_are_in_one_shard() -> None:
    checks = plan(3, 3, 2, 3)
    owners = [{checks[place].case.id for place in places} for places in dealt(checks, 2)]
    assert owners[0].isdisjoint(owners[1])


def test_each_check_weighs_the_same() -> None:
    assert sorted(map(len, dealt(plan(*[1] * 11), 3))) == [3, 4, 4]


def test_more_shards_than_cases_are_refused() -> None:
    with pytest.raises(UsageError) as printed:
        places_in_shard(Shard(number=1, of=3), plan(3, 3))
    assert str(printed.value) == "--shard 1/3: there are only 2 cases\n  fix:  use 2 shards or fewer"
