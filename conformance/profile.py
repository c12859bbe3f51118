"""Profiles: what a certificate speaks about, and how each check of it counts. Pure data; `profile_file` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.operator import is_named
from conformance.plan import Selection
from conformance.record import CheckRecord, TargetEntry
from conformance.verdict import Verdict


class Count(Enum):
    """How a check counts. All but the last are in the denominator of every rate."""

    PASSED = "passed"
    DEVIATING = "deviating"
    """Deviates as recorded."""
    FAILED = "failed"
    UNANSWERED = "unanswered"
    """Unsupported, or answered through other operators: never passed."""
    APART = "apart"
    """Neither for nor against, such as what a page leaves open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Types that a backend must answer, where a page leaves open which: beyond them its own declaration decides."""

    operators: tuple[str, ...]
    types: frozenset[str]
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named set of checks, given as a selection, with how each verdict counts and why."""

    name: str
    about: str
    selection: Selection
    floors: tuple[Floor, ...]
    verdicts: Mapping[Verdict, Count]
    digest: str

    def count_of(self, record: CheckRecord, target: TargetEntry) -> Count:
        """How one record of a target counts."""
        floor = self.floor_of(record.operator)
        is_open = floor is not None and record.dtype and record.dtype not in floor.types
        if is_open and target.dtypes is not None and record.dtype not in target.dtypes:
            return Count.APART
        count = self.verdicts[record.verdict]
        return Count.UNANSWERED if record.lowered and count is not Count.APART else count

    def floor_of(self, operator: str) -> Floor | None:
        """The floor of an operator whose page leaves the types open; None where the page lists them."""
        return next((floor for floor in self.floors if is_named(operator, floor.operators)), None)
