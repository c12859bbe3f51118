"""Counts the processes that the kernel killed for want of memory, within the memory limit that applies to this process.

Linux only: elsewhere, the count is 0. It tells such a kill from one by somebody else, since both send SIGKILL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from conformance.values import procfs

_MOUNT = Path("/sys/fs/cgroup")


def oom_kills() -> int:
    """The number so far: of the control group of this process, or of the machine if no group counts them."""
    for text in (*_texts_of_groups(), procfs.text("vmstat")):
        for line in text.splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill" and count.isdecimal():
                return int(count)
    return 0


def _texts_of_groups() -> Iterator[str]:
    """What may count: of control groups of both versions, named as the system or as a container sees them."""
    for line in procfs.text("self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if "memory" in controllers.split(","):
            folder, file = _MOUNT / "memory", "memory.oom_control"
        elif not controllers:
            folder, file = _MOUNT, "memory.events"
        else:
            continue
        for path in (folder / group.lstrip("/") / file, folder / file):
            with suppress(OSError):
                yield path.read_text()
