"""Recorded, explained departures of a target from cases: what turns a failing verdict into *known*, and a stale
entry into *fixed*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from fnmatch import translate
from functools import cache

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.case import Case, Rejection
from conformance.form import Form
from conformance.verdict import Verdict


class Happens(Enum):
    """On how many of the checks that an entry covers its deviation shows."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """One entry of an adapter's `deviations.yaml`.

    It covers the checks whose case matches one of `cases` (ids, with * and ?) and whose form is among `forms` (all, if
    empty), on targets whose framework version lies in `versions` and whose options are as in `options`. Each of them
    must deviate, with one of `verdicts`: a framework that reads beyond its memory does not fail alike each time. Where
    the arguments decide in ways that no pattern tells, it `happens` sometimes, and must be met in a whole run. `causes`
    are patterns of the judge's causes that are meant; any, if empty.
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
    causes: tuple[str, ...] = ()
    happens: Happens = Happens.ALWAYS

    @property
    def damages_memory(self) -> bool:
        """Whether what happens on the checks can end the process later, or not at all."""
        return bool({Verdict.CRASHED, Verdict.UNSTABLE} & set(self.verdicts))

    def speaks_of(self, version: str, options: Mapping[str, str]) -> bool:
        """Whether this is about a target at a framework version with these options, all of them given."""
        return _is_in_range(version, self.versions) and all(
            options.get(name) == value for name, value in self.options.items()
        )

    def covers(self, case: Case, form: Form) -> bool:
        """Whether a check is among those that this says deviate.

        Only a case that demands a refusal can be accepted though invalid, and only others, or the valid call before it,
        can be refused though valid or give a wrong result: a pattern speaks of those alone.
        """
        return (
            (not self.forms or form in self.forms)
            and any(_is_possible(verdict, case, form) for verdict in self.verdicts)
            and _any_of(self.cases).fullmatch(case.id) is not None
        )

    def records(self, judged: Verdict, cause: str) -> bool:
        """Whether this is what the entry says of a check that it covers."""
        return judged in self.verdicts and (not self.causes or _any_of(self.causes).fullmatch(cause) is not None)


def matches(case_id: str, pattern: str) -> bool:
    """Whether an id is that of a pattern with `*` and `?`; brackets stand for themselves, as ids have them."""
    return _any_of((pattern,)).fullmatch(case_id) is not None


def unmatched(patterns: Iterable[str], case_ids: Iterable[str]) -> set[str]:
    """The patterns that match none of the ids."""
    left = set(patterns)
    for case_id in case_ids:
        if not left:
            break
        left -= {pattern for pattern in left if matches(case_id, pattern)}
    return left


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern.replace("[", "[[]")) for pattern in patterns))


def deviation_of(
    deviations: Sequence[Deviation], case: Case, form: Form, judged: Verdict, cause: str
) -> Deviation | None:
    """The entry that speaks of a check: the first that covers it and records what happened.

    Where there is none, it is the first that covers the check, one that always happens before others.
    """
    covering = [entry for entry in deviations if entry.covers(case, form)]
    covering.sort(key=lambda entry: (not entry.records(judged, cause), entry.happens is not Happens.ALWAYS))
    return covering[0] if covering else None


def standing_verdict(judged: Verdict, cause: str, deviation: Deviation | None) -> Verdict:
    """The verdict that counts, once a recorded deviation has its say.

    One that happens as recorded is *known*; where the framework now passes what always deviated, the entry is stale and
    the verdict *fixed*; any other departure stays what it is.
    """
    if deviation is None:
        return judged
    if deviation.records(judged, cause):
        return Verdict.KNOWN
    is_stale = judged is Verdict.PASS and deviation.happens is Happens.ALWAYS
    return Verdict.FIXED if is_stale else judged


def _is_possible(verdict: Verdict, case: Case, form: Form) -> bool:
    demands_refusal = isinstance(case.expectation, Rejection)
    match verdict:
        case Verdict.ACCEPTED_INVALID:
            return demands_refusal
        case Verdict.WRONG_RESULT:
            return not demands_refusal
        case Verdict.REJECTED_VALID:
            return not demands_refusal or form.has_other_calls
        case _:
            return True


def _is_in_range(version: str, versions: str) -> bool:
    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
