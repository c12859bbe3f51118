"""The wheels of an environment, to the byte: those of a release, and of the packages that it is installed with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, parse_tag
from packaging.version import Version

from conformance.formats.engine_file import FrameworkRelease, PackageEntry, Wheels
from conformance.values.errors import UsageError
from conformance.worker.start import NEEDS

_OF_WORKER = {name: f">={'.'.join(map(str, oldest))}" for name, oldest in NEEDS.items()}


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package at a version, and the SHA-256 of the wheel that is installed."""

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Lock:
    """What is installed in an environment; the framework's wheel comes first. `python` is as cp311."""

    python: str
    wheels: tuple[Wheel, ...]

    @property
    def name(self) -> str:
        """The environment's name: another wheel makes another environment."""
        framework = self.wheels[0]
        digest = hashlib.sha256(self.requirements.encode()).hexdigest()
        return f"{framework.package}-{framework.version}-{self.python}-{digest[:8]}"

    @property
    def requirements(self) -> str:
        """The file of requirements for pip and uv."""
        return "".join(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in self.wheels)


def lock_of(package: str, release: FrameworkRelease, pinned: Sequence[PackageEntry], tags: Sequence[Tag]) -> Lock:
    """The wheels of a release for the Python and the system that `tags` describe, the best first.

    Raises:
        UsageError: no wheel is listed for them.
    """
    framework = _best(release.wheels, tags)
    if framework is None:
        has = ", ".join(sorted({tag.split("-")[0] for tag in release.wheels}))
        what = f"no wheel of it is listed for {tags[0].interpreter} on {tags[0].platform}"
        raise UsageError(f"{package} {release.version}", what, fix=f"it has wheels for {has}")
    needed = {**release.needs, **{name: _both(release.needs.get(name, ""), of) for name, of in _OF_WORKER.items()}}
    others = [_pinned(name, needed[name], pinned, tags, f"{package} {release.version}") for name in sorted(needed)]
    return Lock(python=tags[0].interpreter, wheels=(Wheel(package, release.version, framework), *others))


def _both(one: str, other: str) -> str:
    return ",".join(filter(None, (one, other)))


def _pinned(name: str, wanted: str, pinned: Sequence[PackageEntry], tags: Sequence[Tag], where: str) -> Wheel:
    """The newest listed version of a package that fits."""
    allowed = SpecifierSet(wanted)
    fitting = [entry for entry in pinned if entry.name == name and allowed.contains(entry.version)]
    for entry in sorted(fitting, key=lambda entry: Version(entry.version), reverse=True):
        if digest := _best(entry.wheels, tags):
            return Wheel(name, entry.version, digest)
    what = f"it needs {name}{wanted}, and no such wheel is listed for {tags[0].interpreter} on {tags[0].platform}"
    raise UsageError(where, what, fix="use another Python, or add one to engines/packages.yaml")


def _best(wheels: Wheels, tags: Sequence[Tag]) -> str | None:
    """The hash of the wheel that fits best, as installers choose; None if none fits."""
    places = {tag: place for place, tag in enumerate(tags)}
    ranked = [(places[tag], digest) for name, digest in wheels.items() for tag in parse_tag(name) if tag in places]
    return min(ranked)[1] if ranked else None
