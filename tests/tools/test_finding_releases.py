"""The releases in which the scripts of recorded deviations show their faults."""

from __future__ import annotations

import pytest
from finding_releases import FoundInReleases, found_by_adapter

from conformance.judge.deviation import read_deviations
from conformance.suite.adapter_file import bundled_adapters

pytestmark = pytest.mark.slow

RELEASES = ["1.0", "1.1", "1.2", "1.3"]


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        ("bbbb", "bad from 1.0 on"),
        ("bbgg", "bad 1.0 to 1.1, good from 1.2 on"),
        ("gbgb", "good 1.0, bad 1.1, good 1.2, bad from 1.3 on"),
        ("--bb", "bad from 1.2 on"),
        ("b-bg", "bad 1.0 to 1.2, good from 1.3 on"),
        ("----", ""),
    ],
)
def test_a_sentence_names_the_first_bad_and_the_first_good_releases(letters: str, sentence: str) -> None:
    assert FoundInReleases(releases=RELEASES, records={"a": letters}).sentence("a") == sentence


def test_each_record_whose_script_ran_has_a_letter_for_each_release() -> None:
    records = {one.name: {entry.id for entry in read_deviations(one.folder)} for one in bundled_adapters()}
    for name, found in found_by_adapter().items():
        assert found.records.keys() <= records[name]
        assert {len(letters) for letters in found.records.values()} == {len(found.releases)}
