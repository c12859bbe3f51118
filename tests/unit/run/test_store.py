from __future__ import annotations

import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from time import time

import pytest

from conformance.cli.parser import days_from
from conformance.run import environments as store
from conformance.run.environments import (
    UNFINISHED,
    Lock,
    Wheel,
    bytes_on_disk,
    describe,
    environments,
    found,
    make_read_only,
    mark_used,
    name_lock,
    remove,
    remove_folder,
    remove_unfinished,
)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "root", lambda: tmp_path)
    return tmp_path


def put(root: Path, version: str, *, days: float = 0) -> str:
    """An environment that is whole, and was used so many days ago."""
    lock = Lock("cp311", (Wheel("engine", version, "a" * 64), Wheel("numpy", "2.0.0", "b" * 64)))
    packages = root / lock.name / "lib" / "python3.11" / "site-packages"
    for wheel in lock.wheels:
        record = packages / f"{wheel.package}-{wheel.version}.dist-info" / "RECORD"
        record.parent.mkdir(parents=True)
        record.write_text(f"../../../bin/tool,,7\n{wheel.package}.py,sha256=abc,9000\n{wheel.package}.pyc,,\n")
        (packages / f"{wheel.package}.py").write_text("x" * 9000)
    (root / lock.name / "bin").mkdir()
    (root / lock.name / "bin" / "python").touch()
    describe(root / lock.name, lock)
    make_read_only(root / lock.name)
    with name_lock(lock.name):
        mark_used(lock.name)
    then = time() - days * 86_400
    os.utime(root / f"{lock.name}.lock", (then, then))
    return lock.name


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "\0", "[" * 100_000, '{"package": 1}', "{}", '{"package": "a", "version": "b", "installed": {}}'],
)
def test_an_environment_whose_description_is_broken_is_none(root: Path, text: str) -> None:
    path = root / put(root, "1.0.0") / "environment.json"
    path.chmod(0o644)
    path.write_text(text)
    assert environments() == []


def test_an_environment_whose_description_is_no_file_is_none(root: Path) -> None:
    path = root / put(root, "1.0.0") / "environment.json"
    path.parent.chmod(0o755)
    path.unlink()
    os.mkfifo(path)
    assert environments() == []


def test_environments_are_listed_by_version_with_size_and_last_use(root: Path) -> None:
    for version, days in (("1.10.0", 40), ("1.9.0", 3)):
        put(root, version, days=days)
    first, second = environments()
    assert (first.version, second.version) == ("1.9.0", "1.10.0")
    assert first.installed == {"engine": "1.9.0", "numpy": "2.0.0"}
    assert first.num_bytes >= 9000
    assert [int(one.unused_days(time())) for one in (first, second)] == [3, 40]


def put_in(path: Path, text: str) -> None:
    """Write a file of an environment as another process would that may."""
    path.parent.chmod(0o755)
    path.unlink()
    path.write_text(text)


@pytest.mark.parametrize(
    "broken",
    [
        lambda folder: put_in(next(folder.rglob("engine.py")), "x" * 8999),
        lambda folder: put_in(next(folder.rglob("numpy*/RECORD")), ""),
        lambda folder: put_in(next(folder.rglob("numpy*/RECORD")), "numpy/gone.py,sha256=abc,1\n"),
        lambda folder: put_in(folder / "environment.json", "{"),
        lambda folder: put_in(folder / "environment.json", "[1]"),
        lambda folder: remove_folder(folder / "bin"),
        lambda folder: remove_folder(folder / "lib"),
    ],
)
def test_a_broken_environment_is_none(root: Path, broken: Callable[[Path], object]) -> None:
    name = put(root, "1.9.0")
    assert found(name) is not None
    (root / name).chmod(0o755)
    broken(root / name)
    assert (found(name), environments()) == (None, [])


def test_a_file_that_environments_share_takes_its_room_once(root: Path) -> None:
    first, second = (root / put(root, version) / "lib" for version in ("1.9.0", "1.10.0"))
    alone = bytes_on_disk(root)
    for folder in (first, second):
        folder.chmod(0o755)
    (first / "large").write_bytes(bytes(1_000_000))
    (second / "large").hardlink_to(first / "large")
    assert 1_000_000 <= bytes_on_disk(root) - alone < 2_000_000


def test_what_is_in_an_environment_cannot_be_changed_but_it_can_be_removed(root: Path) -> None:
    name = put(root, "1.9.0")
    assert (root / name / "lib").stat().st_mode & 0o222 == 0
    (module,) = (root / name / "lib").rglob("engine.py")
    assert module.stat().st_mode & 0o222 == 0
    (environment,) = environments()
    remove(environment)
    assert found(name) is None
    assert [path.name for path in root.iterdir()] == [f"{name}.lock"]


def test_what_a_killed_process_left_is_removed_unless_another_one_is_at_work(root: Path) -> None:
    for name in ("engine-1-cp311-aa", "engine-2-cp311-bb"):
        (root / f"{name}{UNFINISHED}-77" / "lib").mkdir(parents=True)
        (root / f"{name}{UNFINISHED}-77" / "lib").chmod(0o555)
    with name_lock("engine-1-cp311-aa"):
        remove_unfinished()
    assert [path.name for path in root.glob(f"*{UNFINISHED}*")] == [f"engine-1-cp311-aa{UNFINISHED}-77"]
    assert environments() == []


def test_a_name_is_held_by_one_alone() -> None:
    with name_lock("engine"), name_lock("engine", waits=False) as is_mine:
        assert not is_mine


def test_days_are_written_with_a_d() -> None:
    assert days_from("30d") == 30.0
    with pytest.raises(ArgumentTypeError, match="such as 30d"):
        days_from("30")
