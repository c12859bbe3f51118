from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

import pytest

from conformance.protocol.form import Form
from conformance.run.run_plan import ChunkReader, RunPlan, Shard, run_plan_of
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.case import Case
from conformance.suite.adapter_file import released_suite
from conformance.suite.case_file import CaseFamily

SELECTION = Selection(operators=("onnx.Split-11",), clauses=("axis.range",))


@pytest.fixture(scope="module")
def families() -> Sequence[CaseFamily]:
    return families_selected(released_suite(SELECTION.operators), SELECTION)


def plan(families: Sequence[CaseFamily], shard: Shard | None = None) -> RunPlan:
    return run_plan_of(families, SELECTION, shard)


def test_a_whole_plan_counts_its_checks_and_gives_them_to_each_reader(families: Sequence[CaseFamily]) -> None:
    whole = plan(families)
    assert whole.planned == len(list(whole.checks())) > 50
    assert list(whole.checks()) == list(whole.checks()) == list(checks_of(families, SELECTION))
    assert not any(chunk.is_of_shard for chunk in whole.chunks())


def test_shards_share_the_plan_and_know_the_places_of_their_checks(families: Sequence[CaseFamily]) -> None:
    whole = list(plan(families).checks())
    shards = [plan(families, Shard(number=number, of=3)) for number in (1, 2, 3)]
    assert sum(shard.planned for shard in shards) == len(whole)
    for shard in shards:
        checks = list(shard.checks())
        assert len(checks) == shard.planned
        assert all(chunk.is_of_shard for chunk in shard.chunks())
        places = [place for chunk in shard.chunks(size=7) for place in chunk.places]
        assert [whole[place] for place in places] == checks


def test_a_selection_without_checks_has_an_empty_plan(families: Sequence[CaseFamily]) -> None:
    selection = Selection(checks=frozenset({("onnx.Split-11/none", Form.CONSTANT)}))
    none = run_plan_of(families, selection, Shard(number=1, of=2))
    assert (none.planned, list(none.checks())) == (0, [])


@pytest.mark.parametrize("shard", [None, Shard(number=2, of=3)])
def test_chunks_make_their_own_checks_and_together_those_of_the_plan(
    families: Sequence[CaseFamily], shard: Shard | None
) -> None:
    whole = plan(families, shard)
    chunks = list(whole.chunks(size=7))
    assert len({family for chunk in chunks for family, *_ in chunk.cases}) > 1
    assert [chunk.number for chunk in chunks] == list(range(0, whole.planned, 7))
    reader = ChunkReader(families, SELECTION)
    backwards = [check for chunk in reversed(chunks) for check in reversed(list(reader.checks(chunk)))]
    assert backwards == list(whole.checks())[::-1]


@pytest.mark.parametrize("shard", [None, Shard(number=2, of=3)])
def test_two_readers_share_the_chunks_and_make_each_family_once(
    families: Sequence[CaseFamily], shard: Shard | None, made: list[str]
) -> None:
    whole = plan(families, shard)
    chunks, expected = list(whole.chunks(size=2)), list(whole.checks())
    made.clear()
    readers = [ChunkReader(families, SELECTION) for _ in range(2)]
    checks = [check for number, chunk in enumerate(chunks) for check in readers[number % 2].checks(chunk)]
    assert checks == expected
    cases = Counter(family.id for family in families for _ in family.ids())
    assert all(made.count(family.id) <= 2 * cases[family.id] for family in families)


def test_a_plan_goes_on_after_what_is_done(families: Sequence[CaseFamily]) -> None:
    whole = plan(families)
    assert list(whole.checks(done=9)) == list(whole.checks())[9:]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the families of which cases are made, once for each case."""
    made: list[str] = []
    makers = CaseFamily.makers

    def noted(family: CaseFamily, dtypes: Collection[str] = ()) -> Iterator[tuple[int, Callable[[], Case]]]:
        def note(make: Callable[[], Case]) -> Case:
            made.append(family.id)
            return make()

        return ((number, partial(note, make)) for number, make in makers(family, dtypes))

    monkeypatch.setattr(CaseFamily, "makers", noted)
    return made


def test_a_chunk_makes_its_own_cases_alone(families: Sequence[CaseFamily], made: list[str]) -> None:
    for chunk in plan(families, Shard(number=2, of=3)).chunks(size=3):
        made.clear()
        assert len(list(ChunkReader(families, SELECTION).checks(chunk))) == 3 or len(chunk.places) < 3
        assert made == [families[family].id for family, *_ in chunk.cases]


@pytest.mark.parametrize("number", [1, 2])
def test_readers_share_a_large_family_and_make_little_more_than_their_chunks(made: list[str], number: int) -> None:
    selection = Selection(cases=("onnx.Split-13/made",))
    large = families_selected(released_suite(["onnx.Split-13"]), selection)
    whole = run_plan_of(large, selection, None)
    chunks, expected = list(whole.chunks()), list(whole.checks())
    assert len(chunks) > number
    readers = [ChunkReader(large, selection) for _ in range(number)]
    made.clear()
    checks = [check for place, chunk in enumerate(chunks) for check in readers[place % number].checks(chunk)]
    assert checks == expected
    assert len(made) < 1.6 * len({check.case.id for check in expected})
    made.clear()
    (*_, last) = chunks
    assert list(ChunkReader(large, selection).checks(last)) == expected[last.number :]
    assert len(made) < len(last.places) + 128
