"""The findings: each recorded deviation is told of, and each finding names the scripts that show it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.formats.adapter_file import Adapter, bundled_adapters
from conformance.judging.deviation_file import read_deviations

FINDINGS = (Path(__file__).parents[2] / "docs" / "findings.md").read_text()
ADAPTERS = [adapter for adapter in bundled_adapters() if read_deviations(adapter.folder)]
OF_OPERATORS, OF_NEIGHBOURS = FINDINGS.split("\n## Neighbours of the operators\n")


def _sections(text: str) -> dict[str, str]:
    return dict(re.findall(r"^### (.+)\n((?:(?!#).*\n)*)", text, re.MULTILINE))


SECTIONS = _sections(OF_OPERATORS)


def _named(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
def test_every_deviation_is_reported_of_in_a_finding(adapter: Adapter) -> None:
    printed = set().union(*map(_named, SECTIONS.values()))
    assert {entry.id for entry in read_deviations(adapter.folder)} - printed == set()


@pytest.mark.parametrize("text", SECTIONS.values(), ids=SECTIONS.keys())
def test_a_finding_names_the_scripts_of_its_deviations(text: str) -> None:
    named = _named(text)
    entries = [entry for adapter in ADAPTERS for entry in read_deviations(adapter.folder) if entry.id in named]
    assert entries
    assert {name for name in named if name.endswith(".py")} == {Path(entry.reproducer).name for entry in entries}


def test_a_script_about_a_neighbour_belongs_to_one_finding_about_it() -> None:
    named = [name for text in _sections(OF_NEIGHBOURS).values() for name in _named(text) if name.endswith(".py")]
    scripts = [path for adapter in ADAPTERS for path in (adapter.folder / "reproducers" / "neighbours").glob("*.py")]
    assert sorted(named) == sorted(f"neighbours/{path.name}" for path in scripts)
