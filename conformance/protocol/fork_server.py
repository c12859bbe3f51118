"""A worker that loads its adapter once and forks for each process that the engine requests.

Importing the framework is most of the cost of a short process. A fork inherits the imported framework and is otherwise
like a new process: its parent runs no request and no thread.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from io import FileIO
from mmap import mmap
from pathlib import Path
from struct import Struct
from typing import NoReturn

from conformance.protocol.frames import STDERR_TAIL_BYTES
from conformance.protocol.outcome import SCRATCH_FOLDER
from conformance.tensors import machine as procfs

_READ_BYTES = 1 << 16
_DIED, _LEFT, _FINISHED = 0, 1, 2
"""How a fork ended. The last two are written by the fork itself; a fork that crashes leaves the first."""
_STATE = Struct("<BQ")
"""How a fork ended and the number of its last request, in memory that parent and forks share."""

Begin = Callable[[int], None]


def can_fork(adapter: object) -> bool:
    """Whether forks of this process can serve: the adapter allows it, and no second thread runs, which forks lose."""
    if getattr(adapter, "is_forkable", False) is not True or sys.platform != "linux":
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
        return procfs.thread_count() == 1
    except OSError:
        return False


def serve_by_forks(
    greet: Callable[[], object], serve: Callable[[Begin], bool], on_crash: Callable[[int, int, str], None]
) -> None:
    """Run `greet` in a fork, then `serve` in one fork after the other until it returns False.

    `serve` reports the number of each request before it runs. After a crash, `on_crash` gets the number of the fork's
    last request (0 if there was none), its exit code (-n for signal n), and the end of its standard error. If `greet`
    crashes, this process ends in the same way.
    """
    with closing(mmap(-1, _STATE.size)) as said:

        def work() -> None:
            is_more = serve(lambda number: _STATE.pack_into(said, 0, _DIED, number))
            _STATE.pack_into(said, 0, _LEFT if is_more else _FINISHED, 0)

        code, stderr = _forked(greet)
        if code:
            os.write(2, stderr)
            _end_as(code)
        end = _LEFT
        while end != _FINISHED:
            _STATE.pack_into(said, 0, _DIED, 0)
            code, stderr = _forked(work)
            _empty_scratch_folder()
            end, number = _STATE.unpack_from(said)
            if end == _DIED:
                on_crash(number, code, stderr.decode("utf-8", "replace"))


def _forked(work: Callable[[], object]) -> tuple[int, bytes]:
    """Run `work` in a fork; returns its exit code and the end of its standard error."""
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _work_and_exit(work, writer)
    os.close(writer)
    stderr = _tail_until_end(child, reader)
    os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), stderr


def _work_and_exit(work: Callable[[], object], stderr: int) -> NoReturn:
    """Run `work`, then end this process without Python's shutdown, which is not under test."""
    code = 1
    try:
        os.dup2(stderr, 1)
        os.dup2(stderr, 2)
        work()
        code = 0
    except BaseException:  # noqa: BLE001  (printed as Python does)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _tail_until_end(child: int, stderr: int) -> bytes:
    """The end of a process's output. Reading stops when the process ends: its children may keep the pipe open."""
    tail = b""
    os.set_blocking(stderr, False)
    with FileIO(os.pidfd_open(child)) as ended:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(stderr, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            with suppress(BlockingIOError):
                while data := os.read(stderr, _READ_BYTES):
                    tail = (tail + data)[-STDERR_TAIL_BYTES:]
                if stderr in ready:
                    poll.unregister(stderr)  # all writers have closed it
            if ended.fileno() in ready:
                return tail


def _empty_scratch_folder() -> None:
    """Remove a fork's files; the engine does so only after the worker ended."""
    folder = os.environ.get(SCRATCH_FOLDER)
    for path in Path(folder).iterdir() if folder else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _end_as(code: int) -> NoReturn:
    """End this process with the exit code of another; -n is signal n."""
    if code < 0:
        with suppress(OSError):  # the handler of SIGKILL cannot be set, and need not be
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(abs(code))
