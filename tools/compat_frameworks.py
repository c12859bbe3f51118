"""The facts of each release of a package, as the published data has them in `engines.json`."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.version import Version

from conformance.compat.data import FORMAT
from conformance.compat.frameworks import CompatFramework, CompatFrameworks, CompatRelease
from conformance.formats.adapter_file import bundled_adapters
from conformance.formats.engine_file import FrameworkRelease, bundled_engine, engine_names


def package_of(adapter: str) -> str:
    """The package whose releases a bundled adapter asks: of those that it needs, the one with a list of releases.

    Raises:
        ValueError: it has none.
    """
    needs = (
        Requirement(text).name for one in bundled_adapters() if one.name == adapter for text in one.manifest.requires
    )
    for name in needs:
        if name in engine_names():
            return name
    raise ValueError(f"the framework of the adapter {adapter} has no list of releases in engines/")


def frameworks_of(packages: Iterable[str]) -> CompatFrameworks:
    """The listed releases of these packages."""
    engines = {package: bundled_engine(package) for package in sorted(packages)}
    return CompatFrameworks(
        format=FORMAT,
        engines={
            package: CompatFramework({release.version: _release(release) for release in engine.releases})
            for package, engine in engines.items()
            if engine is not None
        },
    )


def _release(release: FrameworkRelease) -> CompatRelease:
    return CompatRelease(
        date=release.date,
        python=pythons_of(release.wheels),
        wheels=dict(release.wheels),
        needs=dict(release.needs),
        opset=release.opset,
        ir=release.ir,
    )


def pythons_of(tags: Iterable[str]) -> list[str]:
    """The Pythons of wheels with these tags, as "3.11"; "3.12+" for those that also work with every later one."""
    found = {}
    for interpreter, abi, _ in (tag.split("-") for tag in tags):
        digits = interpreter.rpartition("cp")[2]
        version = f"3.{digits[1:]}" if digits.startswith("3") else "3"
        found[f"{version}{'+' * (abi == 'abi3')}"] = Version(version)
    return sorted(found, key=lambda name: (found[name], name))
