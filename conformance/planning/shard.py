"""Shards: divides the checks of one run plan among several machines, which all compute the same division.

A case goes to one shard with all its forms, so that its report is whole there and its data is made once. The most
expensive cases are assigned first, each to the shard with the least work so far. The assignment depends only on
integers from one log, or on the plan alone, so all machines compute the same shards.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from conformance.language.check import Check
from conformance.language.verdict import Severity
from conformance.log.log_file import read_header, records_of
from conformance.log.record import CheckRecord
from conformance.values.errors import RunLogError, UsageError

_JUDGING_NS = 500_000
_RESTART_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The shard to run. `times` is an earlier log that balances the shards; without it, every check weighs the same."""

    number: int
    of: int
    times: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Recorded cost of each case over all targets, and the cost assumed for a check of a case without one."""

    of_case: Mapping[str, int] = field(default_factory=dict)
    of_another_check: int = 1


def recorded_costs(log: Path, adapters: Collection[str]) -> Costs:
    """The costs of the cases in a log on the targets of these adapters, in nanoseconds.

    Raises:
        RunLogError: the log cannot be read, or has no record of these adapters.
    """
    header = read_header(log)
    targets = {target.name for target in header.targets if target.adapter in adapters}
    of_case: Counter[str] = Counter()
    checks = 0
    for record in records_of(log):
        if record.target in targets:
            of_case[record.case] += _cost(record, header.timeout_s)
            checks += 1
    if not checks:
        what = f"has no times of {', '.join(sorted(adapters))}"
        raise RunLogError(str(log), what, fix="name a log of these adapters, or leave out --shard-times")
    return Costs(of_case=of_case, of_another_check=max(1, of_case.total() * len(targets) // checks))


def mean_costs(log: Path) -> dict[str, int]:
    """The mean cost of a check in a log by adapter, in nanoseconds.

    Raises:
        RunLogError: the log cannot be read.
    """
    header = read_header(log)
    adapters = {target.name: target.adapter for target in header.targets}
    costs, checks = Counter[str](), Counter[str]()
    for record in records_of(log):
        if record.target in adapters and record.verdict.meaning.was_asked:
            costs[adapters[record.target]] += _cost(record, header.timeout_s)
            checks[adapters[record.target]] += 1
    return {adapter: costs[adapter] // count for adapter, count in checks.items()}


def places_in_shard(shard: Shard, checks: Iterable[Check], costs: Costs) -> Sequence[int]:
    """The positions in the plan, from 0 and ascending, of the checks of a shard.

    Raises:
        UsageError: there are fewer cases than shards.
    """
    sizes, weights = array("Q"), array("Q")
    for case, forms in groupby(checks, key=lambda check: check.case.id):
        sizes.append(sum(1 for _ in forms))
        weights.append(costs.of_case.get(case) or costs.of_another_check * sizes[-1])
    if len(sizes) < shard.of:
        fix = f"use {len(sizes)} shards or fewer"
        raise UsageError(f"--shard {shard.number}/{shard.of}", f"there are only {len(sizes)} cases", fix=fix)
    owners = _dealt(weights, shard.of)
    places, first = array("Q"), 0
    for owner, size in zip(owners, sizes, strict=True):
        if owner == shard.number:
            places.extend(range(first, first + size))
        first += size
    return places


def _dealt(weights: Sequence[int], of: int) -> Sequence[int]:
    """The number of the shard, from 1, that gets each weight."""
    owners = array("Q", bytes(8 * len(weights)))
    loads = [(0, number) for number in range(1, of + 1)]
    for place in sorted(range(len(weights)), key=lambda place: -weights[place]):
        load, number = loads[0]
        owners[place] = number
        heapq.heapreplace(loads, (load + weights[place], number))
    return owners


def _cost(record: CheckRecord, timeout_s: float) -> int:
    """The cost of a check in nanoseconds: in the worker, for restarts and time-outs, and for judging."""
    cost = record.prepare_ns + sum(record.run_ns) + _JUDGING_NS
    if record.judged.meaning.waits_for_limit:
        return cost + 2 * int(timeout_s * 1e9)
    return cost + 2 * _RESTART_NS if record.judged.meaning.severity in (Severity.CRASH, Severity.MEMORY) else cost
