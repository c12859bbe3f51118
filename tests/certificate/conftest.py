"""One real certificate of a small suite, made once; tests work on copies of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gallery import MadeOnce
from small_suite import Scene, certified_scene, scene_in


@pytest.fixture(scope="session")
def scene(made_once: MadeOnce) -> Scene:
    return scene_in(made_once("certified-scene", certified_scene))


@pytest.fixture
def copy(scene: Scene, tmp_path: Path) -> Path:
    """A copy of the certificate, to be tampered with."""
    return Path(shutil.copytree(scene.certificate, tmp_path / "certificate"))
