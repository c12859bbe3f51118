"""The installed cases and profiles, with which certificates are issued and verified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.formats.suite import bundled_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A folder laid out as `cases/`, and one laid out as `profiles/`, which also lists the accepted releases."""

    cases: Path
    profiles: Path


def installed() -> Installation:
    """The bundled cases and profiles."""
    return Installation(cases=bundled_folder("cases"), profiles=bundled_folder("profiles"))
