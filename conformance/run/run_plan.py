"""The checks of one run, in chunks that are made on their own: all of a selection or the best sample of it, one shard
of these, or those that failed in an earlier log.

All machines compute the same division into shards. A case goes to one shard with all its forms, so that its report is
whole there and its data is made once. Each case goes to the shard with the fewest checks so far.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path

from conformance.log.log_file import read_footer, read_header, records_of
from conformance.log.record import Header, ShardEntry
from conformance.protocol.form import Form
from conformance.run.dispatch import TimingMode
from conformance.run.selection import Selection, case_makers, cases_of, checks_of, checks_of_case, sample_of
from conformance.spec.case import Case
from conformance.spec.check import Check
from conformance.spec.choices import CaseSet
from conformance.spec.verdict import ExitCode
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite
from conformance.tensors.errors import RunLogError, UsageError

CHUNK_CHECKS = 128
ChunkCase = tuple[int, int, int]
"""The place of a family in a plan, the number of a product, and the checks of its case that are meant: bit 0 stands for
the first one.
"""
_Maker = tuple[int, Callable[[], Case | None]]
"""The number of a product, with the function that makes its case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive checks of a run, with the cases from which a reader can make them.

    `number` counts the checks of the run before it. `places` are those of its checks in the whole plan; a shard runs
    a part of that plan.
    """

    number: int
    cases: tuple[ChunkCase, ...]
    places: Sequence[int]
    is_of_shard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The checks of a run, made anew for each reader, in the order of the files.

    `cases` are those of the whole plan, with all their checks in it, and `starts` has the place of each case's first
    check there. `places` are those of the checks of this run.
    """

    families: Sequence[CaseFamily]
    selection: Selection
    cases: Sequence[ChunkCase]
    starts: Sequence[int]
    places: Sequence[int]
    shard: ShardEntry | None = None

    @property
    def planned(self) -> int:
        """The number of checks."""
        return len(self.places)

    def chunk(self, number: int, size: int = CHUNK_CHECKS) -> Chunk:
        """The checks from this number on, at most `size`."""
        places = self.places[number : number + size]
        bits: dict[int, int] = {}
        for place in places:
            case = bisect_right(self.starts, place) - 1
            bits[case] = bits.get(case, 0) | _bit(self.cases[case][2], place - self.starts[case])
        return Chunk(
            number=number,
            cases=tuple((*self.cases[case][:2], of_chunk) for case, of_chunk in bits.items()),
            places=places if isinstance(places, range) else tuple(places),
            is_of_shard=self.shard is not None,
        )

    def chunks(self, done: int = 0, size: int = CHUNK_CHECKS) -> Iterator[Chunk]:
        """The checks after the first `done` ones, in the order of the plan, at most `size` in a chunk."""
        return (self.chunk(number, size) for number in range(done, self.planned, size))

    def checks(self, done: int = 0) -> Iterator[Check]:
        """The checks after the first `done` ones, in the order of the plan."""
        reader = ChunkReader(self.families, self.selection)
        return chain.from_iterable(map(reader.checks, self.chunks(done)))


def _bit(bits: int, count: int) -> int:
    """The bit of a case's check that has so many before it."""
    for _ in range(count):
        bits &= bits - 1
    return bits & -bits


class ChunkReader:
    """Makes the checks of chunks. `families` are all those of their plan.

    The reader continues from its last chunk if the next one follows in the same family; otherwise it starts with that
    family. It makes no case without a check in the chunk.
    """

    def __init__(self, families: Sequence[CaseFamily], selection: Selection) -> None:
        self.families = families
        self._selection = selection
        self._family = -1
        self._makers: Iterator[_Maker] = iter(())
        self._last: _Maker = (-1, lambda: None)

    def checks(self, chunk: Chunk) -> Iterator[Check]:
        """The checks of a chunk, made as they are taken; take them all before those of another one."""
        for family, product, bits in chunk.cases:
            case = self._case(family, product)
            for number, check in enumerate([] if case is None else checks_of_case(case, self._selection)):
                if bits >> number & 1:
                    yield check

    def _case(self, family: int, product: int) -> Case | None:
        if self._family != family or self._last[0] > product:
            self._family, self._makers = family, case_makers(self.families[family], self._selection)
            self._last = (-1, lambda: None)
        if self._last[0] < product:
            self._last = next(maker for maker in self._makers if maker[0] == product)
        return self._last[1]()


def selected_checks(families: Sequence[CaseFamily], selection: Selection) -> Iterator[Check]:
    """The checks that are selected, in the order of the files."""
    return _whole(families, selection).checks() if selection.is_sample else checks_of(families, selection)


def run_plan_of(families: Sequence[CaseFamily], selection: Selection, shard: Shard | None) -> RunPlan:
    """The plan of a run, or of a shard of it.

    Raises:
        UsageError: there are fewer cases than shards.
    """
    plan = _whole(families, selection)
    if shard is None or not plan.planned:
        return plan
    places = places_in_shard(shard, [bits.bit_count() for *_, bits in plan.cases])
    return replace(plan, places=places, shard=ShardEntry(number=shard.number, of=shard.of, whole=plan.planned))


def checks_left_out(suite: Suite, plan: RunPlan) -> int:
    """The number of checks that the full set of the planned operator versions has beyond those of the whole plan.

    It is 0 where it is not known, or where something other than operators was chosen.
    """
    sets, versions = set(plan.selection.sets), {family.operator.id for family in plan.families}
    if plan.selection.is_narrowed or not sets <= {CaseSet.SMOKE, CaseSet.DEFAULT, CaseSet.FULL}:
        return 0
    if suite.added or not versions <= suite.full_checks.keys():
        return 0
    whole = plan.planned if plan.shard is None else plan.shard.whole
    return sum(suite.full_checks[version] for version in versions) - whole


def _whole(families: Sequence[CaseFamily], selection: Selection) -> RunPlan:
    cases = list(_sample(families, selection) if selection.is_sample else _everything(families, selection))
    *starts, whole = accumulate((bits.bit_count() for *_, bits in cases), initial=0)
    return RunPlan(families=families, selection=selection, cases=cases, starts=array("Q", starts), places=range(whole))


def _everything(families: Sequence[CaseFamily], selection: Selection) -> Iterator[ChunkCase]:
    for number, family in enumerate(families):
        for case in cases_of([family], selection):
            if checks := checks_of_case(case, selection):
                yield number, case.number, (1 << len(checks)) - 1


def _sample(families: Sequence[CaseFamily], selection: Selection) -> Iterator[ChunkCase]:
    for family, products in sorted(sample_of(families, selection).items()):
        yield from ((family, product, bits) for product, bits in sorted(products.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The shard to run, from 1."""

    number: int
    of: int


def places_in_shard(shard: Shard, sizes: Sequence[int]) -> Sequence[int]:
    """The positions in the plan, from 0 and ascending, of the checks of a shard; `sizes` are how many each case has.

    Raises:
        UsageError: there are fewer cases than shards.
    """
    if len(sizes) < shard.of:
        fix = f"use {len(sizes)} shards or fewer"
        raise UsageError(f"--shard {shard.number}/{shard.of}", f"there are only {len(sizes)} cases", fix=fix)
    loads = [(0, number) for number in range(1, shard.of + 1)]  # a heap
    places, first = array("Q"), 0
    for size in sizes:
        load, owner = loads[0]
        heapq.heapreplace(loads, (load + size, owner))
        if owner == shard.number:
            places.extend(range(first, first + size))
        first += size
    return places


def failed_in(log: Path, suite_digest: str) -> tuple[Header, frozenset[tuple[str, Form]]]:
    """The header of a log of these case files, and the checks that failed for any target.

    Raises:
        RunLogError: the log cannot be read, is not complete, or is of other case files.
    """
    header, footer = read_header(log), read_footer(log)
    if header.suite.digest != suite_digest:
        raise RunLogError(str(log), "was made with other case files", fix="run all cases again")
    if footer is None or not footer.complete:
        raise RunLogError(str(log), "is not complete", fix="finish it with --resume first")
    checks = frozenset(
        (record.case, record.form)
        for record in records_of(log)
        if record.verdict.meaning.exit_code is not ExitCode.CONFORMING
    )
    return header, checks


# What a run does.

Probe = Callable[[TargetRequest], list[str]]
"""Names the operators and types that a target answers correctly but does not declare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What to run, and the path of the log. With `resume`, the run continues the log; otherwise it replaces it.

    `jobs` is the number of child processes at a time; a target with many checks gets several. A `probe` runs for each
    target before its first check. With `strict_records`, a recorded deviation that no longer happens fails the run,
    unless the bundled cases were edited. With `reuse`, the path of a history, answers of earlier runs are taken over
    from it.
    """

    suite: Suite
    selection: Selection
    targets: tuple[TargetRequest, ...]
    log: Path
    timeout_s: float
    jobs: int
    resume: bool = False
    shard: Shard | None = None
    timing: TimingMode = TimingMode.OFF
    probe: Probe | None = None
    strict_records: bool = False
    reuse: Path | None = None
