"""The releases that a text behind `@` names: one, as 1.31.1, or several, as 1.28.., 1.20..1.24, ..1.24, newest:5."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packaging.version import Version

from conformance.values.errors import UsageError, nearest

_NUMBER = r"[0-9]+(?:\.[0-9]+)*"
_RANGE = re.compile(rf"(?P<first>{_NUMBER})?\.\.(?P<last>{_NUMBER})?")
_NEWEST = re.compile(r"newest:(?P<count>[1-9][0-9]{0,3})")


def names_several(text: str) -> bool:
    """Whether the text is a range or a number of releases, and not one version."""
    return ".." in text or text.startswith("newest")


def releases_named(text: str, listed: Sequence[str], where: str) -> tuple[str, ...]:
    """The releases of a range or of a number of them, in the order of `listed`, which has the oldest first.

    Both ends of a range belong to it, and `1.24` as its end all of 1.24.

    Raises:
        UsageError: the text is none of these forms, or names no release.
    """
    if newest := _NEWEST.fullmatch(text):
        return tuple(listed[-int(newest["count"]) :])
    ends = _RANGE.fullmatch(text)
    if ends is None:
        what = f"{text!r} names no releases"
        raise UsageError(where, what, fix="write one as 1.31.1, or several as 1.28.., ..1.24, 1.20..1.24 or newest:5")
    found = tuple(version for version in listed if _is_within(version, ends["first"], ends["last"]))
    if not found:
        fix = f"there are {listed[0]} to {listed[-1]}"
        raise UsageError(where, f"no listed release is within {text}", fix=fix)
    return found


def listed_release(text: str, listed: Sequence[str], where: str) -> str:
    """The one release that the text names.

    Raises:
        UsageError: it is not listed.
    """
    if text in listed:
        return text
    of_series = [version for version in listed if version.startswith(f"{text}.")]
    otherwise = nearest(text, listed, otherwise=f"there are {listed[0]} to {listed[-1]}")
    fix = f"write {of_series[-1]}, or {text}..{text} for all of {text}" if of_series else otherwise
    raise UsageError(where, f"there is no release {text!r} in the list, and it is not installed", fix=fix)


def _is_within(version: str, first: str | None, last: str | None) -> bool:
    found = Version(version)
    if first is not None and found < Version(first):
        return False
    if last is None:
        return True
    end = Version(last).release
    return found.release[: len(end)] <= end
