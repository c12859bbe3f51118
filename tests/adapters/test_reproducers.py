"""Each recorded deviation, and what neighbours do, shown without the suite: a script is run alone, and exits with 1."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from alone import run_alone

from conformance.adapter_file import bundled_adapters
from conformance.deviation_file import read_deviations

run_once = cache(run_alone)
ENTRIES = [(adapter, entry) for adapter in bundled_adapters() for entry in read_deviations(adapter.folder)]


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("script", "versions"),
    [
        pytest.param(adapter.folder / entry.reproducer, entry.conditions.versions, id=f"{adapter.name}-{entry.id}")
        for adapter, entry in ENTRIES
    ],
)
def test_a_deviation_happens_without_the_suite(
    script: Path, versions: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert "conformance" not in script.read_text()
    run = run_once(script, tmp_path_factory.getbasetemp())
    assert run.returncode == 1, f"not as recorded for {versions}:\n{run.stdout}{run.stderr}"
    assert "Traceback" not in run.stderr
    assert "expected" in run.stdout


NEIGHBOURS = [path for adapter in bundled_adapters() for path in adapter.folder.glob("reproducers/neighbours/*.py")]


@pytest.mark.frameworks
@pytest.mark.parametrize("script", NEIGHBOURS, ids=lambda script: script.stem)
def test_a_neighbour_departs_without_the_operator(script: Path, tmp_path: Path) -> None:
    text = script.read_text()
    assert "conformance" not in text
    if "processors with AVX512_BF16" in text and "avx512_bf16" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no AVX512_BF16")
    run = run_alone(script, tmp_path)
    assert run.returncode == 1, f"{run.stdout}{run.stderr}"
    assert "Traceback" not in run.stderr
    assert "expected" in run.stdout
