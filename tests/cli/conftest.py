"""The command in an empty folder, or in a copy of a folder that was prepared once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from command import Conformance, run_command
from gallery import Copied, MadeOnce


@pytest.fixture
def conformance(tmp_path: Path) -> Conformance:
    """Starts the command in an empty folder."""
    return partial(run_command, tmp_path)


@pytest.fixture
def copied(made_once: MadeOnce, tmp_path: Path) -> Copied:
    """Puts into the folder of the command what one test process made: `copied(name, fill)`."""

    def copy(name: str, fill: Callable[[Path], object]) -> None:
        shutil.copytree(made_once(name, fill), tmp_path, dirs_exist_ok=True)

    return copy
