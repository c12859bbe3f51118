"""Makes the environment of a lock once: next to its place, under a lock of its name, and renamed when it is whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from conformance.environments.installer import failure, make_environment, python_in
from conformance.environments.lock import Lock
from conformance.environments.store import (
    UNFINISHED,
    Environment,
    describe,
    discard,
    found,
    held,
    is_whole,
    make_read_only,
    mark_used,
    remove_folder,
    remove_unfinished,
    root,
)
from conformance.values.errors import MachineError

_REQUIREMENTS = "requirements.txt"


def environment_of(lock: Lock, *, is_offline: bool, say: Callable[[str], None]) -> Environment:
    """The environment of a lock, made if it is not there yet; `say` gets a line for what takes long.

    Raises:
        MachineError: it cannot be made, or is not there and `is_offline` forbids to make it.
    """
    environment = found(lock.name) or _made(lock, is_offline=is_offline, say=say)
    with suppress(OSError):  # of a cache that is read-only
        mark_used(lock.name)
    return environment


def _made(lock: Lock, *, is_offline: bool, say: Callable[[str], None]) -> Environment:
    framework = lock.wheels[0]
    named = f"{framework.package}@{framework.version}"
    if is_offline:
        lacking = "no whole environment" if (root() / lock.name).exists() else "no environment yet"
        what = f"has {lacking}, and --offline fetches none"
        raise MachineError(named, what, fix=f"conformance env add {named}")
    try:
        remove_unfinished()
        with held(lock.name, waits=False) as is_free:
            if is_free:
                return _made_under_lock(lock, say)
        say("waiting for another process that makes its environment")
        with held(lock.name):
            return _made_under_lock(lock, say)
    except OSError as error:
        text = "No space left" if error.errno == errno.ENOSPC else f"{error.filename or root()}: {error.strerror}"
        problem = failure(text, is_late=False)
    except MachineError as error:
        problem = error
    raise MachineError(named, problem.what, fix=problem.fix)


def _made_under_lock(lock: Lock, say: Callable[[str], None]) -> Environment:
    if found(lock.name) is None:  # the process that was waited for may have failed
        say("making its environment")
        _make(lock)
    environment = found(lock.name)
    assert environment is not None
    return environment


def _make(lock: Lock) -> None:
    folder = root() / f"{lock.name}{UNFINISHED}-{os.getpid()}"
    try:
        folder.mkdir()
        requirements = folder / _REQUIREMENTS
        requirements.write_text(lock.requirements, encoding="utf-8")
        make_environment(folder, requirements, lock.wheels[0].package)
        _remove_scripts(folder)
        if not is_whole(folder, {wheel.package: wheel.version for wheel in lock.wheels}):
            fix = "take `target`, `prefix`, `root` and `dry-run` out of the configuration of uv or pip"
            raise MachineError("environments", "the installer ended well, and packages are missing", fix=fix)
        describe(folder, lock)
        make_read_only(folder)
        discard(root() / lock.name)  # one that is broken
        folder.rename(root() / lock.name)
    finally:
        if folder.exists():
            remove_folder(folder)


def _remove_scripts(folder: Path) -> None:
    """Remove the commands of packages: they name the folder in which they were made."""
    for path in python_in(folder).parent.iterdir():
        if not path.name.startswith(("python", "pyvenv")):
            path.unlink()
