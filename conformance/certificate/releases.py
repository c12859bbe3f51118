"""The installed cases and profiles: are they those of an accepted release?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance import __version__
from conformance.certificate.profile_file import Profile
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.formats.release_file import NAME, file_digest, release_of
from conformance.formats.suite import Suite, bundled_folder, digests_of

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
