"""Asks one target in one environment, and compares what was recorded with what the plain run recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from environments import Environment

from conformance.log.answers import Aspect, Change
from conformance.log.compare import ChangeGroup, compare
from conformance.log.log_file import read_header, read_lines
from conformance.log.record import CheckRecord, Header, Line
from conformance.suite.adapter_file import TargetRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A run of one target: its exit code, its log, and the instruction set that was in force."""

    exit_code: int
    log: Path
    instruction_set: str


def ask(target: TargetRequest, environment: Environment, folder: Path, selection: Sequence[str]) -> Asked:
    """Run a target in an environment, with `selection` as arguments of `conformance run`."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "conformance", "run", "--quiet", "--output", str(folder)]
    command += ["--target", _target_text(target, environment), *selection]
    with _held_on(environment.num_cores), (folder / "terminal.txt").open("wb") as terminal:
        run = subprocess.run(
            command,
            env={**os.environ, **environment.variables},
            stdout=terminal,
            stderr=subprocess.STDOUT,
            check=False,
        )
    log = folder / "run.jsonl"
    return Asked(exit_code=run.returncode, log=log, instruction_set=read_header(log).targets[0].instruction_set)


def differences(plain: Path, other: Path) -> tuple[ChangeGroup, ...]:
    """The checks that were answered otherwise than in the plain run; the name of a kernel alone is no answer."""
    groups = compare(_under_one_name(plain), _under_one_name(other)).groups
    return tuple(group for group in groups if group.aspects != (Aspect.PLACE,))


def is_of_verdicts(group: ChangeGroup) -> bool:
    """Whether the verdicts differ, or what stands behind them, and not only how a recorded deviation shows."""
    return group.change is not Change.CHANGED or group.old != group.new or bool({*group.aspects} - _LEFT_OPEN)


_LEFT_OPEN = {Aspect.CAUSE, Aspect.OUTPUTS, Aspect.PLACE}
"""What may differ where one entry covers a check in both runs: it allows several signals, and what a framework reads
behind its data is never the same.
"""


def _target_text(target: TargetRequest, environment: Environment) -> str:
    options = {**target.options, **environment.options}
    chosen = ",".join(f"{name}={value}" for name, value in options.items())
    return str(target.adapter.folder) + (f"[{chosen}]" if chosen else "")


def _under_one_name(log: Path) -> Iterator[Line]:
    """The lines of a log of one target, whose options would else make it another target."""
    for line in read_lines(log):
        match line:
            case Header(targets=[target]):
                yield replace(line, targets=[replace(target, name=target.adapter)])
            case CheckRecord():
                yield replace(line, target=line.target.partition("@")[0])
            case _:
                yield line


@contextmanager
def _held_on(num_cores: int | None) -> Iterator[None]:
    """Processes that are started meanwhile get so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:num_cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
