"""Profiles, and the rules of a certificate."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from conformance import __version__
from conformance.judge.deviation import Deviation, matches
from conformance.log.record import CheckRecord, TargetEntry
from conformance.protocol.form import Form
from conformance.run.selection import Selection
from conformance.spec.choices import CaseSet, Expects
from conformance.spec.operator import is_named
from conformance.spec.verdict import Standing, Verdict
from conformance.suite.adapter_file import NAME, file_digest, release_of
from conformance.suite.suite import Suite, bundled_folder, digests_of
from conformance.suite.yaml_file import Document, FileModel, read_document, validated, words
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import CaseFileError, SelectionError, UsageError, nearest
from conformance.tensors.text import counted

# Profiles: the checks that a certificate speaks about, and how each counts. This is the only module that knows the
# format of `profiles/*.yaml`.


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
            yield CaseFileError(where, f"{name!r} is not another profile", fix=fix)
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


# The rules of a certificate, a sentence each, and the limits on its deviations. The limits bound the time of
# verification by the size of the log.


class Rule(Enum):
    """What must hold of every certificate."""

    FILES = "The folder holds the files of a certificate and nothing else."
    REGULAR = "Every file is a regular file: no link, no device, no folder."
    SIZE = "No file is larger than its limit, compressed or not, and no list longer than one verifies in time."
    READABLE = "Every file keeps its format, byte for byte as `conformance certify` writes it."
    CLAIMS = "Vendor, product and issuer are printable text of 1 to 100 characters."
    PROFILE = "The profile is one of this release."
    RELEASE = "The suite is that of an accepted release, file by file."
    ONE_TARGET = "The log is of one target, which could start."
    TARGET = "The name of the target is made of its adapter, its version and its options."
    VERSION = "The version is a released one: a number, not unknown and not the name of a branch."
    COMPLETE = "The log is complete: it has its closing line, and nothing follows it."
    WHOLE = "The run covers the whole profile, and nothing else."
    HEADER = "The header says what the suite says, and what a run of a profile writes."
    CHALLENGE = "The data is derived from the seed of the reviewer."
    RECORDS = "The log holds each check of the profile once, in the order of the plan."
    ASKED = "Every check ran in this run; no reused answers."
    JUDGED = "Every check was judged: none was not run, and none ended in an error of the harness."
    DESCRIBED = "What the description of the target rules out is recorded as the engine records it."
    VERDICTS = "Every verdict is the one that follows from what was recorded."
    COUNTS = "The closing line counts what the log holds."
    DEVIATIONS = "Every deviation applies to this target, was met, and was not overdue for review."
    EXACT = (
        "Every deviation names versions of operators and the messages of rejections; "
        "without forms and clauses, it says which calls deviate."
    )
    REPRODUCERS = "The written reproducer of a deviation is bundled or, as text, in the folder, with the stated digest."
    DECLARED = "The run also probed what the backend does not declare."
    DERIVED = "Every file says what follows from the log."
    SIGNATURE = "The envelope holds the statement, and a signature that verifies with the required key."


class BrokenRuleError(UsageError):
    """A certificate, or a run to be certified, breaks a rule."""

    def __init__(self, broken: Rule, where: str, what: str, *, fix: str = "") -> None:
        super().__init__(where, what, rule=broken.value, fix=fix)
        self.broken = broken


def _wildcards(patterns: Iterable[str]) -> int:
    return sum(pattern.count("*") + pattern.count("?") for pattern in patterns)


_Limit = tuple[int, str, Callable[[Deviation], int]]
"""The most that entries may hold of something, what that is, and how much of it an entry holds."""
_OF_THE_FILE: tuple[_Limit, ...] = (
    (400, "entries", lambda _: 1),
    (4000, "names and patterns", lambda e: len((*e.operators, *e.clauses, *e.messages, *e.deaths))),
    (400, "wildcards in operators", lambda e: _wildcards(e.operators)),
)
_OF_AN_OPERATOR: tuple[_Limit, ...] = (
    (100, "entries", lambda _: 1),
    (8000, "characters in `when`", lambda e: len(e.when)),
    (100, "wildcards in messages", lambda e: _wildcards(e.messages)),
    (32, "functions in `values`", lambda e: sum(v.count(" + ") + 1 for v in e.wrong_answers)),
)
"""Each record of the operator may be compared with all of these, and computed by each function."""


def check_limits(deviations: Sequence[Deviation], operators: Iterable[str], where: str) -> None:
    """Refuse deviations that may take too long to compare with a record.

    Raises:
        BrokenRuleError: they hold too much of something; the first that is too much is named.
    """
    _check(_OF_THE_FILE, deviations, where)
    for operator in operators:
        entries = [entry for entry in deviations if any(matches(operator, name) for name in entry.operators)]
        _check(_OF_AN_OPERATOR, entries, f"{where}: {operator}")


def _check(limits: Iterable[_Limit], entries: Sequence[Deviation], where: str) -> None:
    for most, what, held_by in limits:
        if (held := sum(map(held_by, entries))) > most:
            problem, fix = f"has {held:,} {what}, more than {most:,}", "keep the entries that a run meets"
            raise BrokenRuleError(Rule.SIZE, where, problem, fix=fix)


# The installed cases and profiles: are they those of an accepted release?

_PATTERNS = (("cases", "*/*/*.yaml"), ("cases", "*/*/*.tsv"), ("profiles", "*.yaml"))
_MOST_NAMED = 20
_INSTALL = "install the release again; to make a new one, run `nox -s release`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A folder laid out as `cases/`, and one laid out as `profiles/`, which also lists the accepted releases."""

    cases: Path
    profiles: Path


def installed() -> Installation:
    """The bundled cases and profiles."""
    return Installation(cases=bundled_folder("cases"), profiles=bundled_folder("profiles"))


def release_problems(installation: Installation, profile: Profile, version: str) -> Iterator[BrokenRuleError]:
    """Why the cases and the profile in use are not those of an accepted release: one problem for each differing file.

    A certificate stays valid while the files of its release's operators and of its profile are unchanged: operators
    that were added since belong to a later release.
    """
    release = release_of(version, installation.profiles)
    if release is None or not release.accepted:
        state = "not known" if release is None else "no longer accepted"
        what = f"opconform {version[:40]} is {state} as a release"
        fix = f"certify again with opconform {__version__}, or verify with a version that accepts {version[:40]}"
        yield BrokenRuleError(Rule.RELEASE, f"profiles/{NAME}", what, fix=fix)
        return
    found, is_current = file_digests(installation), version == __version__
    folders = tuple(f"cases/{name.replace('.', '/')}/" for name in release.digests)
    profiles = tuple(f"profiles/{used.name}.yaml" for used in (profile, *profile.includes))
    judged = (*folders, *(("profiles/",) if is_current else profiles))
    names = sorted(
        name
        for name in {*found, *release.files}
        if found.get(name) != release.files.get(name) and name.startswith(judged)
    )
    fix = _INSTALL if is_current else install_command(version)
    for name in names[:_MOST_NAMED]:
        state = "is missing" if name not in found else "is new" if name not in release.files else "is changed"
        yield BrokenRuleError(Rule.RELEASE, name, f"{state} since the release of {version}", fix=fix)
    if len(names) > _MOST_NAMED:
        yield BrokenRuleError(Rule.RELEASE, "cases", f"{len(names) - _MOST_NAMED} more files differ", fix=fix)
    if not names and is_current and release.digest != digests_of(installation.cases, release.digests)[0]:
        yield BrokenRuleError(Rule.RELEASE, f"profiles/{NAME}", "has another digest of the suite", fix=fix)


def install_command(version: str) -> str:
    """The command that installs a release, quoted for a POSIX shell; the reader puts the repository's address in."""
    return f"pip install {shlex.quote(f'opconform @ git+https://REPOSITORY@v{version}')}"


def released_part(suite: Suite, profiles: Path, version: str = __version__) -> Suite:
    """A suite as a version was released: a profile does not ask for operators that were added since."""
    release = release_of(version, profiles)
    return suite if release is None else replace(suite.of_operators(release.digests), digest=release.digest)


def file_digests(installation: Installation) -> dict[str, str]:
    """SHA-256 of each case file, table and profile, by its path."""
    roots = {"cases": installation.cases, "profiles": installation.profiles}
    return {
        f"{name}/{path.relative_to(roots[name]).as_posix()}": file_digest(path)
        for name, pattern in _PATTERNS
        for path in sorted(roots[name].glob(pattern))
        if path.name != NAME
    }
