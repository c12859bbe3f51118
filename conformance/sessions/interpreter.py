"""The Python in which an adapter's worker runs: the engine's own, or the one that `python` in adapter.yaml names.

The worker runs the engine's own code there; `worker.start` needs only NumPy and ml_dtypes of that Python.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement

from conformance.formats.adapter_file import Adapter, is_built
from conformance.sessions.process import death_from_code, run_to_end
from conformance.values.errors import WorkerStartError
from conformance.worker import start

_SCRIPT = Path(start.__file__)
_QUERY_LIMIT_S = 60.0
_VERSIONS = """
import sys
from importlib.metadata import PackageNotFoundError, version
for name in sys.argv[1:]:
    try:
        print(version(name))
    except PackageNotFoundError:
        print()
"""


def interpreter_of(adapter: Adapter) -> str:
    """The path of the Python that runs an adapter's code, as it was named: links lead out of virtual environments.

    That of an environment comes before the one that the adapter names.

    Raises:
        WorkerStartError: there is none.
    """
    if adapter.environment is not None:
        return str(adapter.environment.python)
    named = adapter.manifest.python
    if named is None:
        return sys.executable
    place = os.path.expanduser(named)  # noqa: PTH111  (pathlib fails on an unknown user)
    is_path = place != Path(place).name
    found = shutil.which(os.path.abspath(adapter.folder / place) if is_path else place)  # noqa: PTH100  (keeps links)
    if found is None:
        raise _unusable(adapter, *_missing(adapter, named, adapter.folder / place if is_path else None))
    return found


def packages_of(python: Path) -> Path:
    """The folder of the packages of an environment, by the path of its Python."""
    folder = python.parents[1]
    return next(folder.glob("lib/python*/site-packages"), folder / "Lib" / "site-packages")


def python_worker(adapter: Adapter) -> list[str]:
    """The command that serves a Python adapter.

    Raises:
        WorkerStartError: the interpreter that it names is not there.
    """
    return [*_python_of(adapter), str(_SCRIPT)]


def _python_of(adapter: Adapter) -> list[str]:
    """The command of its Python; that of an environment takes nothing from variables or folders of the user."""
    return [interpreter_of(adapter), *(["-I"] if adapter.environment is not None else [])]


def unfit(adapter: Adapter, death: str, stderr: str) -> WorkerStartError:
    """Why a worker died at its start in the interpreter that `python` names."""
    interpreter = interpreter_of(adapter)
    if death == death_from_code(start.UNFIT):
        problem = stderr.strip().splitlines()[-1]
        needs = [f"{name}>={major}.{minor}" for name, (major, minor) in start.NEEDS.items()]
        fix = f"name {start.OLDEST} or a newer one" if start.OLDEST in problem else install(adapter, *needs)
        return _unusable(adapter, f"a worker cannot run in {interpreter}: {problem}", fix)
    return _unusable(adapter, f"the worker could not start in {interpreter}: {death}", last_lines(stderr))


def last_lines(stderr: str) -> str:
    """The end of what a worker wrote to standard error, for a message."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return "the worker's last output: " + " | ".join(lines[-3:]) if lines else "it wrote nothing to standard error"


def install(adapter: Adapter, *requirements: str) -> str:
    """The command that installs packages where an adapter's code runs."""
    if adapter.environment is not None:
        return f"conformance env remove {adapter.environment.release}"
    pip = "pip" if adapter.manifest.python is None else f"{interpreter_of(adapter)} -m pip"
    return f"{pip} install {' '.join(map(repr, requirements))}"


def installed_versions(adapter: Adapter) -> dict[str, str]:
    """For each requirement of an adapter, the version that its interpreter has; empty if it is missing or does not
    satisfy it.
    """
    needs = {text: Requirement(text) for text in adapter.manifest.requires}
    installed = _versions(adapter, [need.name for need in needs.values()])
    return {
        text: found if found and need.specifier.contains(found, prereleases=True) else ""
        for (text, need), found in zip(needs.items(), installed, strict=True)
    }


def missing_needs(adapter: Adapter) -> list[str]:
    """What is missing before the adapter's plain name is a working target: packages, a build, required options."""
    manifest = adapter.manifest
    missing = [need for need, found in installed_versions(adapter).items() if not found]
    if manifest.build is not None and not is_built(adapter):
        missing.append(f"`{manifest.build.by}` in {adapter.folder}")
    return [*missing, *(f"the option {name!r}" for name in manifest.needed_options)]


def _versions(adapter: Adapter, names: list[str]) -> list[str]:
    """The installed version of each distribution, empty for one that is missing or if the interpreter cannot say."""
    if adapter.manifest.python is None and adapter.environment is None:
        return [_own_version(name) for name in names]
    try:
        ended = run_to_end([*_python_of(adapter), "-c", _VERSIONS, *names], _QUERY_LIMIT_S)
    except WorkerStartError:
        return [""] * len(names)
    said = ended.stdout.splitlines()
    return said if ended.code == 0 and len(said) == len(names) else [""] * len(names)


def _own_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _missing(adapter: Adapter, named: str, path: Path | None) -> tuple[str, str]:
    """What is wrong with the name of an interpreter, and what to write; `path` is None for a command."""
    if path is None and re.fullmatch(r"\d+(\.\d+)*", named):
        return f"{named!r} is not a command", f"write python{named}"
    if path is None:
        fix = f"install it, or write a path: ./{named} is taken from {adapter.folder}"
        return f"there is no command {named!r} on PATH", fix
    if (path / "bin" / "python").exists():
        return f"{named} is a folder", f"write {Path(named) / 'bin' / 'python'}"
    what = f"{os.path.abspath(path)} " + ("cannot be executed" if path.exists() else "does not exist")  # noqa: PTH100
    return what, "write the path of a Python, from the folder of adapter.yaml, or a command such as python3.12"


def _unusable(adapter: Adapter, what: str, fix: str) -> WorkerStartError:
    return WorkerStartError(f"{adapter.folder / 'adapter.yaml'}: python", what, fix=fix)
