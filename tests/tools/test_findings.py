"""The recorded deviations: printed once and worst first, run in old releases, and held where scripts show the fault."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from findings import (
    FindingLetter,
    FoundInReleases,
    findings,
    found_by_adapter,
    oldest_opset,
    prepared_for,
    versions_of,
    with_versions,
)
from packaging.specifiers import SpecifierSet

from conformance.judge.deviation import read_deviations
from conformance.run.script_folder import scripts_of
from conformance.suite.adapter_file import bundled_adapters
from conformance.suite.suite import bundled_folder, load_suite

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WORST = ROOT / "docs" / "reference" / "worst-findings.md"
TEXT = "\n".join(findings())
NAMED = re.compile(r"`--recorded (\S+) --target (\w+)`(.*)")


def test_every_deviation_is_printed_once() -> None:
    printed = re.findall(r"^  `([a-z0-9-]+)`: ", TEXT, re.MULTILINE)
    assert sorted(printed) == sorted(e.id for adapter in bundled_adapters() for e in read_deviations(adapter.folder))


def test_every_neighbour_is_printed() -> None:
    scripts = re.findall(r"`(adapters/\S+\.py)`", TEXT)
    assert set(scripts) == {
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("adapters/*/reproducers/neighbours/*.py")
    }


def test_memory_errors_stand_before_wrong_results_and_arguable_ones_last() -> None:
    titles = re.findall(r"^### (.+)$", TEXT[TEXT.index("## openvino") : TEXT.index("## torch")], re.MULTILINE)
    assert titles[:3] == ["memory errors", "crashes or hangs", "wrong results"]
    first = next(number for number, title in enumerate(titles) if title.endswith("arguable"))
    assert all(title.endswith("arguable") for title in titles[first:-1])


def test_the_page_of_the_worst_has_ten_of_them_that_are_recorded() -> None:
    text = WORST.read_text()
    assert [int(number) for number in re.findall(r"^\*\*(\d+)\. ", text, re.MULTILINE)] == list(range(1, 11))
    recorded = {(one.name, entry.id) for one in bundled_adapters() for entry in read_deviations(one.folder)}
    named = [(adapter, record) for record, adapter, _ in NAMED.findall(text)]
    assert (len(named), set(named) - recorded) == (10, set())


def test_the_page_of_the_worst_says_in_which_releases_the_scripts_show_the_fault() -> None:
    for record, adapter, said in NAMED.findall(WORST.read_text()):
        if found := found_by_adapter().get(adapter):
            assert said.partition(";")[0] == f": {found.sentence(record)}", record


FOUR_RELEASES = ["1.0", "1.1", "1.2", "1.3"]


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
    assert FoundInReleases(releases=FOUR_RELEASES, records={"a": letters}).sentence("a") == sentence


def test_each_record_whose_script_ran_has_a_letter_for_each_release() -> None:
    records = {one.name: {entry.id for entry in read_deviations(one.folder)} for one in bundled_adapters()}
    for name, found in found_by_adapter().items():
        assert found.records.keys() <= records[name]
        assert {len(letters) for letters in found.records.values()} == {len(found.releases)}


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
            assert entry.conditions.versions == derived, f"{entry.id}: run `python tools/findings.py versions`"


ADAPTERS = {adapter.name: adapter for adapter in bundled_adapters()}
SHOWS_PACKAGES = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import yaml; print(yaml.__name__)'])"


@pytest.mark.parametrize(
    ("package", "record", "opset"),
    [
        ("onnxruntime", "unsqueeze-scalar-axes-accepted", 23),
        ("onnxruntime", "gather-of-strings-takes-the-first-of-each-slice", 1),
        ("onnxruntime", "external-lengths-rejected", 0),
        ("openvino", "onnx-pad-axis-before-the-first-accepted", 0),
    ],
)
def test_the_oldest_opset_follows_from_the_operators_of_a_record(package: str, record: str, opset: int) -> None:
    adapter = ADAPTERS[package]
    entries = [entry for entry in read_deviations(adapter.folder) if entry.id == record]
    (script,) = scripts_of(adapter, entries, load_suite(bundled_folder("cases")))
    assert oldest_opset(script, package) == opset


def test_scripts_and_their_processes_have_packages_that_an_environment_lacks(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    with prepared_for(ADAPTERS["onnxruntime"]):
        command = [str(tmp_path / "bare" / "bin" / "python"), "-P", "-c", SHOWS_PACKAGES]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "yaml\n"
    assert "PYTHONPATH" not in os.environ
