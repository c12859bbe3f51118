"""One real certificate of a small suite, made once; tests work on copies of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_suite import Scene, certified_scene


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return certified_scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def copy(scene: Scene, tmp_path: Path) -> Path:
    """A copy of the certificate, to be tampered with."""
    return Path(shutil.copytree(scene.certificate, tmp_path / "certificate"))
