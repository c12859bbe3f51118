from __future__ import annotations

from datetime import date

import pytest

from conformance.adapter_file import Adapter, bundled_adapters
from conformance.check import bundled_adapter_folders, check_deviations
from conformance.deviation_file import read_deviations
from conformance.suite import bundled_folder, load_suite

ADAPTERS = [adapter for adapter in bundled_adapters() if (adapter.folder / "deviations.yaml").exists()]
each_adapter = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)


def test_every_pattern_of_a_deviation_speaks_of_a_case() -> None:
    assert check_deviations(load_suite(bundled_folder("cases")), bundled_adapter_folders()) == []


@each_adapter
def test_every_reproducer_belongs_to_a_deviation(adapter: Adapter) -> None:
    used = {adapter.folder / entry.reproducer for entry in read_deviations(adapter.folder)}
    assert set((adapter.folder / "reproducers").glob("*.py")) == used


@each_adapter
def test_every_deviation_is_to_be_looked_at_again(adapter: Adapter) -> None:
    for entry in read_deviations(adapter.folder):
        assert date(2026, 1, 1) < entry.since < entry.review
