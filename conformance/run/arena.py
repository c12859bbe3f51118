"""The memory that engine and worker share. It holds the runtime inputs, so that the engine itself sees whether a run
wrote to them or next to them.

The worker maps the memory; the engine reads and writes it as a file, so nothing that the worker does to it can crash
the engine. Strings stay outside: they are objects in the worker's own memory. If the worker does not map the memory,
its inputs travel in the requests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from io import FileIO
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from conformance.protocol.call import MemoryPlace, Request
from conformance.protocol.form import Layout
from conformance.protocol.outcome import Outcome, Produced
from conformance.tensors import machine as procfs
from conformance.tensors.errors import MachineError
from conformance.tensors.tensor import Bytes, Tensor

_FILLING = b"\xa5"
_BESIDE = 128
_LINE = 64
_HEAD = _FILLING * (_BESIDE + 16)
"""Bytes before an input: it is aligned to 16 bytes and no more, as NumPy's own memory is."""
_CHUNK_BYTES = 1 << 20
_KEPT_BYTES = 64 << 20
"""A file larger than this shrinks as soon as no request needs it."""


@dataclass(frozen=True, slots=True)
class _PlannedBlock:
    """The bytes of one request. Each input has three pieces: filling before it, its own memory, filling after it."""

    start: int
    stop: int
    names: Sequence[str]
    pieces: Sequence[Bytes]
    whole: bytes | None
    """All pieces as one, if they are small."""


class Arena:
    """The shared memory of one worker. Each request has its own part until it is answered.

    Args:
        folder: holds the file on systems without files in memory.
    """

    def __init__(self, folder: Path) -> None:
        self._file, self.path = _new_file(folder)
        self.is_mapped = False
        """Whether the worker reports that it maps the file."""
        self._parts: dict[int, _PlannedBlock] = {}
        self._size = 0
        self._lock = Lock()  # a stopped run closes the arena from another thread

    @property
    def is_closed(self) -> bool:
        """Whether the arena accepts no more requests."""
        return self._file.closed

    def put(self, number: int, request: Request) -> Request:
        """Write the inputs of a request to the arena; returns the request with their places instead.

        The places stay reserved until the request is answered. If the worker does not map the arena, the request
        returns unchanged.

        Raises:
            MachineError: there is no room.
        """
        with self._lock:
            if not self.is_mapped or self.is_closed:
                return request
            part, places = self._planned(request)
            self._parts[number] = part
            try:
                self._resize()
                self._write(part)
            except OSError as error:
                what = f"there is no room for the inputs of a call: {error.strerror}"
                raise MachineError("worker", what, fix="free some memory, or run with fewer --jobs") from None
        runs = tuple(
            {name: tensor for name, tensor in run.items() if not tensor.element_type.itemsize} for run in request.runs
        )
        return replace(request, runs=runs, places=places)

    def checked(self, number: int, outcome: Outcome) -> Outcome:
        """The outcome of a request, with the names of the inputs that a run wrote to.

        For inputs outside the arena, the worker's report counts.
        """
        with self._lock:
            if not self.is_mapped or self.is_closed:
                return outcome
            part = self._parts.pop(number, None)
            if part is None:
                return outcome
            if not isinstance(outcome, Produced):
                return outcome
            seen = self._changed(part)
        said = outcome.provenance.changed_inputs
        changed = dict.fromkeys([*seen, *(name for name in said if name not in part.names)])
        if tuple(changed) == said:
            return outcome
        return replace(outcome, provenance=replace(outcome.provenance, changed_inputs=tuple(changed)))

    def clear(self) -> None:
        """Forget all requests: none of them will be answered."""
        with self._lock:
            self._parts.clear()

    def close(self) -> None:
        """Release the memory. Later requests keep their inputs."""
        with self._lock:
            self._file.close()

    def _planned(self, request: Request) -> tuple[_PlannedBlock, tuple[Mapping[str, MemoryPlace], ...]]:
        """The bytes of a request, and the places of the inputs of each run."""
        names, pieces, stop = list[str](), list[Bytes](), 0
        found = list[tuple[int, str, Tensor, int, tuple[int, ...] | None]]()
        for number, run in enumerate(request.runs):
            for name, tensor in run.items():
                if tensor.element_type.itemsize:
                    memory, offset, strides = _laid_out(tensor, request.layout)
                    names.append(name)
                    found.append((number, name, tensor, stop + len(_HEAD) + offset, strides))
                    used = stop + len(_HEAD) + len(memory)
                    stop = -(-(used + _BESIDE) // _LINE) * _LINE
                    pieces += (_HEAD, memory, _FILLING * (stop - used))
        first = self._free_start(stop)
        places = tuple(dict[str, MemoryPlace]() for _ in request.runs)
        for number, name, tensor, start, strides in found:
            places[number][name] = MemoryPlace(
                dtype=tensor.dtype, shape=tensor.shape, start=first + start, strides=strides
            )
        whole = b"".join(pieces) if stop <= _CHUNK_BYTES else None
        return _PlannedBlock(first, first + stop, names, pieces, whole), places if names else ()

    def _free_start(self, size: int) -> int:
        """The start of the first gap of `size` bytes between the parts of unanswered requests."""
        free = 0
        for start, stop in sorted((part.start, part.stop) for part in self._parts.values()):
            if start - free >= size:
                break
            free = stop
        return free

    def _resize(self) -> None:
        """Make the file long enough, and shrink it if it is much too long."""
        needed = max(_CHUNK_BYTES, *(part.stop for part in self._parts.values()))
        size = 1 << (needed - 1).bit_length()
        if size > self._size or max(size, _KEPT_BYTES) < self._size:
            self._file.truncate(size)
            self._size = size

    def _write(self, part: _PlannedBlock) -> None:
        self._file.seek(part.start)
        for piece in part.pieces if part.whole is None else (part.whole,):
            rest = memoryview(piece)
            while rest.nbytes:
                rest = rest[self._file.write(rest) :]

    def _changed(self, part: _PlannedBlock) -> list[str]:
        """The names of the inputs that changed; `NAME (beside it)` if the filling around an input changed."""
        self._file.seek(part.start)
        if part.whole is not None and self._file.read(len(part.whole)) == part.whole:
            return []
        changed, at = list[str](), part.start
        for number, piece in enumerate(part.pieces):
            self._file.seek(at)
            at += len(piece)
            if not self._holds(piece):
                name = part.names[number // 3]
                changed.append(name if number % 3 == 1 else f"{name} (beside it)")
        return changed

    def _holds(self, data: Bytes) -> bool:
        """Whether the file continues with these bytes."""
        view = memoryview(data)
        for at in range(0, len(view), _CHUNK_BYTES):
            expected = bytes(view[at : at + _CHUNK_BYTES])
            if self._file.read(len(expected)) != expected:
                return False
        return True


def _laid_out(tensor: Tensor, layout: Layout) -> tuple[Bytes, int, tuple[int, ...] | None]:
    """Memory with the elements, the offset of the first one, and the strides; None in row-major order."""
    if layout is Layout.CONTIGUOUS:
        return tensor.data, 0, None
    from conformance.protocol.layout import memory_laid_out  # imports NumPy, which is slow

    return memory_laid_out(tensor, layout)


def _new_file(folder: Path) -> tuple[FileIO, str]:
    """A new file, and the path by which another process opens it."""
    if sys.platform == "linux":
        with suppress(OSError):  # where a sandbox forbids it
            file = FileIO(os.memfd_create("conformance-inputs"), "r+")
            if shared := procfs.shared_path(file):
                return file, shared
    path = folder / "inputs"
    return FileIO(path, "w+"), str(path)


# Environment variables for the GNU C library of a worker; other C libraries ignore them.

_ABORT = "3"
"""Print the problem, and abort."""
_LIBRARY = "libc_malloc_debug.so.0"
"""Holds the checks from version 2.34 on; earlier versions have them in the C library itself."""
_TUNABLES = "GLIBC_TUNABLES"
_KEPT = "glibc.malloc.tcache_count"
_NUM_KEPT = 2000


@cache
def heap_checks() -> Mapping[str, str]:
    """Turns the heap checks on in a new process; empty with another C library.

    With these checks, a process that writes beyond a block of memory, or frees it twice, crashes as soon as that block
    is freed. Without them, it crashes later, at another block, or never. Source: the library's manual, "Heap
    Consistency Checking".
    """
    libc = _c_library()
    if libc is None:
        return MappingProxyType({})
    beside = libc.with_name(_LIBRARY)
    before = [os.environ["LD_PRELOAD"]] if os.environ.get("LD_PRELOAD") else []
    preload = {"LD_PRELOAD": ":".join([*before, str(beside)])} if beside.is_file() else {}
    return MappingProxyType({"MALLOC_CHECK_": _ABORT, **preload})


def kept_blocks() -> Mapping[str, str]:
    """Keeps freed small blocks of memory for the next call, up to 2,000 of each size up to 1 KiB, unless the
    environment says how many.

    OpenVINO returns its free memory to the system with each model (`malloc_trim`), and takes it again for the next one:
    a third of the time to compile a small model. Blocks that are kept stay. Source: the library's manual, "Memory
    Allocation Tunables".
    """
    given = os.environ.get(_TUNABLES, "")
    return {} if _KEPT in given else {_TUNABLES: ":".join(filter(None, [given, f"{_KEPT}={_NUM_KEPT}"]))}


def _c_library() -> Path | None:
    """The file of the GNU C library that this process has loaded."""
    lines = procfs.text("self/maps").splitlines()
    paths = (line.split(maxsplit=5)[-1] for line in lines)
    return next((Path(path) for path in paths if path.endswith("/libc.so.6")), None)
