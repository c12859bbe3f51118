"""The checks of one run: the whole plan of a selection, or one shard of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from conformance.formats.case_file import CaseFamily
from conformance.records.record import ShardEntry
from conformance.records.shard import Costs, Shard, places_in_shard, recorded_costs
from conformance.selection.selection import Selection, checks_of
from conformance.spec.check import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The checks of a run, generated anew for each reader. `places` are those of its shard, if it is one."""

    families: Sequence[CaseFamily]
    selection: Selection
    planned: int
    shard: ShardEntry | None = None
    places: Sequence[int] = ()

    def checks(self) -> Iterator[Check]:
        """The checks in the order of the plan."""
        checks = checks_of(self.families, self.selection)
        if self.shard is None:
            return checks
        is_mine = bytearray(self.shard.whole)
        for place in self.places:
            is_mine[place] = 1
        return compress(checks, is_mine)

    def place(self, number: int) -> int | None:
        """The place of a shard's check in the whole plan, both counted from 0; None without shards."""
        return self.places[number] if self.shard is not None else None


def run_plan_of(
    families: Sequence[CaseFamily], selection: Selection, shard: Shard | None, adapters: Collection[str]
) -> RunPlan:
    """The plan for targets of these adapters.

    Raises:
        UsageError: there are fewer cases than shards, or the log with their times cannot be used.
    """
    whole = sum(1 for _ in checks_of(families, selection))
    if shard is None or not whole:
        return RunPlan(families=families, selection=selection, planned=whole)
    costs = recorded_costs(shard.times, adapters) if shard.times is not None else Costs()
    places = places_in_shard(shard, checks_of(families, selection), costs)
    entry = ShardEntry(number=shard.number, of=shard.of, whole=whole)
    return RunPlan(families=families, selection=selection, planned=len(places), shard=entry, places=places)
