"""`adapter.yaml`: what an adapter is called, needs and takes; and where adapters are found.

An adapter is named by its bundled name, by a path to its folder, or by an entry point in the group
`conformance.adapters` whose value is the dotted name of the folder's package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from conformance.formats.file_schema import FileModel, validated
from conformance.formats.suite import bundled_folder
from conformance.formats.yaml_document import read_document
from conformance.values.errors import SelectionError, UsageError, nearest

ENTRY_POINT_GROUP = "conformance.adapters"
_NEXT_OPTION = re.compile(r",(?=[^,=]+=)")
"""A comma that no option's name follows belongs to the value, as in `device=AUTO:GPU,CPU`."""
NAME_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"


class OptionEntry(FileModel):
    """One option of the targets that an adapter makes."""

    default: str | None = Field(default=None, description="left out: every target has to give a value")
    choices: list[str] | None = Field(default=None, description="left out: any text")
    summary: str = ""


class BuildEntry(FileModel):
    """What has to be made in the adapter's folder before it can start."""

    by: str = Field(description="the command to run in the folder, for readers")
    makes: str = Field(description="a file of the folder that is there afterwards")


class AdapterFile(FileModel):
    """The manifest of an adapter."""

    name: str = Field(pattern=NAME_PATTERN)
    summary: str
    requires: list[str] = Field(default_factory=list, description="pip requirements of its framework")
    command: list[str] | None = Field(default=None, min_length=1, description="left out: adapter.py in Python")
    build: BuildEntry | None = None
    options: dict[str, OptionEntry] = Field(default_factory=dict)

    @property
    def needed_options(self) -> list[str]:
        """The options without which there is no target."""
        return [name for name, option in self.options.items() if option.default is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """An adapter's folder and manifest."""

    folder: Path
    manifest: AdapterFile

    @property
    def name(self) -> str:
        """The name under which its targets appear."""
        return self.manifest.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRequest:
    """What a user asks for: an adapter, options that differ from their defaults, and perhaps a version."""

    adapter: Adapter
    options: Mapping[str, str]
    version: str = ""

    @property
    def all_options(self) -> dict[str, str]:
        """Every option with the value that holds."""
        options = self.adapter.manifest.options.items()
        return {name: option.default for name, option in options if option.default is not None} | dict(self.options)

    def name_at(self, version: str) -> str:
        """The target's name at a framework version, as `onnxruntime@1.31.1[optimization=disabled]`."""
        chosen = ",".join(f"{name}={value}" for name, value in sorted(self.options.items()))
        return f"{self.adapter.name}@{version}" + (f"[{chosen}]" if chosen else "")


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


def installed_versions(manifest: AdapterFile) -> dict[str, str]:
    """For each requirement of an adapter, the version that is installed and satisfies it; empty where none does."""
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import Requirement

    found = {}
    for text in manifest.requires:
        requirement = Requirement(text)
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            installed = ""
        is_enough = bool(installed) and requirement.specifier.contains(installed, prereleases=True)
        found[text] = installed if is_enough else ""
    return found


def is_built(adapter: Adapter) -> bool:
    """Whether what has to be made in its folder is there."""
    build = adapter.manifest.build
    return build is None or (adapter.folder / build.makes).is_file()


def missing_needs(adapter: Adapter) -> list[str]:
    """What keeps an adapter from being a target without further words."""
    manifest = adapter.manifest
    missing = [need for need, version in installed_versions(manifest).items() if not version]
    if manifest.build is not None and not is_built(adapter):
        missing.append(f"`{manifest.build.by}` in {adapter.folder}")
    return [*missing, *(f"the option {name!r}" for name in manifest.needed_options)]


def target_from_text(text: str) -> TargetRequest:
    """The target that a text such as `onnxruntime@1.31.1[optimization=disabled]` asks for.

    The adapter is a bundled name, an entry point, or a path, which has a separator or leads to a folder.

    Raises:
        SelectionError: there is no such adapter.
        UsageError: an option is unknown or has a value that it cannot have.
    """
    rest, _, chosen = text.partition("[")
    name, _, version = rest.rpartition("@") if "@" in Path(rest).name else (rest, "", "")
    adapter = _adapter_named(name)
    options = _options(adapter, chosen, text)
    _demand_needed_options(adapter, options, f"target {text!r}")
    return TargetRequest(adapter=adapter, options=options, version=version)


def recorded_target(name: str, options: Mapping[str, str]) -> TargetRequest:
    """The target that a log tells of, by its adapter's name and options, at whatever version is installed now.

    A log is anybody's, and the folder of an adapter is code: the name is looked up among those that are bundled or
    installed alone.

    Raises:
        SelectionError: there is no such adapter.
        UsageError: an option is unknown or has a value that it cannot have.
    """
    where = f"target {name!r} of the log"
    adapter = _known_adapter(name)
    if adapter is None:
        what = "no adapter of that name is bundled or installed, and a log names no folders"
        raise SelectionError(where, what, fix="name the targets with --target")
    chosen = _checked_options(adapter, options.items(), where)
    _demand_needed_options(adapter, chosen, where)
    return TargetRequest(adapter=adapter, options=chosen)


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
    """The bundled or installed adapter of a name; what is installed is looked at only where none is bundled."""
    folder = _bundled_folders().get(name) or _entry_points().get(name)
    return None if folder is None else read_adapter(folder)


def _bundled_folders() -> dict[str, Path]:
    """The folders of the bundled adapters, by name."""
    return {path.parent.name: path.parent for path in sorted(bundled_folder("adapters").glob("*/adapter.yaml"))}


def _entry_points() -> dict[str, Path]:
    """Folders of adapters that other distributions bring; their packages are found, not imported."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        spec = find_spec(point.value)
        for folder in (spec.submodule_search_locations or []) if spec is not None else []:
            found[point.name] = Path(folder)
    return found


def _options(adapter: Adapter, chosen: str, text: str) -> dict[str, str]:
    """The options in a text, after its opening bracket."""
    if "[" not in text:
        return {}
    if not chosen.endswith("]"):
        raise UsageError(
            f"target {text!r}", "the options do not end with `]`", fix="write name[option=value,option=value]"
        )
    given = []
    for item in _NEXT_OPTION.split(chosen[:-1]):
        name, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"target {text!r}", f"option {name!r} has no value", fix=f"write {name}=VALUE")
        given.append((name, value))
    return _checked_options(adapter, given, f"target {text!r}")


def _checked_options(adapter: Adapter, given: Iterable[tuple[str, str]], where: str) -> dict[str, str]:
    """Those of the options that differ from their defaults."""
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
    return options


def _demand_needed_options(adapter: Adapter, options: Mapping[str, str], where: str) -> None:
    for name in adapter.manifest.needed_options:
        if name not in options:
            fix = f"write {adapter.name}[{name}=...]"
            raise UsageError(where, f"{adapter.name} needs the option {name!r}", fix=fix)
