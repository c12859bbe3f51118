"""Counters for a log read line by line: verdicts, and medians of times without storing each time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from conformance.language.verdict import Rank, Section, Standing, Verdict

Key = TypeVar("Key")

_STEPS_PER_DOUBLING = 32


def in_order(kinds: Iterable[Key], counts: Mapping[Key, int]) -> dict[Key, int]:
    """The counts in the order of these kinds, without those that are zero."""
    return {kind: count for kind in kinds if (count := counts.get(kind, 0))}


def count_bounded(counter: Counter[Key], key: Key | None, most: int, otherwise: Key | None = None) -> None:
    """Counts under `key`, a further one than the first `most` under `otherwise`; None counts nothing."""
    kept = key if key in counter or len(counter) < most else otherwise
    if kept is not None:
        counter[kept] += 1


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of checks by verdict, and of results that were lowered."""

    of: Mapping[Verdict, int] = field(default_factory=dict)
    lowered: int = 0

    def where(self, column: Standing | Section) -> Counts:
        """The counts of the verdicts with this standing, or that this section explains."""
        return Counts({v: n for v, n in self.of.items() if column in (v.meaning.standing, v.meaning.section)})

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(self.of.values())

    @property
    def conforming(self) -> int:
        """Number of conforming checks: the numerator of every rate."""
        return self.where(Standing.CONFORMING).total

    @property
    def deviating(self) -> int:
        """Number of deviating checks that no recorded deviation covers."""
        return self.where(Standing.DEVIATING).total

    @property
    def excused(self) -> int:
        """Number of checks that deviate as recorded or as in the baseline."""
        return self.where(Standing.EXCUSED).total

    @property
    def compared(self) -> int:
        """Number of checks that conform, deviate, or are excused: the denominator of every rate."""
        return self.conforming + self.deviating + self.excused

    @property
    def answered(self) -> int:
        """Number of checks that say something about the framework: compared, or of a disputed case."""
        return sum(count for verdict, count in self.of.items() if verdict.meaning.rank in (Rank.HOLDS, Rank.DEVIATES))

    @property
    def neighbours(self) -> int:
        """Number of checks that a control excuses."""
        return self.where(Section.NEIGHBOURS).total

    @property
    def is_excused_too_often(self) -> bool:
        """Whether controls excuse more than a twentieth of the checks of an operator: too many for a pass."""
        return 20 * self.neighbours > self.total

    @property
    def text(self) -> str:
        """The verdicts with their counts, as `3 wrong result, 1 crashed`."""
        return ", ".join(f"{count:,} {verdict.value}" for verdict, count in in_order(Verdict, self.of).items())

    def __add__(self, other: Counts) -> Counts:
        return Counts(Counter(self.of) + Counter(other.of), self.lowered + other.lowered)


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianTime:
    """The median of single calls, in nanoseconds, and of how many."""

    median_ns: int
    count: int


class Times:
    """A histogram of times in steps of 2 %, so that memory is bounded."""

    def __init__(self) -> None:
        self._steps: Counter[int] = Counter()

    def add(self, nanoseconds: int) -> None:
        """Counts one time; ignores times that are not positive: they were not measured."""
        if nanoseconds > 0:
            self._steps[round(math.log2(nanoseconds) * _STEPS_PER_DOUBLING)] += 1

    def typical(self) -> MedianTime | None:
        """The lower median, exact to about 1 %; None without times."""
        count = self._steps.total()
        passed = 0
        for step in sorted(self._steps):
            passed += self._steps[step]
            if 2 * passed >= count:
                return MedianTime(median_ns=round(2 ** (step / _STEPS_PER_DOUBLING)), count=count)
        return None
