"""The machines of a lab: its file, its certificates, its scheduler and its workers.

A worker whose scheduler is lost says so, and waits until the scheduler is back.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import SplitResult, urlsplit

import dask
from distributed import Nanny, Scheduler, Status
from distributed.security import Security
from pydantic import Field

from conformance.suite.adapter_file import TargetRequest
from conformance.suite.file_schema import FileModel, validated
from conformance.suite.yaml_document import read_document
from conformance.tensors.errors import HarnessError, UsageError
from conformance.tensors.text import one_line, target_text

# `lab.yaml`: the only module that knows the format of a lab's description.


class Certificates(FileModel):
    """Files in PEM format, relative to the lab file. All machines have certificates of one authority."""

    authority: str = Field(min_length=1, description="certificate of the authority that signed those of all machines")
    certificate: str = Field(min_length=1, description="certificate of this machine")
    key: str = Field(min_length=1, description="private key of this machine")


class LabFile(FileModel):
    """A lab: how its machines prove who they are, what adapters need, and when a chunk goes to another machine."""

    certificates: Certificates | None = Field(default=None, description="required unless all addresses are loopback")
    needs: dict[str, dict[str, float]] = Field(
        default_factory=dict, description="by adapter, or by target with its options: the resources that it takes up"
    )
    chunk_checks: int = Field(default=128, ge=1, le=100_000, description="checks that a machine gets at a time")
    retries: int = Field(default=3, ge=0, le=100, description="how often a chunk may be lost before it is not run")
    chunk_limit_s: float = Field(default=900, gt=0, description="seconds after which another machine gets the chunk")
    machine_limit_s: float = Field(default=120, gt=0, description="seconds to wait for a machine with the resources")
    silence_limit_s: float = Field(
        default=30, gt=0, description="seconds without an answer after which the scheduler or a worker is lost"
    )

    def needed_by(self, target: TargetRequest) -> dict[str, float]:
        """The resources that a target takes up: those of its options, or else those of its adapter."""
        named = target_text(target.adapter.name, "", target.options)
        return self.needs.get(named, self.needs.get(target.adapter.name, {}))


def read_lab(path: Path | None) -> tuple[LabFile, Path]:
    """The lab and the folder that its paths start from; without a file, a lab of this machine alone.

    Raises:
        ExceptionGroup: of `CaseFileError`: what is wrong with the file.
    """
    if path is None:
        return LabFile(), Path()
    return validated(LabFile, read_document(path, str(path))), path.parent


# Addresses of a lab, and the security that they demand.
#
# Peers of Dask unpickle all messages, so each peer that connects can run code. Beyond the loopback address, only mutual
# TLS is accepted.


def security_of(lab: LabFile, folder: Path) -> Security | None:
    """Mutual TLS with the certificates of the lab; None without any.

    Raises:
        UsageError: a file of the certificates does not exist, or the lab's own machines would refuse them.
    """
    if lab.certificates is None:
        return None
    paths = {name: folder / path for name, path in lab.certificates.model_dump().items()}
    for name, path in paths.items():
        if not path.is_file():
            raise UsageError(str(path), f"does not exist; it is the {name} of the lab", fix="correct `certificates`")
    _require_accepted(paths)
    roles = {
        f"tls_{role}_{kind}": str(paths[name])
        for role in ("client", "worker", "scheduler")
        for kind, name in (("cert", "certificate"), ("key", "key"))
    }
    return Security(tls_ca_file=str(paths["authority"]), require_encryption=True, **roles)


def _require_accepted(paths: Mapping[str, Path]) -> None:
    """Refuse certificates with which this machine would not accept itself: expired, of another authority, unreadable.

    Raises:
        UsageError: a handshake with itself fails, in memory.
    """
    to_scheduler, to_worker = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        worker = _context(ssl.PROTOCOL_TLS_CLIENT, paths).wrap_bio(to_worker, to_scheduler)
        scheduler = _context(ssl.PROTOCOL_TLS_SERVER, paths).wrap_bio(to_scheduler, to_worker, server_side=True)
        for side in (worker, scheduler, worker, scheduler):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    except OSError as error:
        what = f"no machine of the lab accepts this certificate: {_reason(error)}"
        fix = f"issue it again, signed by {paths['authority']}, with a key without a password"
        raise UsageError(str(paths["certificate"]), what, fix=fix) from None


def _context(protocol: int, paths: Mapping[str, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.check_hostname = False  # as Dask does
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(paths["authority"])
    context.load_cert_chain(paths["certificate"], paths["key"], password=lambda: "")  # never ask on a terminal
    return context


def _reason(error: OSError) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return error.verify_message
        case ssl.SSLError():
            return error.reason or "a file is not in PEM format"
        case _:
            return error.strerror or str(error)


def require_secure(address: str, security: Security | None, where: str) -> None:
    """Refuse an address beyond the loopback without mutual TLS.

    Raises:
        UsageError: it is such an address, or not an address.
    """
    parts = urlsplit(address if "://" in address else f"://{address}")
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not has_port(parts):
        raise UsageError(where, f"{address!r} is not the address of a scheduler", fix="write it as tls://host:8786")
    if parts.scheme == "tls":
        if security is None:
            raise UsageError(where, "tls:// needs certificates", fix="name a lab file with `certificates`: --lab FILE")
    elif not is_loopback(parts.hostname):
        what = f"{address!r} would let anyone who can connect run code: peers unpickle what they get"
        raise UsageError(where, what, fix="use tls:// and `certificates` in the lab file; tcp:// is for 127.0.0.1 only")


def has_port(address: SplitResult) -> bool:
    """Whether an address has a port that exists."""
    with suppress(ValueError):
        return address.port is not None
    return False


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's loopback."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


# What Dask writes to standard error: nothing. Its log is for its developers; the parts of a lab say what happens.

_LEVEL = "DASK_LOGGING__DISTRIBUTED"
"""Workers start with this variable; whoever looks for a fault of Dask sets it to `info`."""


def hide_log_of_dask() -> None:
    """Show only what would end the process, here and in the workers that this process starts."""
    level = os.environ.setdefault(_LEVEL, "critical").upper()
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(level)


Say = Callable[[str], None]

_LOOPBACK = "127.0.0.1"
_NO_PAGES = f"{_LOOPBACK}:0"
"""Dask opens a port for pages even if it serves none, and mutual TLS does not protect it."""
_START_LIMIT_S = 60
_WATCH_EACH_S = 1.0

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
        await asyncio.sleep(_WATCH_EACH_S)


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
        await asyncio.sleep(_WATCH_EACH_S)


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
