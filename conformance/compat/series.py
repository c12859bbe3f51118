"""Values of releases, written once for all consecutive releases with the same: each holds until the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TypeVar

Held = TypeVar("Held")


def spread(series: Mapping[str, Held | None], releases: Sequence[str]) -> dict[str, Held | None]:
    """The value at each release; None before the first one."""
    values: dict[str, Held | None] = {}
    current: Held | None = None
    for release in releases:
        current = series.get(release, current)
        values[release] = current
    return values


def gathered(values: Mapping[str, Held | None], releases: Sequence[str]) -> dict[str, Held | None]:
    """The series of these values; a release that is not among them has None."""
    series: dict[str, Held | None] = {}
    current: Held | None = None
    for release in releases:
        if values.get(release) != current:
            current = series[release] = values.get(release)
    return series


def ranges(values: Mapping[str, Held]) -> list[tuple[Held, list[str]]]:
    """Each value with the consecutive releases that have it."""
    return [(value, list(releases)) for value, releases in groupby(values, key=lambda release: values[release])]


def extent(first: str, last: str) -> str:
    """Releases that follow each other in words, as `1.15.0 to 1.17.3`, or the one that it is."""
    return first if first == last else f"{first} to {last}"
