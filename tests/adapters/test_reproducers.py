"""The scripts of recorded deviations need no suite, and those of neighbours exit with 1 when they are run alone.

`nox -s reproducers` runs the scripts of all recorded deviations.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.formats.adapter_file import bundled_adapters
from conformance.judging.deviation_file import read_deviations
from conformance.running.reproducer import Script, Showing, run_alone, scripts_of, showing_of
from conformance.values.instruction_set import is_in_range, level_under, levels_here

pytestmark = pytest.mark.slow

SCRIPTS = [script for adapter in bundled_adapters() for script in scripts_of(adapter, read_deviations(adapter.folder))]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.path.stem)
def test_the_script_of_a_deviation_is_without_the_suite(script: Script) -> None:
    assert "conformance" not in script.path.read_text()


NEIGHBOURS = [path for adapter in bundled_adapters() for path in adapter.folder.glob("reproducers/neighbours/*.py")]


@pytest.mark.frameworks
@pytest.mark.parametrize("script", NEIGHBOURS, ids=lambda script: script.stem)
def test_a_neighbour_departs_without_the_operator(script: Path) -> None:
    text = script.read_text()
    assert "conformance" not in text
    level = level_under(os.environ.get("ONEDNN_MAX_CPU_ISA", ""), levels_here())
    if "processors with AVX512_BF16" in text and (level is None or not is_in_range(level, ">=AVX512_CORE_BF16")):
        pytest.skip("neither the processor nor the limit of its instruction set has AVX512_BF16")
    ended = run_alone(script)
    assert showing_of(ended) is Showing.SHOWS, f"{ended.code}\n{ended.stdout}{ended.stderr}"
