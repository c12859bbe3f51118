"""Runs a script as somebody who has never heard of this project: nothing of it can be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_WITHOUT_THE_PROJECT = """
import runpy, sys
sys.modules["conformance"] = None  # an import of it fails, though it is installed
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_alone(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script, started from another folder; isolated, so that nothing of a checkout or a user is on the path."""
    command = [sys.executable, "-I", "-c", _WITHOUT_THE_PROJECT, str(script)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
