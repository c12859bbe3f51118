"""Every recorded deviation, shown without the suite: its reproducer is run alone, and exits with 1."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from conformance.adapter_file import bundled_adapters
from conformance.deviation_file import read_deviations

ENTRIES = [(adapter, entry) for adapter in bundled_adapters() for entry in read_deviations(adapter.folder)]


@cache
def done(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script, away from its folder; isolated, so that nothing of a checkout or a user is on the path."""
    arguments = [sys.executable, "-I", str(script)]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


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
    run = done(script, tmp_path_factory.getbasetemp())
    assert run.returncode == 1, f"not as recorded for {versions}:\n{run.stdout}{run.stderr}"
    assert "Traceback" not in run.stderr
    assert "expected" in run.stdout
