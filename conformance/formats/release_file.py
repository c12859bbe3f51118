"""`profiles/releases.yaml`: what the cases and profiles of each release were, and which bundled cases still are.

A release was checked, and its recorded deviations are those of its cases; a case that was edited since has neither.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from conformance import __version__
from conformance.formats.case_file import CaseFamily
from conformance.formats.file_schema import FileModel, validated
from conformance.formats.suite import Suite, bundled_folder
from conformance.formats.yaml_document import read_document

NAME = "releases.yaml"


class ReleaseEntry(FileModel):
    """One release: what its cases and profiles were, file by file."""

    version: str
    accepted: bool = Field(description="whether a certificate of it is still accepted")
    digest: str = Field(description="of the suite, as a log has it")
    digests: dict[str, str] = Field(description="of the files of each operator, as a log has them")
    files: dict[str, str] = Field(description="SHA-256 of each case file, table and profile")


class ReleasesFile(FileModel):
    """All releases, the newest first."""

    releases: list[ReleaseEntry] = Field(min_length=1)


def read_releases(profiles: Path) -> tuple[ReleaseEntry, ...]:
    """The releases that a folder of profiles knows.

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


def is_edited(suite: Suite) -> bool:
    """Whether these are the bundled cases, and other than they were released."""
    release = release_of(__version__, bundled_folder("profiles")) if suite.is_bundled else None
    return suite.is_bundled and (release is None or release.digest != suite.digest)


def edited_families(suite: Suite, families: Iterable[CaseFamily]) -> tuple[CaseFamily, ...]:
    """Those of a bundled suite that are other than they were released, with their operator and their table."""
    release = release_of(__version__, bundled_folder("profiles"))
    if release is None:
        return tuple(families)
    if release.digest == suite.digest:
        return ()
    files = {suite.root / name.removeprefix("cases/"): digest for name, digest in release.files.items()}
    same = {path for path, digest in files.items() if path.is_file() and file_digest(path) == digest}
    return tuple(family for family in families if not same.issuperset(_files_of(family)))


def _files_of(family: CaseFamily) -> set[Path]:
    table = {family.table} if family.entry.cover is not None else set()
    return {family.file, family.file.with_name("operator.yaml")} | table
