"""What a certificate is made and checked with: the cases and profiles that are installed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.formats.suite import bundled_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A folder laid out as `cases/`, and one laid out as `profiles/`, with the releases that are accepted."""

    cases: Path
    profiles: Path


def installed() -> Installation:
    """The cases and profiles that come with the project."""
    return Installation(cases=bundled_folder("cases"), profiles=bundled_folder("profiles"))
