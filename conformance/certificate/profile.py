"""Profiles: the checks that a certificate speaks about, and how each counts. Data only; `profile_file` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from conformance.records.record import CheckRecord, TargetEntry
from conformance.selection.selection import Selection
from conformance.spec.operator import is_named
from conformance.spec.verdict import Verdict


class Count(Enum):
    """How a check counts. All but APART are in the denominator of every rate."""

    PASSED = "passed"
    DEVIATING = "deviating"
    """Covered by a deviation."""
    FAILED = "failed"
    UNANSWERED = "unanswered"
    """Unsupported, not expressible, or lowered to other operators."""
    APART = "apart"
    """Counts neither for nor against, such as what a page leaves open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The types that a backend must answer if the page leaves the types open; others only if it declares them."""

    operators: tuple[str, ...]
    types: frozenset[str]
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastPassed:
    """The share of answers that must pass, of each operator and of each clause, in percent."""

    operator: int
    clause: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named selection of checks, with how each verdict counts and why.

    To meet a profile, a backend must also meet the profiles that it `includes`, whose checks are among its own. If
    `forms_are_optional`, checks in forms that the adapter does not declare are ruled out.
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
        """How a record of this target counts."""
        if self.ruled_out(record, target) is not None:
            return Count.APART
        count = self.verdicts[record.verdict]
        return Count.UNANSWERED if record.lowered and count in (Count.PASSED, Count.DEVIATING) else count

    def ruled_out(self, record: CheckRecord, target: TargetEntry) -> str | None:
        """The form or type by which the target's description rules the check out; None if it does not."""
        if self.forms_are_optional and target.forms is not None and record.form.value not in target.forms:
            return f"form {record.form.value}"
        floor = self.floor_of(record.operator)
        is_open = floor is not None and record.dtype and record.dtype not in floor.types
        is_undeclared = target.dtypes is not None and record.dtype not in target.dtypes
        return f"type {record.dtype}" if is_open and is_undeclared else None

    def floor_of(self, operator: str) -> Floor | None:
        """The floor of an operator whose page leaves the types open; None if the page lists them."""
        return next((floor for floor in self.floors if is_named(operator, floor.operators)), None)
