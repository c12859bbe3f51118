"""Whether what is installed is an accepted release, and how `profiles/releases.yaml` is written.

Written anew by `python -m conformance.certificate.releases`, which a release runs last.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance import __version__
from conformance.certificate.installation import Installation, installed
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.certificate.yaml_text import yaml_text
from conformance.release_file import NAME, ReleaseEntry, ReleasesFile, file_digest, read_releases, this_release
from conformance.suite import digest_of

_PATTERNS = (("cases", "*/*/*.yaml"), ("cases", "*/*/*.tsv"), ("profiles", "*.yaml"))
_MOST_NAMED = 20


def release_problems(installation: Installation) -> Iterator[BrokenRuleError]:
    """Why the cases and profiles in use are not those of an accepted release: each file that differs, by name."""
    release = this_release(installation.profiles)
    if release is None or not release.accepted:
        state = "not known" if release is None else "no longer accepted"
        what = f"opconform {__version__} is {state} as a release"
        yield BrokenRuleError(Rule.RELEASE, f"profiles/{NAME}", what, fix="pip install --upgrade opconform")
        return
    found = file_digests(installation)
    names = sorted(name for name in {*found, *release.files} if found.get(name) != release.files.get(name))
    for name in names[:_MOST_NAMED]:
        state = "is missing" if name not in found else "is new" if name not in release.files else "is changed"
        yield BrokenRuleError(Rule.RELEASE, name, f"{state} since the release of {__version__}", fix=_FIX)
    if len(names) > _MOST_NAMED:
        yield BrokenRuleError(Rule.RELEASE, "cases", f"{len(names) - _MOST_NAMED} more files differ", fix=_FIX)
    if not names and release.digest != digest_of(installation.cases):
        yield BrokenRuleError(Rule.RELEASE, f"profiles/{NAME}", "has another digest of the suite", fix=_FIX)


_FIX = "install the release again; whoever makes one: `nox -s release`"


def file_digests(installation: Installation) -> dict[str, str]:
    """SHA-256 of each case file, table and profile, by its path."""
    roots = {"cases": installation.cases, "profiles": installation.profiles}
    return {
        f"{name}/{path.relative_to(roots[name]).as_posix()}": file_digest(path)
        for name, pattern in _PATTERNS
        for path in sorted(roots[name].glob(pattern))
        if path.name != NAME
    }


def write_release(installation: Installation) -> None:
    """Put the files as they are now down as those of this version; other releases stay as they are."""
    path = installation.profiles / NAME
    known = read_releases(installation.profiles) if path.is_file() else ()
    release = ReleaseEntry(
        version=__version__, accepted=True, digest=digest_of(installation.cases), files=file_digests(installation)
    )
    releases = [release, *(entry for entry in known if entry.version != __version__)]
    text = yaml_text(ReleasesFile(releases=releases).model_dump(mode="json"))
    path.write_text(f"# Written by `nox -s release`.\n{text}", encoding="utf-8")


if __name__ == "__main__":
    write_release(installed())
