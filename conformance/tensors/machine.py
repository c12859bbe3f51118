"""What Linux says of itself and of processes in /proc, which only this module reads. Other systems say nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from enum import Enum
from io import FileIO
from operator import ge, gt, le, lt
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self  # since Python 3.11


ROOT = Path("/proc")


def text(name: str) -> str:
    """The content of a file, such as `self/maps`; empty if it is not there or the process has ended."""
    try:
        return (ROOT / name).read_text()
    except OSError:
        return ""


def texts(pattern: str) -> list[str]:
    """The contents of the files that match a pattern, such as `12/task/*/stat`."""
    return [content for path in _matching(pattern) if (content := text(path))]


def opened(name: str, mode: str) -> FileIO | None:
    """A file that is read or written often; None if it does not exist."""
    try:
        return FileIO(ROOT / name, mode)
    except OSError:
        return None


def thread_count() -> int:
    """The threads of this process; 0 if the system does not report them."""
    return len(_matching("self/task/*"))


def processor(field: str) -> str:
    """A fact about the first core, such as `flags` or `model name`; empty if the system does not report it."""
    lines = (line.partition(":") for line in text("cpuinfo").splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == field), "")


def shared_path(file: FileIO) -> str:
    """The path by which another process opens a file of this one that has no name; empty if there is none."""
    return f"{ROOT}/{os.getpid()}/fd/{file.fileno()}" if (ROOT / "self/fd").is_dir() else ""


def processes_with(variable: bytes) -> list[int]:
    """The processes whose environment contains these bytes, as far as this user may read it."""
    found = []
    for name in _matching("[0-9]*"):
        with suppress(OSError):  # another user's process, or it has ended meanwhile
            if variable in (ROOT / name / "environ").read_bytes():
                found.append(int(name))
    return found


def command_of(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    return text(f"{process}/cmdline").replace("\0", " ").strip()


def _matching(pattern: str) -> list[str]:
    """The names of the files of that pattern; none if the process has ended, even while its folder is read."""
    try:
        return [str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)]
    except OSError:
        return []


# The instruction sets of x86-64 processors by their oneDNN names, from the oldest to the newest.
#
# Frameworks choose kernels by them, so some faults show only on some machines. The names are those of
# `ONEDNN_MAX_CPU_ISA` (oneDNN, Developer Guide, "CPU Dispatcher Control").


class InstructionSet(Enum):
    """A level with the features that it adds to the one before, by their names in /proc/cpuinfo. Each is assumed to
    include those before it.
    """

    value: str
    features: frozenset[str]

    def __new__(cls, value: str, *features: str) -> Self:
        """A member whose value is the name alone."""
        level = object.__new__(cls)
        level._value_, level.features = value, frozenset(features)
        return level

    SSE41 = "SSE41", "sse4_1"
    AVX = "AVX", "avx"
    AVX2 = "AVX2", "avx2", "fma"
    AVX2_VNNI = "AVX2_VNNI", "avx_vnni"
    AVX2_VNNI_2 = "AVX2_VNNI_2", "avx_vnni", "avx_vnni_int8", "avx_ne_convert"
    AVX512_CORE = "AVX512_CORE", "avx512f", "avx512bw", "avx512vl", "avx512dq"
    AVX512_CORE_VNNI = "AVX512_CORE_VNNI", "avx512_vnni"
    AVX512_CORE_BF16 = "AVX512_CORE_BF16", "avx512_bf16"
    AVX512_CORE_FP16 = "AVX512_CORE_FP16", "avx512_fp16"
    AVX512_CORE_AMX = "AVX512_CORE_AMX", "amx_tile", "amx_int8", "amx_bf16"
    AVX512_CORE_AMX_FP16 = "AVX512_CORE_AMX_FP16", "amx_fp16"

    @property
    def rank(self) -> int:
        """Its place among the levels, counted from 0 for the oldest."""
        return list(InstructionSet).index(self)


NAMES = tuple(level.value for level in InstructionSet)

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_BOUND = re.compile(r"\s*(<=|>=|<|>)\s*(\w+)\s*")
_BESIDE_AVX512 = frozenset({InstructionSet.AVX2_VNNI, InstructionSet.AVX2_VNNI_2})
"""Levels that processors with AVX-512 may lack."""


def levels_of(flags: Collection[str]) -> tuple[InstructionSet, ...]:
    """The levels of a processor with these features, named as in /proc/cpuinfo; the newest is last."""
    found: list[InstructionSet] = []
    for level in InstructionSet:
        if level.features <= set(flags):
            found.append(level)
        elif level not in _BESIDE_AVX512:
            break
    return tuple(found)


def levels_here() -> tuple[InstructionSet, ...]:
    """The levels of this machine's processor; none if Linux does not list its features."""
    return levels_of(processor("flags").split())


def required_level(name: str, levels: Sequence[InstructionSet]) -> InstructionSet:
    """The level with that name, if the processor has it.

    Raises:
        ValueError: the processor does not have it.
    """
    for level in levels:
        if level.value == name:
            return level
    has = ", ".join(level.value for level in levels)
    raise ValueError(f"this processor has no instruction set {name}; it has {has or 'none of those with such a name'}")


def level_under(limit: str, levels: Sequence[InstructionSet]) -> InstructionSet | None:
    """The newest level that `ONEDNN_MAX_CPU_ISA` allows; None without levels. Lower case is allowed, and an unknown
    name sets no limit.
    """
    named = [level for level in InstructionSet if level.value == limit.upper()]
    left = [level for level in levels if not named or level.rank <= named[0].rank]
    return left[-1] if left else None


def is_in_range(level: InstructionSet, bounds: str) -> bool:
    """Whether a level lies within bounds, such as `>=AVX2,<AVX512_CORE_FP16`.

    Raises:
        ValueError: the bounds have another format, or name no level.
    """
    return all(compare(level.rank, bound.rank) for compare, bound in _parsed(bounds))


def checked_range(bounds: str) -> str:
    """The same text, if it is a range of levels.

    Raises:
        ValueError: it is not.
    """
    _parsed(bounds)
    return bounds


def _parsed(bounds: str) -> list[tuple[Callable[[int, int], bool], InstructionSet]]:
    parsed = []
    for part in bounds.split(","):
        match = _BOUND.fullmatch(part)
        if match is None or match[2] not in NAMES:
            raise ValueError(
                f"{part.strip()!r} is not a bound of instruction sets; write one as <AVX512_CORE_FP16, "
                f"with one of {', '.join(NAMES)}"
            )
        parsed.append((_COMPARISONS[match[1]], InstructionSet(match[2])))
    return parsed
