"""The folder of all environments: what is in it, how large it is, and when each was used last.

Each environment NAME has a folder, whose `environment.json` describes it, and a file NAME.lock, whose time is that of
its last use.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Annotated

from filelock import FileLock, Timeout
from packaging.version import Version
from platformdirs import user_cache_path
from pydantic import AfterValidator, ConfigDict, TypeAdapter, with_config

from conformance.environments.installer import python_in
from conformance.environments.lock import Lock
from conformance.sessions.interpreter import packages_of
from conformance.values.errors import UsageError
from conformance.values.regular_file import content_of

WARN_ABOVE_BYTES = 10 * 10**9
UNFINISHED = ".unfinished"
_ABOUT = "environment.json"
_MAX_BYTES = 1 << 20
_DAY_S = 86_400.0


@with_config(ConfigDict(extra="forbid", strict=True))
@dataclass(frozen=True, slots=True, kw_only=True)
class _Described:
    """What `environment.json` says."""

    package: str
    version: Annotated[str, AfterValidator(lambda text: str(Version(text)) and text)]
    installed: dict[str, str]
    num_bytes: int


_DESCRIPTION = TypeAdapter(_Described)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment(_Described):
    """An environment that is whole: the release of its framework, its size, and the time of its last use."""

    name: str
    folder: Path
    used: float

    @property
    def python(self) -> Path:
        """Its Python."""
        return python_in(self.folder)

    def unused_days(self, now: float) -> float:
        """The days since its last use."""
        return max(0.0, now - self.used) / _DAY_S


def root() -> Path:
    """Where environments are kept: a folder of the user's cache, as the system names it."""
    return user_cache_path("opconform").absolute() / "environments"


def found(name: str, folder: Path | None = None) -> Environment | None:
    """The environment of that name; None if there is none, or if something of it is missing."""
    place = (folder or root()) / name
    path = place / _ABOUT
    try:
        used = place.with_name(f"{name}.lock").stat().st_mtime
        about = _DESCRIPTION.validate_json(content_of(path, str(path), _MAX_BYTES))
        if not is_whole(place, about.installed):
            return None
    except (OSError, ValueError, UsageError):  # it is broken, as by a disk that was full
        return None
    return Environment(name=name, folder=place, used=used, **asdict(about))


def environments() -> list[Environment]:
    """All environments, by package and version."""
    names = [path.parent.name for path in root().glob(f"*/{_ABOUT}") if UNFINISHED not in path.parent.name]
    whole = [environment for name in names if (environment := found(name))]
    return sorted(whole, key=lambda one: (one.package, Version(one.version), one.name))


def is_whole(folder: Path, installed: Mapping[str, str]) -> bool:
    """Whether an environment has its Python, and each file of these packages with the size that it was installed with.

    Commands of packages and compiled modules may be missing.
    """
    records = {_named(path.parent.name): path for path in packages_of(python_in(folder)).glob("*.dist-info/RECORD")}
    needed = [records.get(_named(f"{package}-{version}.dist-info")) for package, version in installed.items()]
    return python_in(folder).exists() and all(record is not None and _has_all_of(record) for record in needed)


def _named(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _has_all_of(record: Path) -> bool:
    with record.open(encoding="utf-8", newline="") as stream:
        rows = [(path, int(size)) for path, _, size in csv.reader(stream) if size and not path.startswith(("..", "/"))]
    sizes = (os.stat(record.parents[1] / path).st_size == size for path, size in rows)  # noqa: PTH116
    return bool(rows) and all(sizes)


def describe(folder: Path, lock: Lock) -> None:
    """Write what is in an environment, before it becomes read-only."""
    framework = lock.wheels[0]
    about = {
        "package": framework.package,
        "version": framework.version,
        "installed": {wheel.package: wheel.version for wheel in lock.wheels},
        "num_bytes": bytes_on_disk(folder),
    }
    (folder / _ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


@contextmanager
def held(name: str, *, waits: bool = True) -> Iterator[bool]:
    """Lock the name of an environment, for this process alone; gives whether it could be had."""
    root().mkdir(parents=True, exist_ok=True)
    lock = FileLock(root() / f"{name}.lock")
    try:
        lock.acquire(blocking=waits)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def mark_used(name: str) -> None:
    """Put down that an environment is used now."""
    os.utime(root() / f"{name}.lock", (time(), time()))


def make_read_only(folder: Path) -> None:
    """Take the right to write from what is in an environment; a file shared with uv's cache keeps its mode."""
    for parent, _, files in os.walk(folder):
        for file in files:
            path = os.path.join(parent, file)  # noqa: PTH118  (some thousand files)
            mode = os.lstat(path)
            if stat.S_ISREG(mode.st_mode) and mode.st_nlink == 1:
                os.chmod(path, mode.st_mode & 0o555)  # noqa: PTH101
        Path(parent).chmod(0o555)


def remove(environment: Environment) -> None:
    """Remove an environment: first its name, so that none is ever half there."""
    with held(environment.name):
        discard(environment.folder)


def discard(folder: Path) -> None:
    """Remove the folder of an environment whose name is held, if there is one."""
    leaving = folder.with_name(f"{folder.name}{UNFINISHED}-{os.getpid()}-old")
    with suppress(FileNotFoundError):
        folder.chmod(0o755)
        folder.rename(leaving)
        remove_folder(leaving)


def remove_folder(folder: Path) -> None:
    """Remove a folder with read-only folders in it."""
    for parent, _, _ in os.walk(folder):
        Path(parent).chmod(0o755)
    shutil.rmtree(folder)


def remove_unfinished() -> None:
    """Remove what processes left that were killed while they made or removed an environment."""
    for folder in root().glob(f"*{UNFINISHED}-*"):
        with held(folder.name.partition(UNFINISHED)[0], waits=False) as is_abandoned:
            if is_abandoned:
                with suppress(FileNotFoundError):
                    remove_folder(folder)


def bytes_on_disk(folder: Path) -> int:
    """What a folder takes; a file that several environments share by hard links counts once."""
    sizes: dict[int, int] = {}
    for parent, _, files in os.walk(folder):
        for file in files:
            state = os.lstat(os.path.join(parent, file))  # noqa: PTH118  (some thousand files)
            sizes[state.st_ino] = state.st_blocks * 512
    return sum(sizes.values())


def days_from(text: str) -> float:
    """A number of days, as 30d.

    Raises:
        ValueError: the text is none.
    """
    match = re.fullmatch(r"([0-9]{1,5})d", text)
    if match is None:
        raise ValueError(f"{text!r} is not a number of days such as 30d")
    return float(match[1])
