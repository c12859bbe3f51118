"""Environments in which releases of frameworks are installed, one for each, so that one run can have several.

A lock names the wheels of an environment by their hashes; uv or pip installs them. Each environment NAME has a folder,
whose `environment.json` describes it, and a file NAME.lock, whose time is that of its last use.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from time import time
from typing import Annotated

from filelock import FileLock, Timeout
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, parse_tag, sys_tags
from packaging.version import Version
from platformdirs import user_cache_path
from pydantic import AfterValidator, ConfigDict, TypeAdapter, with_config

from conformance.protocol.start import NEEDS
from conformance.run.handshake import installed_versions, packages_of
from conformance.run.process import run_to_end
from conformance.suite.adapter_file import (
    Adapter,
    EngineFile,
    FrameworkRelease,
    PackageEntry,
    ReleaseEnvironment,
    TargetRequest,
    Wheels,
    bundled_engine,
    bundled_packages,
    engine_names,
)
from conformance.tensors.errors import MachineError, OpconformError, SelectionError, UsageError, nearest
from conformance.tensors.files import content_of

# The wheels of an environment, to the byte: those of a release, and of the packages that it is installed with.

_WORKER_NEEDS = {name: f">={'.'.join(map(str, oldest))}" for name, oldest in NEEDS.items()}


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package at a version, and the SHA-256 of the wheel that is installed."""

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Lock:
    """What is installed in an environment; the framework's wheel comes first. `python` is as cp311."""

    python: str
    wheels: tuple[Wheel, ...]

    @property
    def name(self) -> str:
        """The environment's name: another wheel makes another environment."""
        framework = self.wheels[0]
        digest = hashlib.sha256(self.requirements.encode()).hexdigest()
        return f"{framework.package}-{framework.version}-{self.python}-{digest[:8]}"

    @property
    def requirements(self) -> str:
        """The file of requirements for pip and uv."""
        return "".join(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in self.wheels)


def lock_of(package: str, release: FrameworkRelease, pinned: Sequence[PackageEntry], tags: Sequence[Tag]) -> Lock:
    """The wheels of a release for the Python and the system that `tags` describe, the best first.

    Raises:
        UsageError: no wheel is listed for them.
    """
    framework = _best(release.wheels, tags)
    if framework is None:
        has = ", ".join(sorted({tag.split("-")[0] for tag in release.wheels}))
        what = f"no wheel of it is listed for {tags[0].interpreter} on {tags[0].platform}"
        raise UsageError(f"{package} {release.version}", what, fix=f"it has wheels for {has}")
    needed = dict(release.needs)
    for name, of_worker in _WORKER_NEEDS.items():
        needed[name] = ",".join(filter(None, (needed.get(name, ""), of_worker)))
    others = [_pinned(name, needed[name], pinned, tags, f"{package} {release.version}") for name in sorted(needed)]
    return Lock(python=tags[0].interpreter, wheels=(Wheel(package, release.version, framework), *others))


def _pinned(name: str, wanted: str, pinned: Sequence[PackageEntry], tags: Sequence[Tag], where: str) -> Wheel:
    """The newest listed version of a package that fits."""
    allowed = SpecifierSet(wanted)
    fitting = [entry for entry in pinned if entry.name == name and allowed.contains(entry.version)]
    for entry in sorted(fitting, key=lambda entry: Version(entry.version), reverse=True):
        if digest := _best(entry.wheels, tags):
            return Wheel(name, entry.version, digest)
    what = f"it needs {name}{wanted}, and no such wheel is listed for {tags[0].interpreter} on {tags[0].platform}"
    raise UsageError(where, what, fix="use another Python, or add one to engines/packages.yaml")


def _best(wheels: Wheels, tags: Sequence[Tag]) -> str | None:
    """The hash of the wheel that fits best, as installers choose; None if none fits."""
    places = {tag: place for place, tag in enumerate(tags)}
    ranked = [(places[tag], digest) for name, digest in wheels.items() for tag in parse_tag(name) if tag in places]
    return min(ranked)[1] if ranked else None


# Installs locked wheels with uv, or with pip where there is none; both ask the index of their configuration.

_LIMIT_S = 1800.0
_VENV_LIMIT_S = 120.0
_OPTIONS = ("--no-deps", "--require-hashes", "--only-binary", ":all:")
"""Only the wheels that are named, only with the hashes that are listed: nothing is built, so that nothing runs."""
_CAUSES = (
    (("No space left", "os error 28"), "the disk is full", "free some space: see `conformance env list`"),
    (
        ("DO NOT MATCH THE HASHES", "Hash mismatch"),
        "the index has another wheel than the one that engines/ lists",
        "do not install it; ask who runs the index",
    ),
    (
        ("connection broken by", "error sending request", "client error (Connect)"),
        "the package index cannot be reached",
        "check the network, and the index that pip or uv is configured with",
    ),
    (
        ("No matching distribution", "No solution found"),
        "the index does not have its wheels",
        "name an index that has them: pip and uv take it from their configuration",
    ),
)  # fmt: skip
"""What an installer says, what that means, and what to do."""


_INDEX_SETTINGS = ("index-url", "extra-index-url", "find-links")
_UV_INDEX = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_CONFIG_FILE")
"""With these, a user tells uv itself."""
_PIP_SETTINGS = (*_INDEX_SETTINGS, "no-index", "trusted-host", "cert", "client-cert", "proxy", "timeout",
                 "default-timeout", "retries", "cache-dir", "no-cache-dir", "keyring-provider")  # fmt: skip
"""The settings of pip that say where wheels are and how they come. Others could say where they go."""
_UV_SETTINGS = re.compile(
    r"UV_(DEFAULT_INDEX|(EXTRA_)?INDEX(_.*)?|FIND_LINKS|NO_INDEX|INSECURE_HOST|KEYRING_PROVIDER|.*_TIMEOUT|NATIVE_TLS|"
    r"SYSTEM_CERTS|(NO_)?CACHE(_DIR)?|OFFLINE|CONFIG_FILE|LINK_MODE|CONCURRENT_.*)"
)
"""Those of uv, as variables."""
_PIP_SECTIONS = ("global", "install", ":env:")
"""Sections of pip's settings, in increasing order of precedence."""


def python_in(folder: Path) -> Path:
    """The Python of the environment in a folder."""
    return folder / ("Scripts/python.exe" if sysconfig.get_platform().startswith("win") else "bin/python")


def make_environment(folder: Path, requirements: Path, framework: str) -> None:
    """Make an environment of this Python in a folder, and install what a file of requirements names.

    The framework is imported once, so that what it imports is compiled. If it cannot be, its workers say why.

    Raises:
        MachineError: it cannot be made, or a package cannot be installed.
    """
    settings, uv = pip_settings(), shutil.which("uv")
    variables = variables_for_installers(os.environ, settings)
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], _VENV_LIMIT_S, variables)
    options = uv_options(settings) if uv and not any(name in os.environ for name in _UV_INDEX) else []
    _run([*install_command(python_in(folder), requirements, uv), *options], _LIMIT_S, variables)
    run_to_end([str(python_in(folder)), "-I", "-c", f"import ml_dtypes, {framework}"], _VENV_LIMIT_S)


def install_command(python: Path, requirements: Path, uv: str | None) -> list[str]:
    """The command that installs into the environment of a Python.

    Raises:
        MachineError: there is neither uv nor pip.
    """
    if uv is not None:
        how = ["--python", str(python), "--quiet", "--no-progress"]
        return [uv, "pip", "install", *how, *_OPTIONS, "--requirement", str(requirements)]
    if find_spec("pip") is None:
        raise MachineError("environments", f"there is neither uv nor a pip for {sys.executable}", fix="install uv")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    return [*pip, "install", "--quiet", "--no-input", "--no-compile", *_OPTIONS, "--requirement", str(requirements)]


def variables_for_installers(variables: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """The variables of an installer: those of the user, but of Python none, and of pip and uv only where wheels are.

    `settings` are those of pip; it reads no other ones.
    """
    kept = {
        name: value
        for name, value in variables.items()
        if not name.startswith(("PYTHON", "PIP_", "UV_")) or _UV_SETTINGS.fullmatch(name)
    }
    if "cert" in settings:
        kept.setdefault("SSL_CERT_FILE", settings["cert"])  # for uv
    as_variables = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings.items()}
    return {**kept, **as_variables, "PIP_CONFIG_FILE": os.devnull}


def uv_options(settings: Mapping[str, str]) -> list[str]:
    """The options with which uv asks the index of pip's settings.

    A hash allows one wheel, whichever index has it: so all of them are asked.
    """
    places = [(name, address) for name in _INDEX_SETTINGS for address in settings.get(name, "").split()]
    options = [word for name, address in places for word in (f"--{name}", address)]
    return [*options, "--index-strategy", "unsafe-best-match"] if options else []


def settings_in(listed: str) -> dict[str, str]:
    """The settings that say where wheels are and how they come, of all that `pip config list` prints."""
    found: dict[str, str] = {}
    for section in _PIP_SECTIONS:
        for line in listed.splitlines():
            key, _, value = line.partition("=")
            of, _, name = key.rpartition(".")
            if of == section and name in _PIP_SETTINGS:
                found[name] = value.strip("'\"").replace("\\n", " ")
    return found


@cache
def pip_settings() -> dict[str, str]:
    """Where pip is configured to look for wheels, and how; empty without pip."""
    if find_spec("pip") is None:
        return {}
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-m", "pip", "config", "list"]
    return settings_in(run_to_end(command, _VENV_LIMIT_S, variables=variables).stdout)


def _run(command: list[str], limit_s: float, variables: Mapping[str, str]) -> None:
    ended = run_to_end(command, limit_s, variables=variables)
    if ended.code != 0:
        raise failure(ended.stdout + ended.stderr, is_late=ended.code is None)


def failure(said: str, *, is_late: bool) -> MachineError:
    """The error for what an installer wrote before it failed."""
    for words, what, fix in _CAUSES:
        if any(word in said for word in words):
            return MachineError("environments", what, fix=fix)
    last = " | ".join(line.strip() for line in said.splitlines()[-3:] if line.strip())
    what = "the installer took too long" if is_late else "the installer failed"
    return MachineError("environments", what, fix=f"it wrote: {last or 'nothing'}")


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
def name_lock(name: str, *, waits: bool = True) -> Iterator[bool]:
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
    with name_lock(environment.name):
        discard(environment.folder)


def discard(folder: Path) -> None:
    """Remove the folder of an environment whose name is locked, if there is one."""
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
        with name_lock(folder.name.partition(UNFINISHED)[0], waits=False) as is_abandoned:
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
        with name_lock(lock.name, waits=False) as is_free:
            if is_free:
                return _made_under_lock(lock, say)
        say("waiting for another process that makes its environment")
        with name_lock(lock.name):
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
