"""A folder of results belongs to one run at a time, and to nobody once that is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gallery import LIARS, write_liar

RUN = [sys.executable, "-P", "-m", "conformance", "run", "--quiet", "--cases-folder", str(LIARS / "cases")]
SLOW = [*RUN, "--case", "*/bait", "-t", "./hangs", "--timeout", "60"]
QUICK = [*RUN, "--case", "*/first", "-t", "numpy"]


@pytest.fixture
def first(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run that has written its header, and waits for an answer that will not come."""
    write_liar(tmp_path, "hangs")
    log = tmp_path / "conformance-results" / "run.jsonl"
    with subprocess.Popen(SLOW, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not (log.is_file() and log.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        try:
            yield process
        finally:
            process.kill()


def second(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*QUICK, *options], cwd=folder, capture_output=True, text=True, check=False)


def test_a_second_run_in_a_folder_is_refused_and_told_who_holds_it(
    first: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    before = (tmp_path / "conformance-results" / "run.jsonl").read_bytes()
    refused, elsewhere = second(tmp_path), second(tmp_path, "--output", "elsewhere")
    assert (tmp_path / "conformance-results" / "run.jsonl").read_bytes() == before
    first.kill()
    first.communicate()
    assert (refused.returncode, elsewhere.returncode) == (2, 0)
    assert (
        f"conformance-results: another run is writing to it: process {first.pid} on {os.uname().nodename}"
        in refused.stderr
    )
    assert "name another folder with --output" in refused.stderr


def test_a_run_that_was_killed_holds_nothing(first: subprocess.Popen[bytes], tmp_path: Path) -> None:
    first.kill()
    first.communicate()
    assert second(tmp_path).returncode == 0
    assert not (tmp_path / "conformance-results" / ".owner").exists()
    footer = json.loads((tmp_path / "conformance-results" / "run.jsonl").read_text().splitlines()[-1])
    assert footer["complete"]
