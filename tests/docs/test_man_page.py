"""The manual page says what the commands take today."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "conformance.1"


def test_the_page_is_current() -> None:
    page = runpy.run_path(str(DOCS / "man_page.py"))["man_page"]()
    assert PAGE.read_text() == page, "a command has changed: run `nox -s man`"


def test_the_page_explains_options_of_commands_and_of_their_subcommands() -> None:
    page = PAGE.read_text()
    assert ".SS conformance run\n" in page
    assert ".SS conformance lab worker\n" in page
    assert ".TP\n\\fB\\-\\-cases\\-folder\\fR \\fIDIR\\fR\nfolder laid out as cases/" in page


def test_groff_accepts_the_page() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", str(PAGE)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
