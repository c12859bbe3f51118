"""Profiles: what a certificate speaks about, and how each check of it counts. Pure data; `profile_file` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.records.record import CheckRecord, TargetEntry
from conformance.selection.selection import Selection
from conformance.spec.operator import is_named
from conformance.spec.verdict import Verdict


class Count(Enum):
    """How a check counts. All but the last are in the denominator of every rate."""

    PASSED = "passed"
    DEVIATING = "deviating"
    """Deviates as recorded."""
    FAILED = "failed"
    UNANSWERED = "unanswered"
    """Unsupported, not expressible, or answered through other operators: never passed."""
    APART = "apart"
    """Neither for nor against, such as what a page leaves open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Types that a backend must answer, where a page leaves open which: beyond them its own declaration decides."""

    operators: tuple[str, ...]
    types: frozenset[str]
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastPassed:
    """What share of the answers of each operator, and of each clause, has to pass, in percent."""

    operator: int
    clause: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named set of checks, given as a selection, with how each verdict counts and why.

    A backend has a profile only with those that it `includes`, whose checks are among its own. Where
    `forms_are_optional`, a form that an adapter does not declare is not asked of its backend.
    """

    name: str
    about: str
    selection: Selection
    floors: tuple[Floor, ...]
    least_passed: LeastPassed
    forms_are_optional: bool
    includes: tuple[Profile, ...]
    verdicts: Mapping[Verdict, Count]
    digest: str

    def count_of(self, record: CheckRecord, target: TargetEntry) -> Count:
        """How one record of a target counts."""
        if self.ruled_out(record, target) is not None:
            return Count.APART
        count = self.verdicts[record.verdict]
        return Count.UNANSWERED if record.lowered and count in (Count.PASSED, Count.DEVIATING) else count

    def ruled_out(self, record: CheckRecord, target: TargetEntry) -> str | None:
        """What the description of a target rules out ahead, by which this is not asked of it: a form or a type."""
        if self.forms_are_optional and target.forms is not None and record.form.value not in target.forms:
            return f"form {record.form.value}"
        floor = self.floor_of(record.operator)
        is_open = floor is not None and record.dtype and record.dtype not in floor.types
        is_undeclared = target.dtypes is not None and record.dtype not in target.dtypes
        return f"type {record.dtype}" if is_open and is_undeclared else None

    def floor_of(self, operator: str) -> Floor | None:
        """The floor of an operator whose page leaves the types open; None where the page lists them."""
        return next((floor for floor in self.floors if is_named(operator, floor.operators)), None)
