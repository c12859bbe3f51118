"""The parts of a lab as processes of their own, each in a group that can be killed or stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic

START_LIMIT_S = 90
_OWN = re.compile(r'"(?:prepare_ns|cpu_ns|peak_bytes)":\d+,?|"run_ns":\[[\d,]*\],?|0x[0-9a-f]{12,16}')


class Part:
    """A scheduler or a worker; its `address` is what it prints first."""

    def __init__(self, *arguments: str, variables: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-P", "-m", "conformance", "lab", *arguments]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, **(variables or {})},
        )
        self._lines: Queue[str] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        self.address = self.wait_for("scheduler|worker")

    def signal(self, number: int) -> None:
        """Send a signal to the part and all that it started."""
        os.killpg(self._process.pid, number)

    def listening(self) -> list[tuple[str, int]]:
        """Every address at which the part, or a process that it started, waits for a connection."""
        from psutil import CONN_LISTEN, Process  # comes with Dask

        part = Process(self._process.pid)
        sockets = [found for one in (part, *part.children(recursive=True)) for found in one.net_connections("inet")]
        return [(found.laddr.ip, found.laddr.port) for found in sockets if found.status == CONN_LISTEN]

    def kill_frameworks(self) -> int:
        """Kill the processes of frameworks that the part started, and nothing else; returns their number."""
        from psutil import NoSuchProcess, Process

        killed = 0
        for child in Process(self._process.pid).children(recursive=True):
            with suppress(NoSuchProcess):
                if any(argument.endswith("protocol/start.py") for argument in child.cmdline()):
                    child.kill()
                    killed += 1
        return killed

    def end(self) -> None:
        """Kill the part and all that it started."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        self._process.wait()
        self._reader.join()

    def wait_until_said(self, sentence: str) -> None:
        """Read what the part prints until this is a part of it."""
        self._read_until(re.escape(sentence))

    def wait_for(self, what: str) -> str:
        """The first address of such a part that is printed from here on."""
        return self._read_until(rf"^(?:{what}): (\S+)$")[1]

    def _read_until(self, pattern: str) -> re.Match[str]:
        said, limit = "", monotonic() + START_LIMIT_S
        while monotonic() < limit:
            with suppress(Empty):
                said += self._lines.get(timeout=1)
            if found := re.search(pattern, said, re.MULTILINE):
                return found
        raise AssertionError(said)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._lines.put(line)


class Lab:
    """A scheduler on the loopback, and its workers."""

    def __init__(self, *options: str) -> None:
        self._options = options
        self.scheduler = Part("scheduler", "--port", "0", *options)
        self.workers: list[Part] = []

    def restart_scheduler(self) -> None:
        """Start another scheduler at the same address."""
        self.scheduler.end()
        port = self.scheduler.address.rpartition(":")[2]
        self.scheduler = Part("scheduler", "--port", port, *self._options)

    def add_worker(self, offers: str = "", variables: Mapping[str, str] | None = None) -> Part:
        """One more worker."""
        offered = ("--offers", offers) if offers else ()
        worker = Part("worker", self.scheduler.address, *offered, *self._options, variables=variables)
        self.workers.append(worker)
        return worker

    def end(self) -> None:
        """Kill all of it."""
        for part in (*self.workers, self.scheduler):
            part.end()


@contextmanager
def lab_of(num_workers: int, *options: str) -> Iterator[Lab]:
    """A lab while the context is open."""
    lab = Lab(*options)
    try:
        for _ in range(num_workers):
            lab.add_worker()
        yield lab
    finally:
        lab.end()


def without_times(log: Path) -> list[str]:
    """The records of a log, without what no two runs have alike: times, addresses of threads."""
    text = _OWN.sub("", log.read_text())
    return [line for line in text.splitlines() if line.startswith('{"type":"check"')]
