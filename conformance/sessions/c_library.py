"""Environment variables for the GNU C library of a worker; other C libraries ignore them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from conformance.values import procfs

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
