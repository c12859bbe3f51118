"""The check of what commits add, in real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commit_size import MAX_ADDED_BYTES, MAX_WITHOUT_PARENT_BYTES, is_generated, too_large

pytestmark = pytest.mark.slow


def git(repository: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    command = ["git", "-C", str(repository), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(repository: Path, files: dict[str, int], subject: str = "Add files") -> str:
    for number, (name, size) in enumerate(files.items()):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_bytes(bytes([65 + number]) * size)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", subject)
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    return folder


def test_a_commit_that_adds_too_much_is_named_whatever_follows(repository: Path) -> None:
    base = commit(repository, {"README.md": 10})
    wrong = commit(repository, {"reports/run.txt": MAX_ADDED_BYTES // 2, "log.jsonl": MAX_ADDED_BYTES // 2 + 1})
    (repository / "log.jsonl").unlink()
    commit(repository, {})
    (found,) = too_large(repository, base)
    assert found == f"{wrong[:12]} has 3,000,001 new bytes of generated data, and may have 3,000,000"


def test_a_commit_that_moves_data_adds_none(repository: Path) -> None:
    commit(repository, {"reports/run.jsonl": 2 * MAX_ADDED_BYTES})
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "mv", "reports/run.jsonl", "moved.jsonl")
    commit(repository, {})
    assert list(too_large(repository, base)) == []


def test_what_is_written_by_hand_does_not_count(repository: Path) -> None:
    base = commit(repository, {"README.md": 10})
    commit(repository, {"long.py": MAX_ADDED_BYTES + 1})
    assert list(too_large(repository, base)) == []


@pytest.mark.parametrize(("size", "count"), [(MAX_WITHOUT_PARENT_BYTES, 0), (MAX_WITHOUT_PARENT_BYTES + 1, 1)])
def test_a_shallow_clone_checks_its_newest_commit(repository: Path, tmp_path: Path, size: int, count: int) -> None:
    base = commit(repository, {"README.md": 10})
    commit(repository, {"log.jsonl": size})
    git(repository, "clone", "--quiet", "--depth", "1", repository.as_uri(), str(tmp_path / "clone"))
    assert len(list(too_large(tmp_path / "clone", base))) == count


def test_names_with_other_letters_count_too() -> None:
    assert is_generated("reports/ü.txt")
    assert not is_generated("docs/reports.md")
