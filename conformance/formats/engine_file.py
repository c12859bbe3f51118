"""`engines/NAME.yaml`: the releases of a package that a target may name; `engines/packages.yaml`: what they need.

Each lists its wheels by the tags of their file names, with the SHA-256 that an installed one must have.
`tools/engines.py` writes both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, Field

from conformance.formats.file_schema import FileModel, validated
from conformance.formats.suite import bundled_folder
from conformance.formats.yaml_document import read_document

PINNED = "packages.yaml"
_SHA256 = r"^[0-9a-f]{64}$"
_VERSION = r"^[0-9]+(\.[0-9]+)*(\+[a-z0-9]+)?$"
_TAGS = r"^[a-z0-9_.]+-[a-z0-9_.]+-[a-z0-9_.]+$"


def _is_range(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError('is not a range of versions; write one such as ">=1.26,<2"') from None
    return text


Range = Annotated[str, AfterValidator(_is_range)]
Wheels = dict[Annotated[str, Field(pattern=_TAGS)], Annotated[str, Field(pattern=_SHA256)]]


class PackageEntry(FileModel):
    """One version of a package and its wheels."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    version: str = Field(pattern=_VERSION)
    wheels: Wheels = Field(min_length=1, description="the SHA-256 of each wheel, by the tags of its name")


class PackagesFile(FileModel):
    """The versions of packages that releases of frameworks are installed with."""

    packages: list[PackageEntry] = Field(min_length=1)


class FrameworkRelease(FileModel):
    """One release of a framework."""

    version: str = Field(pattern=_VERSION)
    date: str = Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="when it was published")
    opset: int | None = Field(default=None, ge=1, description="the newest opset that it knows")
    ir: int | None = Field(default=None, ge=1, description="the newest version of ONNX's IR that it knows")
    needs: dict[str, Range] = Field(
        default_factory=dict,
        description="the packages that its import needs, and what it asks of a worker's, as ranges",
    )
    wheels: Wheels = Field(min_length=1, description="the SHA-256 of each wheel, by the tags of its name")


class EngineFile(FileModel):
    """The releases of a framework, the oldest first."""

    package: str = Field(pattern=r"^[a-z][a-z0-9_-]*$", description="its name in the package index")
    releases: list[FrameworkRelease] = Field(min_length=1)


def engine_names() -> list[str]:
    """The packages of which releases are listed."""
    return sorted(path.stem for path in bundled_folder("engines").glob("*.yaml") if path.name != PINNED)


def read_engine(path: Path) -> EngineFile:
    """The releases in a file, the oldest first.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem of the file.
    """
    document = read_document(path, f"engines/{path.name}")
    engine = validated(EngineFile, document)
    versions = [Version(release.version) for release in engine.releases]
    if engine.package != path.stem or versions != sorted(set(versions)):
        problem = document.problem(("releases",), "is out of order, or of another package", "sort it by version")
        raise ExceptionGroup(f"{document.path} does not keep its format", [problem])
    return engine


def bundled_engine(package: str) -> EngineFile | None:
    """The releases of a package that are listed; None if it has no file."""
    return read_engine(bundled_folder("engines") / f"{package}.yaml") if package in engine_names() else None


def read_packages(path: Path) -> tuple[PackageEntry, ...]:
    """The versions in a file of packages.

    Raises:
        ExceptionGroup: of `CaseFileError`, one for each problem of the file.
    """
    return tuple(validated(PackagesFile, read_document(path, f"engines/{path.name}")).packages)


def bundled_packages() -> tuple[PackageEntry, ...]:
    """The versions of packages that releases are installed with."""
    return read_packages(bundled_folder("engines") / PINNED)
