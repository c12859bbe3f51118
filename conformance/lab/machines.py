"""Starts the parts of a lab: a scheduler, workers, or both on this machine for a trial."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import dask
from distributed import Nanny, Scheduler
from distributed.security import Security

Say = Callable[[str], None]

_LOOPBACK = "127.0.0.1"
_NO_PAGES = f"{_LOOPBACK}:0"
"""Dask opens a port for pages even if it serves none, and mutual TLS does not protect it."""

# A worker dies with what it runs, never before: frameworks fill memory, and checks may take long.
_SETTINGS = {
    "distributed.worker.daemon": False,  # engines start processes of their own
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.scheduler.allowed-failures": 0,  # the run asks another machine itself
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.admin.low-level-log-length": 0,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


def run_scheduler(host: str, port: int, security: Security | None, say: Say) -> None:
    """Run a scheduler until a signal comes; `say` gets its address."""

    async def serve(parts: AsyncExitStack) -> None:
        scheduler = await parts.enter_async_context(_scheduler(host, port, security))
        say(f"scheduler: {scheduler.address}")

    _run(serve)


def run_workers(scheduler: str, count: int, offers: Mapping[str, float], security: Security | None, say: Say) -> None:
    """Run workers, each with these resources, until a signal comes."""

    async def serve(parts: AsyncExitStack) -> None:
        for _ in range(count):
            worker = await parts.enter_async_context(_worker(scheduler, offers, security))
            say(f"worker: {worker.worker_address}")

    _run(serve)


def run_trial(port: int, count: int, offers: Mapping[str, float], say: Say) -> None:
    """Run a scheduler and workers on the loopback of this machine until a signal comes."""

    async def serve(parts: AsyncExitStack) -> None:
        scheduler = await parts.enter_async_context(_scheduler(_LOOPBACK, port, None))
        say(f"scheduler: {scheduler.address}")
        for _ in range(count):
            worker = await parts.enter_async_context(_worker(scheduler.address, offers, None))
            say(f"worker: {worker.worker_address}")

    _run(serve)


def _scheduler(host: str, port: int, security: Security | None) -> Any:
    return Scheduler(
        host=host,
        port=port,
        protocol="tls" if security else "tcp",
        security=security,
        dashboard=False,
        dashboard_address=_NO_PAGES,
    )


def _worker(scheduler: str, offers: Mapping[str, float], security: Security | None) -> Any:
    return Nanny(
        scheduler,
        host=None if security else _LOOPBACK,  # by default, worker and nanny listen on all addresses
        nthreads=1,
        resources=dict(offers),
        security=security,
        memory_limit=0,
        dashboard=False,
        dashboard_address=_NO_PAGES,
    )


def _run(serve: Callable[[AsyncExitStack], Awaitable[None]]) -> None:
    async def until_a_signal() -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
        async with AsyncExitStack() as parts:
            await serve(parts)
            await over.wait()

    logging.getLogger("distributed").setLevel(logging.WARNING)
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")  # of the workers' processes
    with dask.config.set(_SETTINGS):
        asyncio.run(until_a_signal())
