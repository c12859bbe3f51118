"""Shards: divides the checks of one run plan among several machines, which all compute the same division.

A case goes to one shard with all its forms, so that its report is whole there and its data is made once. The cases with
most forms are assigned first, each to the shard with the fewest checks so far.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.language.check import Check
from conformance.values.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The shard to run, from 1."""

    number: int
    of: int


def places_in_shard(shard: Shard, checks: Iterable[Check]) -> Sequence[int]:
    """The positions in the plan, from 0 and ascending, of the checks of a shard.

    Raises:
        UsageError: there are fewer cases than shards.
    """
    sizes = array("Q", (sum(1 for _ in forms) for _, forms in groupby(checks, key=lambda check: check.case.id)))
    if len(sizes) < shard.of:
        fix = f"use {len(sizes)} shards or fewer"
        raise UsageError(f"--shard {shard.number}/{shard.of}", f"there are only {len(sizes)} cases", fix=fix)
    owners = _dealt(sizes, shard.of)
    places, first = array("Q"), 0
    for owner, size in zip(owners, sizes, strict=True):
        if owner == shard.number:
            places.extend(range(first, first + size))
        first += size
    return places


def _dealt(sizes: Sequence[int], of: int) -> Sequence[int]:
    """The number of the shard, from 1, that gets each case."""
    owners = array("Q", bytes(8 * len(sizes)))
    loads = [(0, number) for number in range(1, of + 1)]
    for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):
        load, number = loads[0]
        owners[place] = number
        heapq.heapreplace(loads, (load + sizes[place], number))
    return owners
