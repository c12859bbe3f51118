from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.formats.case_file import CaseFamily
from conformance.formats.release_file import released_suite
from conformance.records.shard import Shard
from conformance.running.run_plan import RunPlan, run_plan_of
from conformance.selection.selection import Selection, checks_of, families_selected
from conformance.spec.form import Form

SELECTION = Selection(operators=("onnx.Split-11",), clauses=("axis.range",))


@pytest.fixture(scope="module")
def families() -> Sequence[CaseFamily]:
    return families_selected(released_suite(SELECTION.operators), SELECTION)


def plan(families: Sequence[CaseFamily], shard: Shard | None = None) -> RunPlan:
    return run_plan_of(families, SELECTION, shard, {"numpy"})


def test_a_whole_plan_counts_its_checks_and_gives_them_to_each_reader(families: Sequence[CaseFamily]) -> None:
    whole = plan(families)
    assert whole.planned == len(list(whole.checks())) > 50
    assert list(whole.checks()) == list(whole.checks()) == list(checks_of(families, SELECTION))
    assert whole.place(3) is None


def test_shards_share_the_plan_and_know_the_places_of_their_checks(families: Sequence[CaseFamily]) -> None:
    whole = list(plan(families).checks())
    shards = [plan(families, Shard(number=number, of=3)) for number in (1, 2, 3)]
    assert sum(shard.planned for shard in shards) == len(whole)
    for shard in shards:
        checks = list(shard.checks())
        assert len(checks) == shard.planned
        assert [whole[place] for place in map(shard.place, range(len(checks))) if place is not None] == checks


def test_a_selection_without_checks_has_an_empty_plan(families: Sequence[CaseFamily]) -> None:
    selection = Selection(checks=frozenset({("onnx.Split-11/none", Form.CONSTANT)}))
    none = run_plan_of(families, selection, Shard(number=1, of=2), ())
    assert (none.planned, list(none.checks())) == (0, [])
