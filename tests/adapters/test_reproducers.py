"""The scripts of recorded deviations show their faults without the suite, and so do those of neighbours.

The records of older releases are asked in those by `python tools/findings.py run`.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from conformance.judge.deviation import Deviation, Happens, read_deviations
from conformance.run.script_folder import Showing, end_of, holding_here, run_alone, scripts_of, showing_of
from conformance.suite.adapter_file import bundled_adapters
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.machine import is_in_range, level_under, levels_here

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

ADAPTERS = {adapter.name: adapter for adapter in bundled_adapters()}
RECORDED = [(name, entry.id) for name, adapter in ADAPTERS.items() for entry in read_deviations(adapter.folder)]
NEIGHBOURS = [path for adapter in ADAPTERS.values() for path in adapter.folder.glob("reproducers/neighbours/*.py")]


@cache
def suite() -> Suite:
    return load_suite(bundled_folder("cases"))


@cache
def holding(adapter: str) -> tuple[Deviation, ...]:
    """The deviations of an adapter whose conditions hold here."""
    return holding_here(ADAPTERS[adapter], read_deviations(ADAPTERS[adapter].folder))[0]


@pytest.mark.parametrize(("adapter", "record"), RECORDED)
def test_the_script_of_a_deviation_shows_the_fault_without_the_suite(adapter: str, record: str) -> None:
    entries = [entry for entry in read_deviations(ADAPTERS[adapter].folder) if entry.id == record]
    (script,) = scripts_of(ADAPTERS[adapter], entries, suite())
    assert b"import conformance" not in script.content
    assert b"from conformance" not in script.content
    if record not in {entry.id for entry in holding(adapter)}:
        pytest.skip("recorded for other conditions")
    ended = end_of(script)
    if script.entry.happens is Happens.SOMETIMES and script.showing_of(ended) is Showing.GONE:
        pytest.skip(f"happens sometimes: {script.entry.depends_on}")
    assert script.showing_of(ended) is Showing.SHOWS, f"{ended.code}\n{ended.stdout}{ended.stderr}"


@pytest.mark.parametrize("script", NEIGHBOURS, ids=lambda script: script.stem)
def test_a_neighbour_departs_without_the_operator(script: Path) -> None:
    text = script.read_text()
    assert "conformance" not in text
    level = level_under(os.environ.get("ONEDNN_MAX_CPU_ISA", ""), levels_here())
    if "processors with AVX512_BF16" in text and (level is None or not is_in_range(level, ">=AVX512_CORE_BF16")):
        pytest.skip("neither the processor nor the limit of its instruction set has AVX512_BF16")
    ended = run_alone(script)
    assert showing_of(ended) is Showing.SHOWS, f"{ended.code}\n{ended.stdout}{ended.stderr}"
