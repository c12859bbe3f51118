"""The rules of a certificate, a sentence each, and the limits on its deviations.

The limits bound the time of verification by the size of the log.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from conformance import __version__
from conformance.certificate.profile_file import Profile
from conformance.judge.deviation import Deviation, matches
from conformance.suite.adapter_file import NAME, file_digest, release_of
from conformance.suite.suite import Suite, bundled_folder, digests_of
from conformance.tensors.errors import UsageError


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
