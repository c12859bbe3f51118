"""Starts a worker and performs the handshake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.adapter import Description
from conformance.formats.adapter_file import TargetRequest
from conformance.values.errors import HarnessError, ProtocolError
from conformance.workers import messages
from conformance.workers.process import WorkerDiedError, WorkerProcess, WorkerTimeoutError, python_worker
from conformance.workers.protocol import Frame

START_LIMIT_S = 180.0
_READY_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """The adapter's description, whether its worker can measure, and whether it serves by forks."""

    description: Description
    takes_timing: bool
    is_by_forks: bool


def launched(
    request: TargetRequest, variables: Mapping[str, str] | None = None, *, forks: bool = False
) -> WorkerProcess:
    """Start a worker and send it `hello`, so that it imports its framework.

    `variables` are added to its environment. With `forks`, the worker may serve further processes by forks of itself.
    """
    manifest, folder = request.adapter.manifest, request.adapter.folder
    worker = WorkerProcess(manifest.command or python_worker(), folder if manifest.command else None, variables)
    worker.send(messages.hello(str(folder), request.all_options, forks=forks, arena=worker.arena.path))
    return worker


def shake_hands(worker: WorkerProcess, request: TargetRequest) -> Handshake:
    """Receive the answer of a launched worker to `hello`.

    Raises:
        HarnessError: the worker cannot start, or does not speak the protocol.
    """
    try:
        frame = worker.receive(START_LIMIT_S, _READY_BYTES)
        description = messages.description_from_frame(frame)
        worker.arena.is_mapped = _takes_arena(frame, request)
        return Handshake(
            description=description,
            takes_timing=messages.takes_timing(frame),
            is_by_forks=messages.is_by_forks(frame),
        )
    except (WorkerDiedError, WorkerTimeoutError) as error:
        what = f"the worker could not start: {error}"
        raise HarnessError(request.adapter.name, what, fix=_last_lines(error.stderr)) from None
    except messages.CannotStartError as error:
        fix = _install_hint(request) if _is_about_an_import(error.what) else ""
        raise HarnessError(request.adapter.name, error.what, fix=fix) from None
    except ProtocolError as error:
        worker.finish()
        raise HarnessError(request.adapter.name, error.what, fix=_last_lines(worker.stderr_tail())) from None


def _takes_arena(frame: Frame, request: TargetRequest) -> bool:
    """Whether the worker takes inputs from the arena, so that the engine itself checks them.

    Raises:
        ProtocolError: it does not, although its adapter is a Python adapter, without a `command`.
    """
    takes_arena = messages.takes_arena(frame)
    if not (takes_arena or request.adapter.manifest.command):
        raise ProtocolError("adapter", "its worker does not take the inputs where the engine puts them")
    return takes_arena


def _last_lines(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return "the worker's last words: " + " | ".join(lines[-3:]) if lines else "it wrote nothing to standard error"


def _is_about_an_import(problem: str) -> bool:
    return "ImportError" in problem or "ModuleNotFoundError" in problem


def _install_hint(request: TargetRequest) -> str:
    needs = request.adapter.manifest.requires
    return f"is it installed? pip install {' '.join(repr(need) for need in needs)}" if needs else ""
