"""Recorded deviations hold in the releases in which their scripts show the fault, and in no other."""

from __future__ import annotations

import pytest
from finding_releases import FindingLetter, FoundInReleases, found_by_adapter
from finding_versions import versions_of, with_versions
from packaging.specifiers import SpecifierSet

from conformance.judge.deviation import read_deviations
from conformance.suite.adapter_file import bundled_adapters

pytestmark = pytest.mark.slow

RELEASES = ["1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.2.1"]


@pytest.mark.parametrize(
    ("letters", "versions"),
    [
        ("bbbbb", ">=1.0,<1.3"),
        ("-bbbb", ">=1.0.1,<1.3"),
        ("bbbbg", ">=1.0,<1.2.1"),
        ("bbggg", ">=1.0,<1.1"),
        ("bb-bb", ">=1.0,!=1.1.*,<1.3"),
        ("bgbgb", ">=1.0,!=1.0.1,!=1.2.0,<1.3"),
        ("ggggg", ""),
        ("-----", ""),
        ("", ""),
    ],
)
def test_versions_are_those_of_the_releases_that_show_the_fault(letters: str, versions: str) -> None:
    found = FoundInReleases(releases=RELEASES, records={"a": letters} if letters else {})
    assert versions_of(found, "a") == versions
    if versions:
        held = "".join("b" if SpecifierSet(versions).contains(release) else "g" for release in RELEASES)
        assert held == letters.replace("-", "g")


def test_the_versions_of_a_record_are_written_in_its_place_alone() -> None:
    text = '  - id: a-b\n    where: {versions: ">=1", isa: "<AVX2"}\n\n  - id: a\n    where: {versions: ">=1"}\n'
    assert with_versions(text, {"a": ">=2,<3"}) == text.removesuffix('>=1"}\n') + '>=2,<3"}\n'
    assert with_versions(text, {"a-b": ">=2"}) == text.replace('>=1", isa', '>=2", isa')


@pytest.mark.parametrize("adapter", found_by_adapter())
def test_every_record_holds_where_its_script_shows_the_fault(adapter: str) -> None:
    found = found_by_adapter()[adapter]
    (folder,) = (one.folder for one in bundled_adapters() if one.name == adapter)
    for entry in read_deviations(folder):
        if {*found.records.get(entry.id, "")} - {FindingLetter.UNKNOWN.value}:
            derived = versions_of(found, entry.id)
            assert entry.conditions.versions == derived, f"{entry.id}: run `python tools/finding_versions.py`"
