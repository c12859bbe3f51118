"""`profiles/releases.yaml`: digests of each release's cases and profiles; finds the bundled cases edited since.

The cases of a release were checked, and its recorded deviations match them. Neither holds for a case edited since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from conformance import __version__
from conformance.formats.case_file import CaseFamily
from conformance.formats.file_schema import FileModel, validated
from conformance.formats.suite import Suite, bundled_folder, digests_of, load_suite
from conformance.formats.yaml_document import read_document

NAME = "releases.yaml"


class ReleaseEntry(FileModel):
    """One release: the digests of its suite, operators, and single files."""

    version: str
    accepted: bool = Field(description="whether its certificates are still accepted")
    digest: str = Field(description="digest of the suite with these operators, as in a log of a profile")
    digests: dict[str, str] = Field(description="digest of the files of each operator, as in a log")
    files: dict[str, str] = Field(description="SHA-256 of each case file, table and profile")


class ReleasesFile(FileModel):
    """All releases, the newest first."""

    releases: list[ReleaseEntry] = Field(min_length=1)


def read_releases(profiles: Path) -> tuple[ReleaseEntry, ...]:
    """The releases listed in a folder of profiles.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem of the file.
    """
    document = read_document(profiles / NAME, f"profiles/{NAME}")
    return tuple(validated(ReleasesFile, document).releases)


def release_of(version: str, profiles: Path) -> ReleaseEntry | None:
    """The release of a version of opconform.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem of the file.
    """
    return next((entry for entry in read_releases(profiles) if entry.version == version), None)


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def released_suite(ids: Iterable[str] = ()) -> Suite:
    """The bundled cases. `ids` are operators, case ids or patterns, such as `onnx.Split-13/axis*`.

    Other operators are read only if their files differ from those of the release. Without ids, or if an operator is
    unknown, all are read.

    Raises:
        ExceptionGroup: of `CaseFileError`: every problem of every file that was read.
    """
    names = {text.partition("/")[0].partition("-")[0] for text in ids}
    root = bundled_folder("cases")
    (_, digests), release = digests_of(root), _this_release()
    if release is None or not names or not names <= digests.keys():
        return load_suite(root)
    return load_suite(root, names | (release.digests.keys() - _unchanged(digests, release)))


def is_edited(suite: Suite) -> bool:
    """Whether these are the bundled cases and those of a released operator differ from the release."""
    release = _this_release() if suite.is_bundled else None
    if release is None:
        return suite.is_bundled
    return not suite.digests.keys() & release.digests.keys() <= _unchanged(suite.digests, release)


def _this_release() -> ReleaseEntry | None:
    return release_of(__version__, bundled_folder("profiles"))


def _unchanged(digests: Mapping[str, str], release: ReleaseEntry) -> set[str]:
    """The operators whose files are as they were released."""
    return {name for name, _ in digests.items() & release.digests.items()}


def edited_families(suite: Suite, families: Iterable[CaseFamily]) -> tuple[CaseFamily, ...]:
    """The families of a bundled suite whose case file, `operator.yaml` or table differs from the release."""
    release = _this_release()
    if release is None:
        return tuple(families)
    unchanged = _unchanged(suite.digests, release)
    families = [family for family in families if family.operator.family not in unchanged]
    files = {suite.root / name.removeprefix("cases/"): digest for name, digest in release.files.items()}
    same = {path for path, digest in files.items() if path.is_file() and file_digest(path) == digest}
    return tuple(family for family in families if not same.issuperset(_files_of(family)))


def _files_of(family: CaseFamily) -> set[Path]:
    table = {family.table} if family.entry.has_table else set()
    return {family.file, family.file.with_name("operator.yaml")} | table
