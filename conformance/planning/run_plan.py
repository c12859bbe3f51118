"""The checks of one run, the whole plan of a selection or one shard of it, in chunks that are made on their own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import NamedTuple

from conformance.formats.case_file import CaseFamily
from conformance.language.check import Check
from conformance.log.record import ShardEntry
from conformance.planning.selection import Selection, case_makers, cases_of, checks_of, checks_of_case
from conformance.planning.shard import Costs, Shard, places_in_shard, recorded_costs

CHUNK_CHECKS = 128
_MARK_EACH_CHECKS = 64


class Mark(NamedTuple):
    """Where a product's checks begin: after `offset` checks of its family. Products before it need not be made."""

    offset: int
    product: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive checks of a run, with the address from which a reader can make them.

    `number` counts the checks of the run before it. It starts in the family at the place `family` of the plan, after
    `offset` checks of that family; `mark` spares the reader the cases far before it. `places` are the places of its
    checks, counted from its start; `start` is the place of that in the whole plan, None without shards.
    """

    number: int
    family: int
    offset: int
    mark: Mark
    places: Sequence[int]
    start: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The checks of a run, made anew for each reader.

    `starts` has the place of each family's first check in the whole plan, `places` those of the checks of this run.
    `marks` are those of each family, in order.
    """

    families: Sequence[CaseFamily]
    selection: Selection
    starts: Sequence[int]
    marks: Sequence[Sequence[Mark]]
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
            family = bisect_right(self.starts, places[0]) - 1
            offset = places[0] - self.starts[family]
            mark = self.marks[family][bisect_right(self.marks[family], offset, key=lambda mark: mark.offset) - 1]
            start, places = None if self.shard is None else places[0], _from_the_first(places)
            yield Chunk(number=number, family=family, offset=offset, mark=mark, places=places, start=start)

    def checks(self, done: int = 0) -> Iterator[Check]:
        """The checks after the first `done` ones, in the order of the plan."""
        reader = ChunkReader(self.families, self.selection)
        return chain.from_iterable(map(reader.checks, self.chunks(done)))


class ChunkReader:
    """Makes the checks of chunks. `families` are all those of their plan.

    The reader continues from its last chunk if the next one follows in the same family; otherwise it starts at the
    chunk's mark. So several readers together make a large family about once.
    """

    def __init__(self, families: Sequence[CaseFamily], selection: Selection) -> None:
        self._families = families
        self._selection = selection
        self._made: Iterator[tuple[tuple[int, int], Check]] = iter(())
        self._next = (-1, 0)
        self._mark = (-1, Mark(0, 0))

    def checks(self, chunk: Chunk) -> Iterator[Check]:
        """The checks of a chunk, made as they are taken; take them all before those of another one."""
        start, place = (chunk.family, chunk.offset), 0
        if self._next[0] != chunk.family or self._next > start:
            self._made = self._made_from(chunk.family)
        self._mark = (chunk.family, chunk.mark)
        wanted = chunk.places if isinstance(chunk.places, range) else frozenset(chunk.places)
        for (family, offset), check in self._made:
            self._next = (family, offset + 1)
            if (family, offset) < start:
                continue
            if place in wanted:
                yield check
            if place == chunk.places[-1]:
                return
            place += 1

    def _made_from(self, first: int) -> Iterator[tuple[tuple[int, int], Check]]:
        """The checks from a family on, each with the number of its family and its place there; skips to the mark."""
        for number in range(first, len(self._families)):
            offset = 0
            for product, make in case_makers(self._families[number], self._selection):
                family, mark = self._mark
                if family == number and product < mark.product:
                    continue
                if family == number and product == mark.product:
                    offset = mark.offset
                case = make()
                for check in () if case is None else checks_of_case(case, self._selection):
                    yield (number, offset), check
                    offset += 1


def run_plan_of(
    families: Sequence[CaseFamily], selection: Selection, shard: Shard | None, adapters: Collection[str]
) -> RunPlan:
    """The plan for targets of these adapters.

    Raises:
        UsageError: there are fewer cases than shards, or the log with the times of cases cannot be used.
    """
    counts, marks = zip(*(_count_of(family, selection) for family in families), strict=True)
    *starts, whole = accumulate(counts, initial=0)
    plan = RunPlan(families=families, selection=selection, starts=starts, marks=marks, places=range(whole))
    if shard is None or not whole:
        return plan
    costs = recorded_costs(shard.times, adapters) if shard.times is not None else Costs()
    places = places_in_shard(shard, checks_of(families, selection), costs)
    entry = ShardEntry(number=shard.number, of=shard.of, whole=whole)
    return replace(plan, places=places, shard=entry)


def _count_of(family: CaseFamily, selection: Selection) -> tuple[int, list[Mark]]:
    """The number of a family's selected checks, and its marks: one at its first check, and one after each interval."""
    count, marks = 0, list[Mark]()
    for case in cases_of([family], selection):
        if not marks or count - marks[-1].offset >= _MARK_EACH_CHECKS:
            marks.append(Mark(count, case.number))
        count += len(checks_of_case(case, selection))
    return count, marks


def _from_the_first(places: Sequence[int]) -> Sequence[int]:
    first = places[0]
    if isinstance(places, range):
        return range(0, places.stop - first, places.step)
    return tuple(place - first for place in places)
