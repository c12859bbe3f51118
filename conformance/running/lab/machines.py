"""Starts the parts of a lab: a scheduler, workers, or both on this machine for a trial.

A worker whose scheduler is lost says so, and waits until the scheduler is back.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

import dask
from distributed import Nanny, Scheduler, Status
from distributed.security import Security

from conformance.running.lab.dask_log import hide_log_of_dask
from conformance.values.errors import HarnessError
from conformance.values.text import one_line

Say = Callable[[str], None]

_LOOPBACK = "127.0.0.1"
_NO_PAGES = f"{_LOOPBACK}:0"
"""Dask opens a port for pages even if it serves none, and mutual TLS does not protect it."""
_START_LIMIT_S = 60
_LOOK_EACH_S = 1.0

# A worker dies with what it runs, never before: frameworks fill memory, and checks may take long.
_SETTINGS = {
    "distributed.worker.daemon": False,  # engines start processes of their own
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.scheduler.allowed-failures": 0,  # the run asks another machine itself
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.comm.timeouts.connect": "15s",
    "distributed.admin.low-level-log-length": 0,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabPart:
    """What the scheduler and the workers of a lab have in common."""

    security: Security | None
    silence_limit_s: float
    """A scheduler or a worker that gives no answer for so long is lost."""
    say: Say


def run_scheduler(part: LabPart, host: str, port: int) -> None:
    """Run a scheduler, which says its address, until a signal comes.

    Raises:
        HarnessError: it cannot listen there.
    """

    async def serve() -> None:
        async with _scheduler(part, host, port) as scheduler:
            await scheduler.finished()

    _run(serve())


def run_workers(part: LabPart, scheduler: str, count: int, offers: Mapping[str, float]) -> None:
    """Run workers, each with these resources, until a signal comes. They say their addresses.

    Raises:
        HarnessError: the scheduler cannot be reached at the start.
    """
    _run(_work(part, scheduler, count, offers))


def run_trial(part: LabPart, port: int, count: int, offers: Mapping[str, float]) -> None:
    """Run a scheduler and workers on the loopback of this machine until a signal comes.

    Raises:
        HarnessError: they cannot start.
    """

    async def serve() -> None:
        async with _scheduler(part, _LOOPBACK, port) as scheduler:
            await _work(part, scheduler.address, count, offers)

    _run(serve())


@asynccontextmanager
async def _scheduler(part: LabPart, host: str, port: int) -> AsyncIterator[Any]:
    """A scheduler while the context is open."""
    scheduler = Scheduler(
        host=host,
        port=port,
        protocol="tls" if part.security else "tcp",
        security=part.security,
        worker_ttl=part.silence_limit_s,
        dashboard=False,
        dashboard_address=_NO_PAGES,
    )
    async with _started(scheduler, f"{host}:{port}", "choose another --host or --port"):
        part.say(f"scheduler: {scheduler.address}")
        yield scheduler


async def _work(part: LabPart, scheduler: str, count: int, offers: Mapping[str, float]) -> None:
    """Keep so many workers of a scheduler."""
    await asyncio.gather(*(_keep_worker(part, scheduler, offers) for _ in range(count)))


async def _keep_worker(part: LabPart, scheduler: str, offers: Mapping[str, float]) -> None:
    """Run a worker, and another one each time that the scheduler is back.

    Raises:
        HarnessError: the scheduler cannot be reached at the start.
    """
    await _run_worker(part, scheduler, offers)
    while True:
        with suppress(HarnessError):
            await _run_worker(part, scheduler, offers)
        await asyncio.sleep(_LOOK_EACH_S)


async def _run_worker(part: LabPart, scheduler: str, offers: Mapping[str, float]) -> None:
    """Run a worker until its scheduler is lost.

    Raises:
        HarnessError: the scheduler cannot be reached.
    """
    worker = Nanny(
        scheduler,
        host=None if part.security else _LOOPBACK,  # by default, worker and nanny listen on all addresses
        nthreads=1,
        resources=dict(offers),
        security=part.security,
        death_timeout=_START_LIMIT_S,
        memory_limit=0,
        dashboard=False,
        dashboard_address=_NO_PAGES,
    )
    async with _started(worker, scheduler, "start the scheduler first, and check its address"):
        await _until_lost(part, worker)
    part.say(f"worker: the scheduler {scheduler} is lost; waiting until it is back")


async def _until_lost(part: LabPart, worker: Any) -> None:
    """Say the address of a worker, also if its process is started again, until its scheduler is lost."""
    address, answered = "", monotonic()
    while worker.status == Status.running and monotonic() - answered < part.silence_limit_s:
        if worker.worker_address not in (None, address):
            address = worker.worker_address
            part.say(f"worker: {address}")
        with suppress(OSError, TimeoutError):
            await asyncio.wait_for(worker.scheduler.echo(), part.silence_limit_s)
            answered = monotonic()
        await asyncio.sleep(_LOOK_EACH_S)


@asynccontextmanager
async def _started(server: Any, where: str, fix: str) -> AsyncIterator[None]:
    """Start a part of Dask, and close it when the context ends.

    Raises:
        HarnessError: it did not start.
    """
    try:
        try:
            await server
        except (OSError, RuntimeError, TimeoutError) as error:
            raise HarnessError(where, one_line(str(error.__cause__ or error)), fix=fix) from None
        yield
    finally:
        await server.close()


def _run(serve: Coroutine[Any, Any, None]) -> None:
    async def until_a_signal() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        with suppress(asyncio.CancelledError):
            await serve

    hide_log_of_dask()
    with dask.config.set(_SETTINGS):
        asyncio.run(until_a_signal())
