"""Profiles: the checks that a certificate speaks about, and how each counts.

This is the only module that knows the format of `profiles/*.yaml`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from conformance.log.record import CheckRecord, TargetEntry
from conformance.protocol.form import Form
from conformance.run.selection import Selection
from conformance.spec.choices import CaseSet, Expects
from conformance.spec.operator import is_named
from conformance.spec.verdict import Standing, Verdict
from conformance.suite.file_schema import FileModel, validated, words
from conformance.suite.yaml_document import Document, read_document
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import CaseFileError, SelectionError, nearest
from conformance.tensors.text import counted


class ProfileCount(Enum):
    """How a check counts. All but NOT_COUNTED are in the denominator of every rate."""

    PASSED = "passed"
    DEVIATING = "deviating"
    """Covered by a deviation."""
    FAILED = "failed"
    UNANSWERED = "unanswered"
    """Unsupported, not expressible, not declared, or lowered to other operators."""
    NOT_COUNTED = "not_counted"
    """Counts neither for nor against, such as what a page leaves open."""


_ALLOWED = {
    Standing.CONFORMING: (ProfileCount.PASSED,),
    Standing.EXCUSED: (ProfileCount.DEVIATING,),
    Standing.DEVIATING: (ProfileCount.FAILED,),
    Standing.INFORMATIVE: (ProfileCount.UNANSWERED, ProfileCount.NOT_COUNTED),
}


Dtype = Annotated[str, words(DTYPES)]


class AsksEntry(FileModel):
    """The checks of the profile; a key that is left out restricts nothing."""

    sets: list[Annotated[CaseSet, words((CaseSet.DEFAULT, CaseSet.FULL))]] = Field(min_length=1)
    expects: list[Annotated[Expects, words(Expects)]] = Field(
        default_factory=list, description="what the cases expect: outputs, a rejection, one of several interpretations"
    )
    forms: list[Annotated[Form, words(Form)]] = Field(default_factory=list, description="left out: all forms")
    types: list[Dtype] = Field(default_factory=list, description="types of the data; left out: all")
    because: dict[Literal["sets", "expects", "forms", "types"], str] = Field(description="the reason of each choice")


class FloorEntry(FileModel):
    """Types that a backend must answer for operators whose page lists no types."""

    operators: list[str] = Field(min_length=1, description="names with version; * matches")
    types: list[Dtype] = Field(min_length=1)
    because: str = Field(min_length=1)


class LeastPassedEntry(FileModel):
    """The percentage of answers that must pass, for each operator and each clause."""

    operator: int = Field(ge=1, le=100, description="percent")
    clause: int = Field(ge=1, le=100, description="percent")
    because: str = Field(min_length=1)


class OptionalEntry(FileModel):
    """What is not tested on a backend whose adapter does not declare it."""

    of: list[Literal["forms"]] = Field(min_length=1)
    because: str = Field(min_length=1)


class CountEntry(FileModel):
    """The verdicts that count in one way, and why."""

    verdicts: list[Annotated[Verdict, words(Verdict)]] = Field(min_length=1)
    because: str = Field(min_length=1)


class ProfileFile(FileModel):
    """A profile: which checks run, and how the answers count."""

    profile: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}$", description="its name, which is that of the file")
    about: str = Field(min_length=1)
    asks: AsksEntry
    includes: list[str] = Field(default_factory=list, description="profiles that are a part of this one")
    floors: list[FloorEntry] = Field(default_factory=list)
    least_passed: LeastPassedEntry
    optional: OptionalEntry | None = None
    counts: dict[Annotated[ProfileCount, words(ProfileCount)], CountEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named selection of checks, with how each verdict counts and why.

    To meet a profile, a backend must also meet the profiles that it `includes`, whose checks are among its own. If
    `forms_are_optional`, checks in forms that the adapter does not declare are ruled out.
    """

    name: str
    selection: Selection
    floors: tuple[FloorEntry, ...]
    least_passed: LeastPassedEntry
    forms_are_optional: bool
    includes: tuple[Profile, ...]
    verdicts: Mapping[Verdict, ProfileCount]
    digest: str

    def count_of(self, record: CheckRecord, target: TargetEntry) -> ProfileCount:
        """How a record of this target counts."""
        if self.ruled_out(record, target) is not None:
            return ProfileCount.NOT_COUNTED
        count = self.verdicts[record.verdict]
        return (
            ProfileCount.UNANSWERED
            if record.lowered and count in (ProfileCount.PASSED, ProfileCount.DEVIATING)
            else count
        )

    def ruled_out(self, record: CheckRecord, target: TargetEntry) -> str | None:
        """The form or type by which the target's description rules the check out; None if it does not."""
        if self.forms_are_optional and target.forms is not None and record.form.value not in target.forms:
            return f"form {record.form.value}"
        floor = next((floor for floor in self.floors if is_named(record.operator, floor.operators)), None)
        is_open = floor is not None and record.dtype and record.dtype not in floor.types
        is_undeclared = target.dtypes is not None and record.dtype not in target.dtypes
        return f"type {record.dtype}" if is_open and is_undeclared else None


def profile_names(folder: Path) -> list[str]:
    """The names of the profiles in a folder."""
    return sorted(path.stem for path in folder.glob("*.yaml") if path.stem != "releases")


def read_profile(name: str, folder: Path) -> Profile:
    """The profile with this name.

    Raises:
        SelectionError: the folder has none.
        ExceptionGroup: of `CaseFileError`, one for each problem of its file.
    """
    if name not in (names := profile_names(folder)):
        fix = nearest(name, names, otherwise=f"there are {', '.join(names)}")
        raise SelectionError(f"profile {name!r}", "there is no such profile", fix=fix)
    return profile_from_file(folder / f"{name}.yaml")


def profile_from_file(path: Path) -> Profile:
    """The profile in a file.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem.
    """
    document = read_document(path, f"profiles/{path.name}")
    file = validated(ProfileFile, document)
    problems = list(_problems(file, document, path))
    if problems:
        raise ExceptionGroup(f"{document.path} has {counted(len(problems), 'problem')}", problems)
    asks = file.asks
    return Profile(
        name=file.profile,
        selection=Selection(
            sets=tuple(asks.sets), expects=tuple(asks.expects), forms=tuple(asks.forms), dtypes=tuple(asks.types)
        ),
        floors=tuple(file.floors),
        least_passed=file.least_passed,
        forms_are_optional=file.optional is not None,
        includes=tuple(profile_from_file(path.with_name(f"{name}.yaml")) for name in file.includes),
        verdicts={verdict: count for count, entry in file.counts.items() for verdict in entry.verdicts},
        digest=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _problems(file: ProfileFile, document: Document, path: Path) -> Iterator[CaseFileError]:
    stem, folder = path.stem, path.parent
    if file.profile != stem:
        what = f"the file is named {stem!r}, the profile {file.profile!r}"
        yield CaseFileError(document.where(("profile",)), what, fix=f"write `profile: {stem}`")
    for name in ("sets", "expects", "forms", "types"):
        if getattr(file.asks, name) and name not in file.asks.because:
            where = document.where(("asks", "because"))
            yield CaseFileError(where, f"the choice of {name} has no reason", fix=f"add `{name}:` with the reason")
    yield from _not_included(file, document, folder)
    yield from _miscounted(file, document)


def _not_included(file: ProfileFile, document: Document, folder: Path) -> Iterator[CaseFileError]:
    """Included profiles that do not exist or include others themselves."""
    for index, name in enumerate(file.includes):
        where = document.where(("includes", index))
        if name not in (names := profile_names(folder)) or name == file.profile:
            fix = nearest(name, names, otherwise="name another profile")
            yield CaseFileError(where, f"{name!r} is no other profile", fix=fix)
        elif validated(ProfileFile, read_document(folder / f"{name}.yaml", f"profiles/{name}.yaml")).includes:
            yield CaseFileError(where, f"{name!r} includes others itself", fix="name those, and leave it out")


def _miscounted(file: ProfileFile, document: Document) -> Iterator[CaseFileError]:
    """Verdicts that the profile does not count, or counts too favourably: it may be narrow, but not generous."""
    counts: dict[Verdict, list[ProfileCount]] = {}
    for count, entry in file.counts.items():
        for verdict in entry.verdicts:
            counts.setdefault(verdict, []).append(count)
    for verdict in Verdict:
        allowed = _ALLOWED[verdict.meaning.standing] if verdict.meaning.is_certifiable else ()
        given = counts.get(verdict, [])
        if len(given) == bool(allowed) and set(given) <= set(allowed):
            continue
        words = " and ".join(count.value for count in given) or "nothing"
        choice = " or ".join(count.value for count in allowed)
        fix = f"name it once, as {choice}" if choice else "leave it out: a run with one proves nothing"
        what = f"{verdict.value!r} counts as {words}"
        yield CaseFileError(document.where(("counts",)), what, fix=fix)
