"""The types of `engines.json`: the facts of each release of each package."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CompatRelease:
    """A release: its day, the newest opset and IR version that it knows, the Pythons that it has wheels for, the ranges
    of packages that it needs, and the SHA-256 of its wheels, by the tags of their names.
    """

    date: str
    python: list[str]
    wheels: dict[str, str]
    needs: dict[str, str] = field(default_factory=dict)
    opset: int | None = None
    ir: int | None = None


@dataclass(frozen=True)
class CompatFramework:
    """The releases of a package, the oldest first."""

    releases: dict[str, CompatRelease]


@dataclass(frozen=True)
class CompatFrameworks:
    """All packages, by name."""

    format: int
    engines: dict[str, CompatFramework]
