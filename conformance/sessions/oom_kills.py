"""Counts the processes that the kernel killed for want of memory, within the memory limit that applies to this process.

Linux only: elsewhere, the count is 0. It tells such a kill from one by somebody else, since both send SIGKILL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_GROUPS = Path("/proc/self/cgroup")
_MOUNT = Path("/sys/fs/cgroup")
_OF_THE_MACHINE = Path("/proc/vmstat")


def oom_kills() -> int:
    """The number so far: of the control group of this process, or of the machine if no group counts them."""
    for path in (*_files_of_groups(), _OF_THE_MACHINE):
        with suppress(OSError):
            for line in path.read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill" and count.isdecimal():
                    return int(count)
    return 0


def _files_of_groups() -> Iterator[Path]:
    """The files that may count: of control groups of both versions, named as the system or as a container sees them."""
    with suppress(OSError):
        for line in _GROUPS.read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if "memory" in controllers.split(","):
                folders, file = (_MOUNT / "memory",), "memory.oom_control"
            elif not controllers:
                folders, file = (_MOUNT,), "memory.events"
            else:
                continue
            for folder in folders:
                yield folder / group.lstrip("/") / file
                yield folder / file
