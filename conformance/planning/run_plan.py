"""The checks of one run, the whole plan of a selection or one shard of it, in chunks that are made on their own."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from conformance.formats.case_file import CaseFamily
from conformance.language.case import Case
from conformance.language.check import Check
from conformance.log.record import ShardEntry
from conformance.planning.selection import Selection, case_makers, cases_of, checks_of, checks_of_case
from conformance.planning.shard import Costs, Shard, places_in_shard, recorded_costs

CHUNK_CHECKS = 128
_Maker = tuple[int, int, Callable[[], Case | None]]
"""The place of a family in a plan and the number of a product, with the function that makes its case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive checks of a run, with the address from which a reader can make them.

    `number` counts the checks of the run before it. It starts in the case of the product `product`, in the family at
    the place `family` of the plan. `places` are those of its checks, counted from the first check of that case;
    `start` is the place of that in the whole plan, None without shards.
    """

    number: int
    family: int
    product: int
    places: Sequence[int]
    start: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The checks of a run, made anew for each reader.

    `starts` has the place of each case's first check in the whole plan, `products` its product, and `firsts` the number
    of each family's first case. `places` are those of the checks of this run.
    """

    families: Sequence[CaseFamily]
    selection: Selection
    starts: Sequence[int]
    products: Sequence[int]
    firsts: Sequence[int]
    places: Sequence[int]
    shard: ShardEntry | None = None

    @property
    def planned(self) -> int:
        """The number of checks."""
        return len(self.places)

    def chunks(self, done: int = 0, size: int = CHUNK_CHECKS) -> Iterator[Chunk]:
        """The checks after the first `done` ones, in the order of the plan, at most `size` in a chunk."""
        for number in range(done, self.planned, size):
            places = self.places[number : number + size]
            case = bisect_right(self.starts, places[0]) - 1
            start = self.starts[case]
            yield Chunk(
                number=number,
                family=bisect_right(self.firsts, case) - 1,
                product=self.products[case],
                places=_counted_from(start, places),
                start=None if self.shard is None else start,
            )

    def checks(self, done: int = 0) -> Iterator[Check]:
        """The checks after the first `done` ones, in the order of the plan."""
        reader = ChunkReader(self.families, self.selection)
        return chain.from_iterable(map(reader.checks, self.chunks(done)))


class ChunkReader:
    """Makes the checks of chunks. `families` are all those of their plan.

    The reader continues from its last chunk if the next one follows in the same family; otherwise it starts with that
    family. It makes no case before the chunk.
    """

    def __init__(self, families: Sequence[CaseFamily], selection: Selection) -> None:
        self._families = families
        self._selection = selection
        self._makers: Iterator[_Maker] = iter(())
        self._last: _Maker = (-1, 0, lambda: None)

    def checks(self, chunk: Chunk) -> Iterator[Check]:
        """The checks of a chunk, made as they are taken; take them all before those of another one."""
        start, place = (chunk.family, chunk.product), 0
        if self._last[0] != chunk.family or self._last[:2] > start:
            self._makers, self._last = self._made_from(chunk.family), (-1, 0, lambda: None)
        wanted = chunk.places if isinstance(chunk.places, range) else frozenset(chunk.places)
        for maker in chain([self._last], self._makers):
            self._last = maker
            case = maker[2]() if maker[:2] >= start else None
            for check in () if case is None else checks_of_case(case, self._selection):
                if place in wanted:
                    yield check
                if place == chunk.places[-1]:
                    return
                place += 1

    def _made_from(self, first: int) -> Iterator[_Maker]:
        for number in range(first, len(self._families)):
            for product, make in case_makers(self._families[number], self._selection):
                yield number, product, make


def run_plan_of(
    families: Sequence[CaseFamily], selection: Selection, shard: Shard | None, adapters: Collection[str]
) -> RunPlan:
    """The plan for targets of these adapters.

    Raises:
        UsageError: there are fewer cases than shards, or the log with the times of cases cannot be used.
    """
    starts, products, firsts, whole = array("Q"), array("Q"), array("Q"), 0
    for family in families:
        firsts.append(len(starts))
        for case in cases_of([family], selection):
            starts.append(whole)
            products.append(case.number)
            whole += len(checks_of_case(case, selection))
    plan = RunPlan(
        families=families, selection=selection, starts=starts, products=products, firsts=firsts, places=range(whole)
    )
    if shard is None or not whole:
        return plan
    costs = recorded_costs(shard.times, adapters) if shard.times is not None else Costs()
    places = places_in_shard(shard, checks_of(families, selection), costs)
    entry = ShardEntry(number=shard.number, of=shard.of, whole=whole)
    return replace(plan, places=places, shard=entry)


def _counted_from(start: int, places: Sequence[int]) -> Sequence[int]:
    if isinstance(places, range):
        return range(places.start - start, places.stop - start, places.step)
    return tuple(place - start for place in places)
