"""Runs the checks of one run on the machines of a lab, with Dask distributed."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future as Concurrent
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from types import MappingProxyType
from typing import Any
from urllib.parse import SplitResult, urlsplit

import dask
from distributed import Client, Future, Nanny, Scheduler, Status
from distributed.client import FutureCancelledError
from distributed.security import Security

from conformance.log.log_file import RunLogWriter
from conformance.log.record import TargetEntry
from conformance.run.execution import RunTarget, TargetChunks
from conformance.run.lab_remote import CHUNK, ORDER, TARGET, LabFile, PlainFields, describe, order_of, plain, run_chunk
from conformance.run.run_plan import Chunk, RunPlan, RunRequest
from conformance.suite.adapter_file import TargetRequest
from conformance.tensors.errors import HarnessError, UsageError
from conformance.tensors.text import counted, one_line

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
"""Workers start with this variable. Set it to `info` to debug Dask."""


def hide_log_of_dask() -> None:
    """Show only what would end the process, here and in the workers that this process starts."""
    level = os.environ.setdefault(_LEVEL, "critical").upper()
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(level)


Say = Callable[[str], None]

LOOPBACK = "127.0.0.1"
_NO_PAGES = f"{LOOPBACK}:0"
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


def run_scheduler(
    part: LabPart, host: str, port: int, workers: int = 0, offers: Mapping[str, float] = MappingProxyType({})
) -> None:
    """Run a scheduler, which says its address, with so many workers on this machine, until a signal comes.

    Raises:
        HarnessError: it cannot listen there, or a worker cannot start.
    """

    async def serve() -> None:
        async with _scheduler(part, host, port) as scheduler:
            await (_work(part, scheduler.address, workers, offers) if workers else scheduler.finished())

    _run(serve())


def run_workers(part: LabPart, scheduler: str, count: int, offers: Mapping[str, float]) -> None:
    """Run workers, each with these resources, until a signal comes. They say their addresses.

    Raises:
        HarnessError: the scheduler cannot be reached at the start.
    """
    _run(_work(part, scheduler, count, offers))


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
        host=None if part.security else LOOPBACK,  # by default, worker and nanny listen on all addresses
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


# Executes a run in a lab: gives each free machine a chunk, and puts the lines of the chunks in order. A machine has
# one chunk at a time. If a machine loses a chunk (it died, hung, or refuses), the target is not blamed: another
# machine gets the chunk. Only if no machine can run it, its checks are *not run*, with the reason.

_CONNECT_LIMIT_S = 15
_FETCH_LIMIT_S = 10
"""How long a machine that has finished a chunk may take to send it: it can also die or hang in between."""
_ANSWER_LIMIT_S = 5.0
"""How long one question to the scheduler may take. A signal is heard at the latest after that."""
_TICK_S = 0.1
_LOOK_EACH_S = 1.0
_CHUNKS_AHEAD = 4
"""Limit on chunks handed out beyond the first unfinished one, times the number of machines."""


@dataclass(slots=True)
class _Ordered:
    """A target in the lab: its order and, once it is described, its chunks."""

    request: TargetRequest
    needs: dict[str, float]
    order: PlainFields
    target: RunTarget | None = None
    chunks: TargetChunks | None = None
    lost: dict[Chunk | None, list[str]] = field(default_factory=dict)
    refusing: dict[str, str] = field(default_factory=dict)
    """Machines that refuse this target, with their reasons."""
    without_machine_since: float | None = None


@dataclass(slots=True)
class _Task:
    """A chunk on a machine, or the description of a target if it has no chunk.

    If it `is_lost`, its chunk went to another machine. This one gets nothing more until it answers or is gone.
    """

    ordered: _Ordered
    machine: str
    chunk: Chunk | None
    future: Future[Any]
    since: float
    is_lost: bool = False


def connected(scheduler: str, security: Security | None) -> Client:
    """The client of a scheduler.

    Raises:
        HarnessError: the scheduler cannot be reached, or says nothing.
    """
    hide_log_of_dask()
    client = Concurrent[Client]()

    def connect() -> None:
        try:
            client.set_result(Client(scheduler, timeout=_CONNECT_LIMIT_S, security=security, set_as_default=False))
        except Exception as error:  # noqa: BLE001  (the caller raises it)
            client.set_exception(error)

    threading.Thread(target=connect, daemon=True).start()  # Dask waits without a limit for the scheduler's greeting
    try:
        return client.result(_CONNECT_LIMIT_S)
    except (OSError, TimeoutError) as error:
        what = f"the scheduler cannot be reached: {one_line(str(error)) or 'it gives no answer'}"
        raise HarnessError(scheduler, what, fix="start it, or check the certificates") from None


class LabExecution:
    """The machines of a lab, reached through a Dask scheduler.

    Args:
        request: what to run; `jobs` has no meaning here.
        stopping: the caller sets it to end the execution.
        client: as `connected` gives it; closed at the end.
        lab: needs, limits and retries.
        say: shows a sentence to the user.
    """

    def __init__(
        self,
        request: RunRequest,
        stopping: threading.Event,
        *,
        client: Client,
        lab: LabFile,
        say: Callable[[str], None],
    ) -> None:
        self._stopping = stopping
        self._client = client
        self._lab = lab
        self._say = say
        run = uuid.uuid4().hex
        self._ordered = [
            _Ordered(target, lab.needed_by(target), plain(ORDER, order_of(request, target, run)))
            for target in request.targets
        ]
        self._machines: dict[str, dict[str, float]] = {}
        self._looked = -_LOOK_EACH_S
        self._mute_since: float | None = None
        self._tasks: dict[str, _Task] = {}
        self._done: SimpleQueue[str] = SimpleQueue()

    def started(self) -> list[RunTarget]:
        """The targets, each described by the first machine that can run it."""
        try:
            self._work(lambda: [o for o in self._ordered if o.target is None], lambda: None)
        except ConnectionError as error:
            raise HarnessError("lab", f"the scheduler was lost: {error}", fix="run again") from None
        return [ordered.target or _without_target(ordered, "the run was stopped") for ordered in self._ordered]

    def run(self, plan: RunPlan, targets: Sequence[RunTarget], log: RunLogWriter, on_tick: Callable[[], None]) -> str:
        """Run all chunks that are not done yet; returns why the run is not complete, or an empty text."""
        for ordered, target in zip(self._ordered, targets, strict=True):
            ordered.target, ordered.chunks = target, TargetChunks(plan, target, log, self._lab.chunk_checks)
        try:
            self._work(lambda: [o for o in self._ordered if o.chunks and not o.chunks.is_finished], on_tick)
        except ConnectionError as error:
            return f"the scheduler was lost: {error}"
        finally:
            self._write()
        return ""

    def end(self) -> None:
        """Leave the lab; machines finish the chunk that they have, and drop it."""
        for task in self._tasks.values():
            task.future.cancel()
        self._client.close(timeout=2)

    def _work(self, unfinished: Callable[[], Collection[_Ordered]], on_tick: Callable[[], None]) -> None:
        """Give out work and take answers until nothing is unfinished.

        Raises:
            ConnectionError: the scheduler is lost.
        """
        while (left := unfinished()) and not self._stopping.is_set():
            self._look()
            for ordered in left:
                self._give_out(ordered)
            self._write()  # while the machines work
            with suppress(Empty):
                self._take(self._done.get(timeout=_TICK_S))
                while True:
                    self._take(self._done.get_nowait())
            on_tick()

    def _write(self) -> None:
        for ordered in self._ordered:
            if ordered.chunks is not None:
                ordered.chunks.write()

    def _look(self) -> None:
        """Ask the scheduler, once a second, which machines there are; chunks of lost or stalled ones go to others."""
        if monotonic() - self._looked < _LOOK_EACH_S:
            return
        self._looked = monotonic()
        known = self._machines_known()
        if known is None:
            return
        self._machines = {address: dict(facts["resources"]) for address, facts in known.items()}
        for key, task in list(self._tasks.items()):
            if task.machine not in self._machines:
                self._lose(task, f"{task.machine} was lost")
                del self._tasks[key]
            elif task.chunk is not None and monotonic() - task.since > self._lab.chunk_limit_s:
                self._lose(task, f"{task.machine} gave no answer in {self._lab.chunk_limit_s:g} s")

    def _machines_known(self) -> dict[str, Any] | None:
        """The machines that the scheduler knows; None if it gave no answer, yet.

        Raises:
            ConnectionError: the scheduler is lost.
        """
        scheduler = self._client.scheduler
        if scheduler is None or self._client.status != "running":
            raise ConnectionError("the connection broke")
        try:
            known = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=_ANSWER_LIMIT_S)["workers"]
        except TimeoutError:
            self._mute_since = self._mute_since or self._looked
            if monotonic() - self._mute_since < self._lab.silence_limit_s:
                return None
            raise ConnectionError(f"it gave no answer in {self._lab.silence_limit_s:g} s") from None
        except OSError:
            raise ConnectionError("the connection broke") from None
        self._mute_since = None
        return dict(known)

    def _give_out(self, ordered: _Ordered) -> None:
        """Give work of a target to every machine that is free for it."""
        chunks = ordered.chunks
        if chunks is not None and not chunks.num_chunks:
            return
        able = [machine for machine, offers in self._machines.items() if self._can(ordered, machine, offers)]
        is_running = any(task.ordered is ordered and not task.is_lost for task in self._tasks.values())
        if able:
            ordered.without_machine_since = None
        elif not is_running:
            self._wait_for_machine(ordered)
        busy = {task.machine for task in self._tasks.values()}
        for machine in able:
            if machine in busy:
                continue
            if chunks is None:
                if not is_running:
                    self._submit(ordered, machine, None)
                return
            if not chunks.has_next(self._max_ahead):
                return
            self._submit(ordered, machine, chunks.take())

    def _can(self, ordered: _Ordered, machine: str, offers: dict[str, float]) -> bool:
        return machine not in ordered.refusing and all(offers.get(name, 0) >= n for name, n in ordered.needs.items())

    @property
    def _max_ahead(self) -> int:
        return _CHUNKS_AHEAD * max(1, len(self._machines)) * self._lab.chunk_checks

    def _wait_for_machine(self, ordered: _Ordered) -> None:
        now = monotonic()
        ordered.without_machine_since = ordered.without_machine_since or now
        if now - ordered.without_machine_since < self._lab.machine_limit_s:
            return
        needs = ", ".join(f"{name}={count:g}" for name, count in ordered.needs.items())
        reason = f"no machine of the lab offers {needs}" if needs else "the lab has no machine for it"
        if ordered.refusing:
            reason += f"; refused by {'; '.join(ordered.refusing.values())}"
        self._give_up(ordered, f"{reason} (waited {self._lab.machine_limit_s:g} s)")

    def _give_up(self, ordered: _Ordered, reason: str) -> None:
        """Nothing more of a target runs."""
        if ordered.chunks is None:
            ordered.target = _without_target(ordered, reason)
        else:
            ordered.chunks.give_up(reason)

    def _submit(self, ordered: _Ordered, machine: str, chunk: Chunk | None) -> None:
        order = ordered.order
        call = (describe, order) if chunk is None else (run_chunk, order, plain(CHUNK, chunk))
        key = f"opconform-{uuid.uuid4().hex}"
        future = self._client.submit(*call, key=key, workers=[machine], allow_other_workers=False, pure=False)
        self._tasks[key] = _Task(ordered, machine, chunk, future, monotonic())
        future.add_done_callback(lambda _: self._done.put(key))

    def _take(self, key: str) -> None:
        """Take the answer of a machine."""
        task = self._tasks.get(key)
        if task is None:
            return
        answer = None
        with suppress(OSError, TimeoutError, FutureCancelledError):
            answer = task.future.result(_FETCH_LIMIT_S) if task.future.status == "finished" else None
            del self._tasks[key]
        if answer is None:
            self._lose(task, f"{task.machine}: {_failure_reason(task.future)}")
            self._looked = -_LOOK_EACH_S  # the machine or the scheduler may be gone
            return
        task.future.release()
        match answer:
            case str():
                self._refuse(task, answer)
            case bytes():
                task.ordered.target = TARGET.validate_json(answer)
                task.ordered.order = task.ordered.order | {"framework": task.ordered.target.entry.version}
            case list() if task.chunk is not None and task.ordered.chunks is not None:
                task.ordered.chunks.finish(task.chunk.number, answer)

    def _refuse(self, task: _Task, reason: str) -> None:
        """Never give the target to this machine again."""
        task.ordered.refusing[task.machine] = reason
        self._say(f"{task.machine} does not take part in {one_line(task.ordered.order['target'])}: {one_line(reason)}")
        if task.chunk is not None and task.ordered.chunks is not None and not task.is_lost:
            task.ordered.chunks.give_back(task.chunk)

    def _lose(self, task: _Task, reason: str) -> None:
        """Give a chunk to another machine, unless too many have lost it."""
        if task.is_lost:
            return
        task.is_lost = True
        ordered, chunk, chunks = task.ordered, task.chunk, task.ordered.chunks
        reasons = ordered.lost.setdefault(chunk, [])
        reasons.append(reason)
        is_hopeless = len(reasons) > self._lab.retries
        why = f"lost by {counted(len(reasons), 'machine')}: {'; '.join(reasons)}"
        if chunk is None or chunks is None:
            if is_hopeless:
                self._give_up(ordered, why)
        elif is_hopeless:
            chunks.skip(chunk, why)
        else:
            chunks.give_back(chunk)


def _without_target(ordered: _Ordered, reason: str) -> RunTarget:
    name = ordered.request.name_at(ordered.request.version or "unknown")
    return RunTarget(entry=TargetEntry(name=name, adapter=ordered.request.adapter.name, problem=reason), recorded=[])


def _failure_reason(future: Future[Any]) -> str:
    """Why a task has no answer; a machine that died says nothing itself."""
    error = future.exception() if future.status == "error" else None
    return one_line(f"{type(error).__name__}: {error}" if error is not None else "its answer did not arrive", 200)
