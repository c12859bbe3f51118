"""An adapter that rewrites the log while it is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gallery import LIARS, write_liar

REWRITES = """

import os
import pathlib


def run(self, call, inputs):
    log = pathlib.Path(os.environ["LOG"])
    data = log.read_bytes() if log.exists() else b""
    better = data.replace(b'"verdict":"wrong result"', b'"verdict":"pass"        ')
    if better != data:
        with log.open("r+b") as stream:
            stream.write(better)
    return Honest.run(self, call, inputs)


Adapter.run = run
"""


def test_verdicts_that_an_adapter_mended_are_told(tmp_path: Path) -> None:
    folder = write_liar(tmp_path, "swaps_outputs")
    with (folder / "adapter.py").open("a") as code:
        code.write(REWRITES)
    log = tmp_path / "out" / "run.jsonl"
    where = ["--cases-folder", str(LIARS / "cases"), "--target", str(folder), "--output", str(log.parent)]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", "--quiet", "--jobs", "1", "--form", "constant", *where],
        env={**os.environ, "LOG": str(log)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert b'"verdict":"pass"        ' in log.read_bytes()
    assert done.returncode == 2
    assert "the run wrote swaps_outputs@1.0: " in done.stderr
    assert "1 wrong result, and the log holds" in done.stderr
