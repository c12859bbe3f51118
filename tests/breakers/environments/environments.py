"""Where one target is asked: with which variables, options, processor cores and instruction set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.run.arena import heap_checks
from conformance.suite.adapter_file import AdapterFile
from conformance.tensors.machine import InstructionSet, levels_of

PERTURBATION = "165"
"""Any byte but 0: the GNU C library fills memory with its complement before it is given out, and with it after."""

_PERTURBED = {"MALLOC_PERTURB_": PERTURBATION, "GLIBC_TUNABLES": "glibc.malloc.tcache_count=7"}
"""Blocks that a thread keeps for itself are not filled: it keeps as few as in any process, and no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What is set around a run, beside the defaults. With `num_cores` it is held on so many of the cores."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    num_cores: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """An environment that a target cannot be asked in here, and why."""

    name: str
    reason: str


PLAIN = Environment(name="plain")


def environments_of(adapter: AdapterFile, levels: tuple[InstructionSet, ...]) -> Iterator[Environment | NotAsked]:
    """Every environment of an adapter's targets on a machine with these levels; none is left out without a word."""
    for level in InstructionSet:
        name = f"isa-{level.value}"
        if level not in levels:
            yield NotAsked(name=name, reason="the machine has no such level")
        elif not has_choice(adapter, "isa", level.value):
            yield NotAsked(name=name, reason="the adapter has no such choice of its option isa")
        else:
            yield Environment(name=name, options={"isa": level.value})
    yield Environment(name="one-core", num_cores=1)
    yield Environment(name="perturbed-memory", variables=_PERTURBED)
    if heap_checks():
        yield Environment(name="checked-heap", variables=heap_checks())
    else:
        yield NotAsked(name="checked-heap", reason="the C library is not GNU's")
    for threads in ("1", "2"):
        name = f"threads-{threads}"
        if has_choice(adapter, "threads", threads):
            yield Environment(name=name, options={"threads": threads})
        else:
            yield NotAsked(name=name, reason="the adapter has no such choice of its option threads")


def has_choice(adapter: AdapterFile, option: str, value: str) -> bool:
    """Whether an adapter's targets can be given this value of an option."""
    entry = adapter.options.get(option)
    return entry is not None and (entry.choices is None or value in entry.choices)


def levels_here() -> tuple[InstructionSet, ...]:
    """The levels of this machine's processor, as Linux tells its features."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return levels_of(flags)
