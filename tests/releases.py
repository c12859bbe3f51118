"""Releases of ONNX Runtime whose environments several tests read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command import run_command
from gallery import MadeOnce

OLD, BEFORE, AFTER = "1.16.3", "1.25.1", "1.26.0"
"""The old one needs NumPy below 2, and has wheels for Python 3.11 alone. The other two follow each other."""
MADE = (OLD, BEFORE, AFTER) if sys.version_info < (3, 12) else (BEFORE, AFTER)


def cache_with_releases(made_once: MadeOnce, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the user, in force, with environments of these releases, which pip or uv installs once."""

    def fill(folder: Path) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        done = run_command(folder, "env", "add", *(f"onnxruntime@{release}" for release in MADE))
        assert done.returncode == 0, done.stderr
        assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [f"onnxruntime {one}" for one in MADE]

    folder = made_once("environments", fill)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
