"""The printed findings: each recorded deviation once, the worst first, and the ten that are told by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from finding_releases import found_by_adapter
from findings import findings

from conformance.judge.deviation import read_deviations
from conformance.suite.adapter_file import bundled_adapters

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
