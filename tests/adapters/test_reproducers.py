"""Every recorded deviation, shown without the suite: its reproducer is run alone, and exits with 1."""

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
        pytest.param(adapter.folder / entry.reproducer, entry.versions, id=f"{adapter.name}-{entry.id}")
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
