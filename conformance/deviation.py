"""Recorded, explained departures of a target from cases: what turns a failing verdict into *known*, and a stale
entry into *fixed*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.form import Form
from conformance.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """One entry of an adapter's `deviations.yaml`.

    It covers the checks whose case matches one of `cases` (ids, with * and ?) and whose form is among `forms` (all, if
    empty), on targets whose framework version lies in `versions` and whose options are as in `options`. Each of them
    must deviate, with one of `verdicts`: a framework that reads beyond its memory does not fail alike each time.
    """

    id: str
    cases: tuple[str, ...]
    forms: tuple[Form, ...]
    versions: str
    options: Mapping[str, str]
    verdicts: tuple[Verdict, ...]
    what: str
    why: str
    upstream: str
    since: date
    review: date
    reproducer: str

    def speaks_of(self, version: str, options: Mapping[str, str]) -> bool:
        """Whether this is about a target at a framework version with these options, all of them given."""
        return _is_in_range(version, self.versions) and all(
            options.get(name) == value for name, value in self.options.items()
        )

    def covers(self, case_id: str, form: Form) -> bool:
        """Whether a check is among those that this says deviate."""
        return (not self.forms or form in self.forms) and any(matches(case_id, pattern) for pattern in self.cases)


def matches(case_id: str, pattern: str) -> bool:
    """Whether an id is that of a pattern with `*` and `?`; brackets stand for themselves, as ids have them."""
    return fnmatchcase(case_id, pattern.replace("[", "[[]"))


def standing_verdict(judged: Verdict, deviation: Deviation | None) -> Verdict:
    """The verdict that counts, once a recorded deviation has its say.

    One that happens as recorded is *known*; where the framework now passes, the entry is stale and the verdict *fixed*;
    any other departure stays what it is.
    """
    if deviation is None:
        return judged
    if judged in deviation.verdicts:
        return Verdict.KNOWN
    return Verdict.FIXED if judged is Verdict.PASS else judged


def deviation_of(deviations: Sequence[Deviation], case_id: str, form: Form) -> Deviation | None:
    """The first entry that covers a check."""
    return next((entry for entry in deviations if entry.covers(case_id, form)), None)


def _is_in_range(version: str, versions: str) -> bool:
    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
