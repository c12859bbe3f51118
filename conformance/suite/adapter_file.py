"""`adapter.yaml`: the name, requirements and options of an adapter; and where adapters are found.

An adapter is named by its bundled name, by a path to its folder, or by an entry point in the group
`conformance.adapters` whose value is the dotted name of the folder's package.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, Field, model_validator

from conformance import __version__
from conformance.suite.case_file import CaseFamily
from conformance.suite.suite import Suite, bundled_folder, digests_of, load_suite
from conformance.suite.yaml_file import FileModel, read_document, validated
from conformance.tensors.errors import SelectionError, UsageError, nearest
from conformance.tensors.files import files_digest
from conformance.tensors.text import target_text

ENTRY_POINT_GROUP = "conformance.adapters"
_NEXT_OPTION = re.compile(r",(?=[^,=]+=)")
"""A comma before `NAME=`. Any other comma is part of a value, as in `device=AUTO:GPU,CPU`."""
NAME_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"


class OptionEntry(FileModel):
    """One option of an adapter's targets."""

    default: str | None = Field(
        default=None, description="value if a target gives none; left out: a target must give one"
    )
    choices: list[str] | None = Field(default=None, description="allowed values; left out: any text")
    summary: str = ""


class BuildEntry(FileModel):
    """A build step that must run in the adapter's folder before the adapter can start."""

    by: str = Field(description="the build command; it is only shown to users")
    makes: str = Field(description="a file in the folder that exists after the build")


class AdapterFile(FileModel):
    """The manifest of an adapter."""

    name: str = Field(pattern=NAME_PATTERN)
    summary: str
    requires: list[str] = Field(default_factory=list, description="pip requirements of its framework")
    command: list[str] | None = Field(
        default=None, min_length=1, description="command that starts the adapter; left out: adapter.py in Python"
    )
    python: str | None = Field(
        default=None,
        description="the Python that runs adapter.py: a path from here, or a command; left out: the engine's own",
    )
    build: BuildEntry | None = None
    options: dict[str, OptionEntry] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_one_start(self) -> AdapterFile:
        if self.command is not None and self.python is not None:
            raise ValueError("`python` is for adapter.py, and `command` starts another program; keep one")
        return self

    @property
    def needed_options(self) -> list[str]:
        """The options that every target must give."""
        return [name for name, option in self.options.items() if option.default is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseEnvironment:
    """Where the release that a target names is installed, as onnxruntime@1.20.1, and the Python there.

    The name has a digest of everything that is installed.
    """

    name: str
    release: str
    python: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """An adapter's folder and manifest; `environment` is that of the release that a target names, if it has one."""

    folder: Path
    manifest: AdapterFile
    environment: ReleaseEnvironment | None = None

    @property
    def name(self) -> str:
        """The name under which its targets appear."""
        return self.manifest.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRequest:
    """A target as the user names it: an adapter, options that differ from their defaults, and optionally a version."""

    adapter: Adapter
    options: Mapping[str, str]
    version: str = ""

    @property
    def all_options(self) -> dict[str, str]:
        """Every option with its value, defaults included."""
        options = self.adapter.manifest.options.items()
        return {name: option.default for name, option in options if option.default is not None} | dict(self.options)

    def name_at(self, version: str) -> str:
        """The target's name at a framework version, as `onnxruntime@1.31.1[optimization=disabled]`."""
        return target_text(self.adapter.name, version, self.options)


def read_adapter(folder: Path) -> Adapter:
    """The adapter in a folder.

    Raises:
        ExceptionGroup: of `CaseFileError`: what is wrong with its `adapter.yaml`.
    """
    path = folder / "adapter.yaml"
    return Adapter(folder=folder.resolve(), manifest=validated(AdapterFile, read_document(path, str(path))))


def bundled_adapters() -> tuple[Adapter, ...]:
    """The adapters that come with the project, by name."""
    return tuple(read_adapter(folder) for folder in _bundled_folders().values())


def is_built(adapter: Adapter) -> bool:
    """Whether the file of its build step exists; true of an adapter without one."""
    build = adapter.manifest.build
    return build is None or (adapter.folder / build.makes).is_file()


def target_from_text(text: str) -> TargetRequest:
    """The target named by a text such as `onnxruntime@1.31.1[optimization=disabled]`.

    The adapter is given by a bundled name, an entry point, or the path of its folder.

    Raises:
        SelectionError: there is no such adapter.
        UsageError: an option is unknown or missing, or its value is not allowed.
    """
    rest, _, chosen = text.partition("[")
    name, _, version = rest.rpartition("@") if "@" in Path(rest).name else (rest, "", "")
    adapter, where = _adapter_named(name), f"target {text!r}"
    given = list(_options_written(chosen, where)) if "[" in text else []
    return TargetRequest(adapter=adapter, options=_options(adapter, given, where), version=version)


def recorded_target(name: str, options: Mapping[str, str]) -> TargetRequest:
    """The target of a log, by its adapter's name and options, at the version installed now.

    Only bundled and installed adapters are looked up, never a path: a log from a stranger must not choose code to run.

    Raises:
        SelectionError: there is no such adapter.
        UsageError: an option is unknown or missing, or its value is not allowed.
    """
    where = f"target {name!r} of the log"
    adapter = _known_adapter(name)
    if adapter is None:
        what = "no adapter of that name is bundled or installed, and a log names no folders"
        raise SelectionError(where, what, fix="name the targets with --target")
    # A log has all options. A default need not be one of the values that can be written.
    known = adapter.manifest.options
    chosen = [(name, text) for name, text in options.items() if name not in known or text != known[name].default]
    return TargetRequest(adapter=adapter, options=_options(adapter, chosen, where))


def _adapter_named(name: str) -> Adapter:
    if (Path(name) / "adapter.yaml").is_file():
        return read_adapter(Path(name))
    adapter = _known_adapter(name)
    if adapter is None:
        names = sorted({*_bundled_folders(), *_entry_points()})
        fix = nearest(name, names, otherwise=f"there are {', '.join(names)}; or give a folder")
        what = "there is no adapter of that name, and no folder with an adapter.yaml"
        raise SelectionError(f"target {name!r}", what, fix=fix)
    return adapter


def _known_adapter(name: str) -> Adapter | None:
    """The adapter of that name; bundled ones take precedence over installed ones."""
    folder = _bundled_folders().get(name) or _entry_points().get(name)
    return None if folder is None else read_adapter(folder)


def is_known_by_name(adapter: Adapter) -> bool:
    """Whether the adapter's name alone finds it: it is bundled or installed, not a folder that the user named."""
    return adapter.folder in (_bundled_folders().get(adapter.name), _entry_points().get(adapter.name))


def _bundled_folders() -> dict[str, Path]:
    """The folders of the bundled adapters, by name."""
    return {path.parent.name: path.parent for path in sorted(bundled_folder("adapters").glob("*/adapter.yaml"))}


def _entry_points() -> dict[str, Path]:
    """Folders of adapters from other distributions, by name. Finds their packages without importing them."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        spec = find_spec(point.value)
        for folder in (spec.submodule_search_locations or []) if spec is not None else []:
            found[point.name] = Path(folder)
    return found


def _options_written(chosen: str, where: str) -> Iterator[tuple[str, str]]:
    """The options in `chosen`, the text behind the opening bracket."""
    if not chosen.endswith("]"):
        raise UsageError(where, "the options do not end with `]`", fix="write name[option=value,option=value]")
    for item in _NEXT_OPTION.split(chosen[:-1]):
        name, equals, value = item.partition("=")
        if not equals:
            raise UsageError(where, f"option {name!r} has no value", fix=f"write {name}=VALUE")
        yield name, value


def _options(adapter: Adapter, given: Iterable[tuple[str, str]], where: str) -> dict[str, str]:
    """The options that differ from their defaults, after checking names and values."""
    options = {}
    for name, value in given:
        entry = adapter.manifest.options.get(name)
        if entry is None:
            known = adapter.manifest.options
            fix = nearest(name, known, otherwise=f"it has {', '.join(known) or 'no options'}")
            raise UsageError(where, f"{adapter.name} has no option {name!r}", fix=fix)
        if entry.choices is not None and value not in entry.choices:
            fix = nearest(value, entry.choices, otherwise=f"write one of {', '.join(entry.choices)}")
            raise UsageError(where, f"option {name!r} cannot be {value!r}", fix=fix)
        if value != entry.default:
            options[name] = value
    for name in adapter.manifest.needed_options:
        if name not in options:
            fix = f"write {adapter.name}[{name}=...]"
            raise UsageError(where, f"{adapter.name} needs the option {name!r}", fix=fix)
    return options


# The digests of an adapter's files, by which answers of another state of it are known.

_OF_OTHERS = frozenset({"repro.py", "reproducers", "deviations.yaml", "node_modules"})
"""What changes no answer, or follows from other files."""
_OF_RUNS = "conformance-"
"""How the folders begin in which runs write."""


def deviations_digest(adapter: Adapter) -> str:
    """SHA-256 of its recorded deviations; of nothing if it has none."""
    path = adapter.folder / "deviations.yaml"
    return hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()


def adapter_digest(adapter: Adapter) -> str:
    """SHA-256 over the relative path and the bytes of each file in its folder: its code, its engine, its data.

    What follows from other files is left out, such as virtual environments, and folders of results.
    """
    roots = (path for path in adapter.folder.iterdir() if path.name not in _OF_OTHERS and not _is_left_out(path))
    return files_digest(roots, _is_left_out)


def _is_left_out(path: Path) -> bool:
    return path.name.startswith(_OF_RUNS) or (path / "pyvenv.cfg").is_file()


# `profiles/releases.yaml`: digests of each release's cases and profiles; finds the bundled cases edited since.
#
# The cases of a release were checked, and its recorded deviations match them. Neither holds for a case edited since.

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


# `engines/NAME.yaml`: the releases of a package that a target may name; `engines/packages.yaml`: what they need.
#
# Each lists its wheels by the tags of their file names, with the SHA-256 that an installed one must have.
# `tools/engines.py` writes both.

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
