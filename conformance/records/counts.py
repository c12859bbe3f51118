"""What is counted while a log streams by: verdicts, and times without keeping each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.spec.verdict import Rung, Standing, Verdict

_STEPS_PER_DOUBLING = 32


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each verdict was given, and how many of the results were lowered."""

    of: Mapping[Verdict, int] = field(default_factory=dict)
    lowered: int = 0

    def __getitem__(self, verdict: Verdict) -> int:
        return self.of.get(verdict, 0)

    def with_standing(self, standing: Standing) -> int:
        """Number of checks whose verdict counts in this way."""
        return sum(count for verdict, count in self.of.items() if verdict.meaning.standing is standing)

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(self.of.values())

    @property
    def conforming(self) -> int:
        """The numerator of every rate."""
        return self.with_standing(Standing.CONFORMING)

    @property
    def deviating(self) -> int:
        """Differences that no entry records."""
        return self.with_standing(Standing.DEVIATING)

    @property
    def excused(self) -> int:
        """Differences as recorded."""
        return self.with_standing(Standing.EXCUSED)

    @property
    def compared(self) -> int:
        """The denominator of every rate: what conforms, deviates, or deviates as recorded."""
        return self.conforming + self.deviating + self.excused

    @property
    def answered(self) -> int:
        """Checks that say something about the framework: compared, or of a disputed case."""
        return sum(count for verdict, count in self.of.items() if verdict.meaning.rung in (Rung.HOLDS, Rung.DEVIATES))

    def told(self, standing: Standing) -> str:
        """`3 wrong result, 1 crashed`: how often each verdict of a standing was given."""
        return ", ".join(
            f"{self[verdict]:,} {verdict.value}"
            for verdict in Verdict
            if self[verdict] and verdict.meaning.standing is standing
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts(Counter(self.of) + Counter(other.of), self.lowered + other.lowered)


@dataclass(frozen=True, slots=True)
class Typical:
    """The median of some times, in nanoseconds to about 1 %, and of how many."""

    median_ns: float
    count: int


class Times:
    """Times sorted into steps of 2 %: the memory is bounded, whatever their number."""

    def __init__(self) -> None:
        self._steps: Counter[int] = Counter()

    def add(self, nanoseconds: int) -> None:
        """Count one time; those that are not positive were not measured."""
        if nanoseconds > 0:
            self._steps[round(math.log2(nanoseconds) * _STEPS_PER_DOUBLING)] += 1

    def typical(self) -> Typical | None:
        """The lower median, or None of no times."""
        count = self._steps.total()
        passed = 0
        for step in sorted(self._steps):
            passed += self._steps[step]
            if 2 * passed >= count:
                return Typical(2 ** (step / _STEPS_PER_DOUBLING), count)
        return None
