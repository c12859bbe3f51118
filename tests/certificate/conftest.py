"""One real certificate of a small suite, made once; tests work on copies of it."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from small_suite import Scene, certified, order, write_installation, write_keys, write_target


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    root = tmp_path_factory.mktemp("scene")
    installation = write_installation(root)
    today = date.today()  # noqa: DTZ011  (a review is due by the calendar)
    target = write_target(root, since=str(today - timedelta(days=2)), review=str(today + timedelta(days=90)))
    private, public = write_keys(root, "vendor")
    certified(order(installation, root / "certificate", key=private), installation, target)
    return Scene(installation, target, root / "certificate", private, public)


@pytest.fixture
def copy(scene: Scene, tmp_path: Path) -> Path:
    """A copy of the certificate, to be tampered with."""
    return Path(shutil.copytree(scene.certificate, tmp_path / "certificate"))
