"""The command as a user starts it: a process of its own, in some folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`conformance` with these arguments, started in a folder."""
    command = [sys.executable, "-P", "-m", "conformance", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def run_to(folder: Path, *arguments: str, code: int = 0) -> None:
    """The command with these arguments, which ends with that exit code."""
    done = run_command(folder, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
