"""Writes into deviations.yaml in which releases each record holds: `python tools/finding_versions.py`.

They are those in which its script shows the fault, by compat/findings.json (`tools/finding_edges.py`). A record whose
script ran in no release keeps what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from finding_releases import FindingLetter, FoundInReleases, found_by_adapter
from packaging.version import Version

from conformance.judge.deviation import read_deviations
from conformance.suite.adapter_file import bundled_adapters


def versions_of(found: FoundInReleases, record: str) -> str:
    """The releases with the fault, as `>=1.15,!=1.17.*,<1.33`; empty if the script shows it in none.

    Further releases of the newest minor version are taken to be as that is.
    """
    letters = found.records.get(record, "")
    bad = [letter == FindingLetter.BAD.value for letter in letters]
    if True not in bad:
        return ""
    first, after = bad.index(True), len(bad) - bad[::-1].index(True)
    end = _short(found.releases[after]) if after < len(bad) else _next_minor(found.releases[-1])
    between = dict(zip(found.releases[first:after], bad[first:after], strict=True))
    return ",".join((f">={_short(found.releases[first])}", *_holes(between), f"<{end}"))


def _holes(between: dict[str, bool]) -> Iterator[str]:
    """What leaves out the releases without the fault; a minor version as a whole if none has it."""
    for (major, minor), group in groupby(between, key=lambda release: Version(release).release[:2]):
        releases = [*group]
        if not any(between[release] for release in releases):
            yield f"!={major}.{minor}.*"
        else:
            yield from (f"!={release}" for release in releases if not between[release])


def _next_minor(release: str) -> str:
    major, minor = Version(release).release[:2]
    return f"{major}.{minor + 1}"


def _short(release: str) -> str:
    return re.sub(r"^(\d+\.\d+)\.0$", r"\1", release)


def with_versions(text: str, versions: dict[str, str]) -> str:
    """The text of a deviations.yaml in which the records with these ids hold in these versions."""
    for name, written in versions.items():
        own = rf'(?ms)^(  - id: {name}$(?:(?!^  - id: ).)*?\bversions: ")[^"]*'
        text = re.sub(own, rf"\g<1>{written}", text, count=1)
    return text


def main() -> None:
    """Write the versions of all bundled records."""
    for adapter in bundled_adapters():
        found = found_by_adapter().get(adapter.name)
        if found is not None:
            derived = {entry.id: versions_of(found, entry.id) for entry in read_deviations(adapter.folder)}
            path = adapter.folder / "deviations.yaml"
            path.write_text(with_versions(path.read_text("utf-8"), {k: v for k, v in derived.items() if v}), "utf-8")


if __name__ == "__main__":
    main()
