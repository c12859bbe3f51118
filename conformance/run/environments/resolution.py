"""Gives targets the releases that they name: the one that is installed, or an environment for each other one.

An environment is made once: next to its place, under a lock of its name, and renamed when it is whole.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import Tag, sys_tags
from packaging.version import Version

from conformance.run.environments.store import (
    UNFINISHED,
    Environment,
    Lock,
    describe,
    discard,
    failure,
    found,
    held,
    is_whole,
    lock_of,
    make_environment,
    make_read_only,
    mark_used,
    python_in,
    remove_folder,
    remove_unfinished,
    root,
)
from conformance.run.handshake import installed_versions
from conformance.suite.adapter_file import (
    Adapter,
    EngineFile,
    PackageEntry,
    ReleaseEnvironment,
    TargetRequest,
    bundled_engine,
    bundled_packages,
    engine_names,
)
from conformance.tensors.errors import MachineError, OpconformError, SelectionError, UsageError, nearest

# Makes the environment of a lock once: next to its place, under a lock of its name, and renamed when it is whole.

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


# The releases that a text behind `@` names: one, as 1.31.1, or several, as 1.28.., 1.20..1.24, ..1.24, newest:5.

_NUMBER = r"[0-9]+(?:\.[0-9]+)*"
_RANGE = re.compile(rf"(?P<first>{_NUMBER})?\.\.(?P<last>{_NUMBER})?")
_NEWEST = re.compile(r"newest:(?P<count>[1-9][0-9]{0,3})")


def names_several(text: str) -> bool:
    """Whether the text is a range or a number of releases, and not one version."""
    return ".." in text or text.startswith("newest")


def releases_named(text: str, listed: Sequence[str], where: str) -> tuple[str, ...]:
    """The releases of a range or of a number of them, in the order of `listed`, which has the oldest first.

    Both ends of a range belong to it, and `1.24` as its end all of 1.24.

    Raises:
        UsageError: the text is none of these forms, or names no release.
    """
    if newest := _NEWEST.fullmatch(text):
        return tuple(listed[-int(newest["count"]) :])
    ends = _RANGE.fullmatch(text)
    if ends is None:
        what = f"{text!r} names no releases"
        raise UsageError(where, what, fix="write one as 1.31.1, or several as 1.28.., ..1.24, 1.20..1.24 or newest:5")
    found = tuple(version for version in listed if _is_within(version, ends["first"], ends["last"]))
    if not found:
        fix = f"there are {listed[0]} to {listed[-1]}"
        raise UsageError(where, f"no listed release is within {text}", fix=fix)
    return found


def listed_release(text: str, listed: Sequence[str], where: str) -> str:
    """The one release that the text names.

    Raises:
        UsageError: it is not listed.
    """
    if text in listed:
        return text
    of_series = [version for version in listed if version.startswith(f"{text}.")]
    otherwise = nearest(text, listed, otherwise=f"there are {listed[0]} to {listed[-1]}")
    fix = f"write {of_series[-1]}, or {text}..{text} for all of {text}" if of_series else otherwise
    raise UsageError(where, f"there is no release {text!r} in the list, and it is not installed", fix=fix)


def _is_within(version: str, first: str | None, last: str | None) -> bool:
    found = Version(version)
    if first is not None and found < Version(first):
        return False
    if last is None:
        return True
    end = Version(last).release
    return found.release[: len(end)] <= end


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How missing environments are made: `say` gets a line before each. If `is_offline`, none is made.

    A release that cannot have one ends all, unless `on_failure` takes its version and the reason.
    """

    is_offline: bool = False
    say: Callable[[str], None] = print
    on_failure: Callable[[str, OpconformError], None] | None = None


def locks_named(text: str) -> list[Lock]:
    """The locks of the releases in a text such as onnxruntime@1.28.., the oldest first.

    Raises:
        UsageError: it names no listed release, or one without a wheel for this Python and system.
    """
    package, _, version = text.partition("@")
    engine = bundled_engine(package)
    if engine is None:
        fix = nearest(package, engine_names(), otherwise=f"there are {', '.join(engine_names())}")
        raise SelectionError(text, "no releases of that package are listed", fix=fix)
    if not version:
        raise UsageError(text, "names no release", fix=f"write {package}@{engine.releases[-1].version}")
    listed = [release.version for release in engine.releases]
    several = releases_named(version, listed, text) if names_several(version) else None
    return [_lock(engine, one) for one in several or [listed_release(version, listed, text)]]


def targets_at_releases(request: TargetRequest, text: str, making: Making) -> list[TargetRequest]:
    """The targets of a request with a version, one for each release that it names.

    Raises:
        UsageError: the version names no listed release, or the adapter needs another one.
        MachineError: an environment cannot be made.
    """
    if _listed(request.adapter) is None and not names_several(request.version):
        return [request]
    return targets_at(request, versions_named(request, text, making), making)


def versions_named(request: TargetRequest, text: str, making: Making) -> list[str]:
    """The releases that a request names and its adapter works with, the oldest first; `making` says what is left out.

    Raises:
        UsageError: the version names no listed release, or the adapter needs another one.
    """
    listed = _listed(request.adapter)
    if listed is None:
        raise UsageError(text, "no releases of its framework are listed", fix="name one version, or none")
    engine, need, installed = listed
    if request.version == installed:
        return [installed]
    releases = [release.version for release in engine.releases]
    if names_several(request.version):
        return _usable(releases_named(request.version, releases, text), need, text, making)
    chosen = listed_release(request.version, releases, text)
    if not need.specifier.contains(chosen, prereleases=True):
        raise UsageError(text, f"the adapter needs {need}", fix=f"name a release of {need}")
    return [chosen]


def targets_at(request: TargetRequest, versions: Sequence[str], making: Making) -> list[TargetRequest]:
    """The target at each of these releases, which `versions_named` gave.

    Raises:
        UsageError: a release has no wheel for this Python and system.
        MachineError: an environment cannot be made.
    """
    listed = _listed(request.adapter)
    assert listed is not None
    engine, _, installed = listed
    missing = [one for one in versions if one != installed and _is_missing(engine, one)]
    targets = []
    for version in versions:
        at_version = replace(request, version=version)
        place = f" ({missing.index(version) + 1} of {len(missing)})" if version in missing else ""
        say = partial(_say_of, making.say, f"{engine.package} {version}", place)
        try:
            if version != installed:
                made = environment_of(_lock(engine, version), is_offline=making.is_offline, say=say)
                at_version = _within(at_version, made)
        except (MachineError, UsageError) as error:
            if making.on_failure is None:
                raise
            making.on_failure(version, error)
        else:
            targets.append(at_version)
    return targets


def target_as_recorded(request: TargetRequest, version: str) -> TargetRequest:
    """The target of a log at the version that it had there, if there is an environment of it; nothing is made."""
    listed = _listed(request.adapter)
    if listed is None or version == listed[2]:
        return request
    engine = listed[0]
    if version not in [release.version for release in engine.releases]:
        return request
    environment = found(_lock(engine, version).name)
    if environment is None:
        return request
    mark_used(environment.name)
    return _within(replace(request, version=version), environment)


def listed_environments() -> frozenset[str]:
    """The names of the environments of all listed releases, for the Python and the system that run this."""
    engines = [engine for name in engine_names() if (engine := bundled_engine(name))]
    releases = [(engine, release.version) for engine in engines for release in engine.releases]
    found = set()
    for engine, version in releases:
        with suppress(UsageError):  # no wheel fits
            found.add(_lock(engine, version).name)
    return frozenset(found)


def _within(request: TargetRequest, made: Environment) -> TargetRequest:
    """The target in an environment."""
    environment = ReleaseEnvironment(name=made.name, release=f"{made.package}@{made.version}", python=made.python)
    return replace(request, adapter=replace(request.adapter, environment=environment))


def _say_of(say: Callable[[str], None], release: str, place: str, what: str) -> None:
    say(f"{release}: {what}{place}")


def _usable(chosen: Sequence[str], need: Requirement, text: str, making: Making) -> list[str]:
    """The releases with which the adapter works; says which are left out."""
    usable = [version for version in chosen if need.specifier.contains(version, prereleases=True)]
    if not usable:
        raise UsageError(text, f"the adapter needs {need}", fix=f"name releases of {need}")
    if left_out := [version for version in chosen if version not in usable]:
        making.say(f"left out: {text} at {', '.join(left_out)}, since the adapter needs {need}")
    return usable


def _listed(adapter: Adapter) -> tuple[EngineFile, Requirement, str] | None:
    """The listed releases of an adapter's framework, what the adapter asks of it, and the version that is installed."""
    for text in adapter.manifest.requires:
        need = Requirement(text)
        engine = bundled_engine(need.name)
        if engine is not None:
            return engine, need, installed_versions(adapter)[text]
    return None


def _is_missing(engine: EngineFile, version: str) -> bool:
    """Whether a release can have an environment and has none yet."""
    try:
        return found(_lock(engine, version).name) is None
    except UsageError:
        return False


def _lock(engine: EngineFile, version: str) -> Lock:
    release = next(release for release in engine.releases if release.version == version)
    return lock_of(engine.package, release, _packages(), _tags())


@cache
def _packages() -> tuple[PackageEntry, ...]:
    return bundled_packages()


@cache
def _tags() -> tuple[Tag, ...]:
    return tuple(sys_tags())
