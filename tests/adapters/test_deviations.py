from __future__ import annotations

from datetime import date

import pytest

from conformance.judge.deviation import Happens, read_deviations
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import Adapter, bundled_adapters

pytestmark = pytest.mark.slow

ADAPTERS = [adapter for adapter in bundled_adapters() if (adapter.folder / "deviations.yaml").exists()]
each_adapter = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)


@each_adapter
def test_every_reproducer_belongs_to_a_deviation(adapter: Adapter) -> None:
    used = {adapter.folder / entry.reproducer for entry in read_deviations(adapter.folder) if entry.reproducer}
    assert set((adapter.folder / "reproducers").glob("*.py")) <= used <= set(adapter.folder.rglob("*.py"))


@each_adapter
def test_every_deviation_is_to_be_looked_at_again(adapter: Adapter) -> None:
    for entry in read_deviations(adapter.folder):
        assert date(2026, 1, 1) < entry.since < entry.review


@each_adapter
def test_what_costs_memory_or_time_does_not_happen_on_each_machine(adapter: Adapter) -> None:
    for entry in read_deviations(adapter.folder):
        assert Verdict.COSTLY_REJECTION not in entry.verdicts or entry.happens is Happens.SOMETIMES
