"""Starts a worker and performs the handshake."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.requirements import Requirement

from conformance import __version__
from conformance.border.messages import CODE, CannotStartError, Handshake, handshake_from_frame, hello, version_problem
from conformance.formats.adapter_file import ReleaseEnvironment, TargetRequest
from conformance.sessions.interpreter import install, last_lines, packages_of, python_worker, unfit
from conformance.sessions.process import WorkerDiedError, WorkerProcess, WorkerTimeoutError
from conformance.values.errors import ProtocolError, WorkerStartError

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
