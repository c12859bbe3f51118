"""Starts a worker and performs the handshake."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement

from conformance import __version__
from conformance.protocol import start
from conformance.protocol.messages import (
    CODE,
    CannotStartError,
    Handshake,
    handshake_from_frame,
    hello,
    version_problem,
)
from conformance.run.process import WorkerDiedError, WorkerProcess, WorkerTimeoutError, death_from_code, run_to_end
from conformance.suite.adapter_file import Adapter, ReleaseEnvironment, TargetRequest, is_built
from conformance.tensors.errors import ProtocolError, WorkerStartError

# The Python in which an adapter's worker runs: the engine's own, or the one that `python` in adapter.yaml names.
#
# The worker runs the engine's own code there; `protocol.start` needs only NumPy and ml_dtypes of that Python.

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


START_LIMIT_S = 180.0
READY_BYTES = 64 << 20


def launched(
    request: TargetRequest, variables: Mapping[str, str] | None = None, *, forks: bool = False
) -> WorkerProcess:
    """Start a worker and send it `hello`, so that it imports its framework.

    `variables` are added to its environment. With `forks`, the worker may serve further processes by forks of itself.
    """
    manifest, folder = request.adapter.manifest, request.adapter.folder
    worker = WorkerProcess(
        manifest.command or python_worker(request.adapter), folder if manifest.command else None, variables
    )
    worker.send(hello(str(folder), request.all_options, forks=forks, arena=worker.arena.path))
    return worker


def shake_hands(worker: WorkerProcess, request: TargetRequest) -> Handshake:
    """Receive the answer of a launched worker to `hello`.

    Raises:
        WorkerStartError: the worker cannot start, or does not speak the protocol.
    """
    try:
        handshake = handshake_from_frame(worker.receive(START_LIMIT_S, READY_BYTES))
        _require_same_opconform(handshake)
        if not request.adapter.manifest.command:
            _require_own_worker(handshake)
        if request.adapter.environment is not None:
            _require_from(request.adapter.environment, handshake.modules)
    except (WorkerDiedError, WorkerTimeoutError) as error:
        if request.adapter.manifest.python is not None and isinstance(error, WorkerDiedError):
            raise unfit(request.adapter, error.death, error.stderr) from None
        what = f"the worker could not start: {error}"
        raise WorkerStartError(request.adapter.name, what, fix=last_lines(error.stderr)) from None
    except CannotStartError as error:
        raise WorkerStartError(request.adapter.name, error.what, fix=_remedy(error.what, request)) from None
    except ProtocolError as error:
        worker.finish()
        fix = error.fix or last_lines(worker.stderr_tail())
        raise WorkerStartError(request.adapter.name, error.what, fix=fix) from None
    worker.arena.is_mapped = handshake.arena
    return handshake


def _require_same_opconform(handshake: Handshake) -> None:
    """Check that a worker of ours, which may be on another machine, is of the engine's version."""
    if problem := version_problem(handshake.opconform, __version__):
        raise ProtocolError("adapter", problem, fix=f"install opconform-worker=={__version__} where the adapter runs")


def _require_own_worker(handshake: Handshake) -> None:
    """Check that the worker of a Python adapter runs the engine's code, and takes inputs from the arena: there the
    engine checks them.
    """
    if handshake.code != CODE:
        what = f"its worker runs the code in {handshake.code or 'another folder'}, and the engine that in {CODE}"
        raise ProtocolError("adapter", what, fix="start the command `conformance` that is installed, not another copy")
    if not handshake.arena:
        raise ProtocolError("adapter", "its worker does not read the inputs from shared memory")


def _require_from(environment: ReleaseEnvironment, modules: Mapping[str, str]) -> None:
    """Check that what an environment has installed was loaded from there."""
    packages = packages_of(environment.python)
    for name, place in modules.items():
        path = Path(place)
        if (packages / path.name).exists() and path.parent.resolve() != packages.resolve():
            what = f"its module {name} was loaded from {place}, and not from the environment of {environment.release}"
            raise ProtocolError("adapter", what, fix="let the adapter add no folder that has another one")


def _remedy(problem: str, request: TargetRequest) -> str:
    """The remedy for a framework without `__version__` or a failed import; empty for other problems, or if the adapter
    names no packages.
    """
    needs = request.adapter.manifest.requires
    if problem.endswith("has no attribute '__version__'"):
        name = Requirement(needs[0]).name if needs else "its-package"
        return f"let the description say that of the package: version=importlib.metadata.version({name!r})"
    is_about_an_import = "ImportError" in problem or "ModuleNotFoundError" in problem
    return f"is it installed? {install(request.adapter, *needs)}" if needs and is_about_an_import else ""
