from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.tensors.files import files_digest


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "here" / "package"
    (folder / "lib").mkdir(parents=True)
    (folder / "code.py").write_text("one")
    (folder / "lib" / "engine.so").write_bytes(b"\x7fELF")
    return folder


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "lib" / "engine.so").write_bytes(b"\x7fELG"),
        lambda folder: (folder / "code.py").rename(folder / "other.py"),
        lambda folder: (folder / ".hidden").touch(),
        lambda folder: (folder / "code.py").unlink(),
        lambda folder: (folder / "linked").symlink_to("code.py"),
    ],
)
def test_another_state_of_a_file_has_another_digest(package: Path, change: Callable[[Path], object]) -> None:
    before = files_digest([package])
    change(package)
    assert files_digest([package]) not in (before, "")


def test_what_python_and_git_keep_changes_nothing(package: Path) -> None:
    before = files_digest([package])
    for name in ("__pycache__", ".git"):
        (package / "lib" / name).mkdir()
        (package / "lib" / name / "more").touch()
    assert files_digest([package]) == before


def test_the_place_of_a_folder_changes_nothing(package: Path, tmp_path: Path) -> None:
    before = files_digest([package])
    assert files_digest([package.rename(tmp_path / "package")]) == before
    assert files_digest([(tmp_path / "package").rename(tmp_path / "other")]) != before


@pytest.mark.skipif(sys.platform == "win32", reason="makes a pipe")
def test_pipes_and_folders_that_lead_back_are_not_read(package: Path) -> None:
    before = files_digest([package])
    os.mkfifo(package / "pipe")
    (package / "lib" / "back").symlink_to(package)
    assert files_digest([package]) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_leaves_no_digest(package: Path) -> None:
    (package / "code.py").chmod(0)
    assert files_digest([package]) == ""
