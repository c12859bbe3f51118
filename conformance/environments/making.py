"""Makes the environment of a lock once: beside its place, under a lock of its name, and renamed when it is whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from conformance.environments.installer import failure, make_environment, python_in
from conformance.environments.lock import Lock
from conformance.environments.store import (
    UNFINISHED,
    Environment,
    describe,
    found,
    held,
    make_read_only,
    mark_used,
    remove_folder,
    remove_unfinished,
    root,
)
from conformance.values.errors import MachineError

_REQUIREMENTS = "requirements.txt"


def environment_of(lock: Lock, *, is_offline: bool, on_making: Callable[[], None]) -> Environment:
    """The environment of a lock, made if it is not there yet; `on_making` is called before that.

    Raises:
        MachineError: it cannot be made, or is not there and `is_offline` forbids to make it.
    """
    if found(lock.name) is None and is_offline:
        framework = lock.wheels[0]
        named = f"{framework.package}@{framework.version}"
        raise MachineError(
            named, "has no environment yet, and --offline fetches none", fix=f"conformance env add {named}"
        )
    try:
        remove_unfinished()
        with held(lock.name):
            if found(lock.name) is None:
                on_making()
                _make(lock)
            mark_used(lock.name)
    except OSError as error:
        text = "No space left" if error.errno == errno.ENOSPC else f"{error.filename or root()}: {error.strerror}"
        raise _named(lock, failure(text, is_late=False)) from None
    except MachineError as error:
        raise _named(lock, error) from None
    environment = found(lock.name)
    assert environment is not None
    return environment


def _named(lock: Lock, error: MachineError) -> MachineError:
    framework = lock.wheels[0]
    return MachineError(f"{framework.package}@{framework.version}", error.what, fix=error.fix)


def _make(lock: Lock) -> None:
    folder = root() / f"{lock.name}{UNFINISHED}-{os.getpid()}"
    try:
        folder.mkdir()
        requirements = folder / _REQUIREMENTS
        requirements.write_text(lock.requirements, encoding="utf-8")
        make_environment(folder, requirements, lock.wheels[0].package)
        _remove_scripts(folder)
        describe(folder, lock)
        make_read_only(folder)
        folder.rename(root() / lock.name)
    finally:
        if folder.exists():
            remove_folder(folder)


def _remove_scripts(folder: Path) -> None:
    """Remove the commands of packages: they name the folder in which they were made."""
    for path in python_in(folder).parent.iterdir():
        if not path.name.startswith(("python", "pyvenv")):
            path.unlink()
