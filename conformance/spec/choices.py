"""The choices that users, profiles and logs make: the only place that declares the fields of a selection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.protocol.form import Form


class CaseSet(Enum):
    """The set that a case belongs to; a run chooses its sets. `smoke` is the best of the default set."""

    SMOKE = "smoke"
    DEFAULT = "default"
    FULL = "full"
    HUGE = "huge"
    TIMING = "timing"


class Expects(Enum):
    """What a case expects, by the key of the case file."""

    OUTPUTS = "outputs"
    REJECTED = "rejected"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What was chosen; an empty field chooses everything.

    `operators` are names with or without version, `cases` patterns over ids with or without matrix product, `clauses`
    clause ids, `dtypes` the types of the data. `sample` is a number of checks: only so many run, the best of those
    chosen. A `challenge` is a seed from which the data is derived; empty for the data of the case files.
    """

    operators: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    sets: tuple[CaseSet, ...] = (CaseSet.DEFAULT,)
    dtypes: tuple[str, ...] = ()
    expects: tuple[Expects, ...] = ()
    sample: int = 0
    challenge: str = ""

    @property
    def is_sample(self) -> bool:
        """Whether only the best of the selected checks run."""
        return bool(self.sample) or CaseSet.SMOKE in self.sets
