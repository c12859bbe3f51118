"""The instruction sets of x86-64 processors by their oneDNN names, from the oldest to the newest.

Frameworks choose kernels by them, so some faults show only on some machines. The names are those of
`ONEDNN_MAX_CPU_ISA` (oneDNN, Developer Guide, "CPU Dispatcher Control").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from enum import Enum
from operator import ge, gt, le, lt
from pathlib import Path


class InstructionSet(Enum):
    """A level; each is assumed to include those before it."""

    SSE41 = "SSE41"
    AVX = "AVX"
    AVX2 = "AVX2"
    AVX2_VNNI = "AVX2_VNNI"
    AVX2_VNNI_2 = "AVX2_VNNI_2"
    AVX512_CORE = "AVX512_CORE"
    AVX512_CORE_VNNI = "AVX512_CORE_VNNI"
    AVX512_CORE_BF16 = "AVX512_CORE_BF16"
    AVX512_CORE_FP16 = "AVX512_CORE_FP16"
    AVX512_CORE_AMX = "AVX512_CORE_AMX"
    AVX512_CORE_AMX_FP16 = "AVX512_CORE_AMX_FP16"

    @property
    def rank(self) -> int:
        """Its place among the levels, counted from 0 for the oldest."""
        return list(InstructionSet).index(self)


NAMES = tuple(level.value for level in InstructionSet)

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_BOUND = re.compile(r"\s*(<=|>=|<|>)\s*(\w+)\s*")

# The features that a level adds to the one before, by their names in /proc/cpuinfo.
_FLAGS: dict[InstructionSet, frozenset[str]] = {
    InstructionSet.SSE41: frozenset({"sse4_1"}),
    InstructionSet.AVX: frozenset({"avx"}),
    InstructionSet.AVX2: frozenset({"avx2", "fma"}),
    InstructionSet.AVX2_VNNI: frozenset({"avx_vnni"}),
    InstructionSet.AVX2_VNNI_2: frozenset({"avx_vnni", "avx_vnni_int8", "avx_ne_convert"}),
    InstructionSet.AVX512_CORE: frozenset({"avx512f", "avx512bw", "avx512vl", "avx512dq"}),
    InstructionSet.AVX512_CORE_VNNI: frozenset({"avx512_vnni"}),
    InstructionSet.AVX512_CORE_BF16: frozenset({"avx512_bf16"}),
    InstructionSet.AVX512_CORE_FP16: frozenset({"avx512_fp16"}),
    InstructionSet.AVX512_CORE_AMX: frozenset({"amx_tile", "amx_int8", "amx_bf16"}),
    InstructionSet.AVX512_CORE_AMX_FP16: frozenset({"amx_fp16"}),
}
_BESIDE_AVX512 = frozenset({InstructionSet.AVX2_VNNI, InstructionSet.AVX2_VNNI_2})
"""Levels that processors with AVX-512 may lack."""


def levels_of(flags: Collection[str]) -> tuple[InstructionSet, ...]:
    """The levels of a processor with these features, named as in /proc/cpuinfo; the newest is last."""
    found: list[InstructionSet] = []
    for level, needed in _FLAGS.items():
        if needed <= set(flags):
            found.append(level)
        elif level not in _BESIDE_AVX512:
            break
    return tuple(found)


def levels_here() -> tuple[InstructionSet, ...]:
    """The levels of this machine's processor; none if Linux does not list its features."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                return levels_of(line.partition(":")[2].split())
    return ()


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
