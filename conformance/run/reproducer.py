"""Runs the scripts of recorded deviations without the suite; their exit code says whether the fault shows.

A script prints what is expected, and exits with 1 if the fault shows and with 0 if it does not. One that is made of a
witness ends with the framework where that crashes.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import MappingProxyType

from conformance.judge.deviation import Deviation, Happens, read_deviations
from conformance.run.handshake import interpreter_of, missing_needs
from conformance.run.process import Ended, death_from_code, run_to_end
from conformance.run.script_folder import script_of_deviation
from conformance.run.session import Session
from conformance.run.target import StartedTarget, start_target
from conformance.suite.adapter_file import Adapter, TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors.errors import CaseFileError, SelectionError, nearest

LIMIT_S = 120.0
_TRIES_OF_SOMETIMES = 5
_SCRIPT = Path("repro.py")
_WITHOUT_THE_PROJECT = """
import runpy, sys
sys.modules["conformance"] = None  # an import of it fails, though it is installed
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Showing(Enum):
    """Whether a reproducer showed its fault."""

    SHOWS = "the fault shows"
    GONE = "the fault does not show"
    BROKEN = "the script does neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The script of a recorded deviation of an adapter, and the Python that runs it."""

    adapter: str
    entry: Deviation
    content: bytes
    python: str = sys.executable

    def run(self, stopping: threading.Event | None = None) -> Ended:
        """Run it as on a machine without this project."""
        return run_alone(_SCRIPT, stopping, self.python, {_SCRIPT.name: self.content})

    def showing_of(self, ended: Ended) -> Showing:
        """Whether the fault showed; a crash of the framework ends a script that is made of a witness."""
        has_died = ended.code is not None and ended.code not in range(3)
        if self.entry.witness is not None and has_died and "Traceback" not in ended.stderr:
            return Showing.SHOWS
        return showing_of(ended)


def run_alone(
    script: Path,
    stopping: threading.Event | None = None,
    python: str = sys.executable,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Ended:
    """Run the script as on a machine without this project: it cannot import the package. `files` lie in the folder
    in which it runs.
    """
    return run_to_end([python, "-P", "-c", _WITHOUT_THE_PROJECT, str(script)], LIMIT_S, stopping, files=files)


def showing_of(ended: Ended) -> Showing:
    """Whether a reproducer showed its fault; it is broken if it, or a process that it starts, fails with an error."""
    if "Traceback" in ended.stderr:
        return Showing.BROKEN
    match ended.code:
        case 1 if "expected" in ended.stdout:
            return Showing.SHOWS
        case 0:
            return Showing.GONE
        case _:
            return Showing.BROKEN


def reproduced(adapters: Sequence[Adapter], suite: Suite, only: str = "") -> tuple[int, list[CaseFileError], list[str]]:
    """Run the reproducers of the deviations that apply on this machine, on all cores; an interrupt ends them.

    Args:
        adapters: those that record deviations.
        suite: with the cases of their witnesses.
        only: the id of one; empty for all.

    Returns the number of scripts that show their fault, an error for each deviation whose script does not, and
    sentences that say which reproducers did not run on this machine, and why.

    Raises:
        ExceptionGroup: of `CaseFileError`: a deviations.yaml breaks its format.
        SelectionError: no adapter records a deviation with that id.
    """
    scripts: list[Script] = []
    left_out: list[str] = []
    recorded = [(adapter, read_deviations(adapter.folder)) for adapter in adapters]
    ids = [entry.id for _, entries in recorded for entry in entries]
    if only and only not in ids:
        raise SelectionError(
            "--recorded",
            f"no deviation {only!r} is recorded",
            fix=nearest(only, ids, otherwise="name an id in deviations.yaml"),
        )
    for adapter, entries in recorded:
        holding, reasons = holding_here(adapter, [entry for entry in entries if only in ("", entry.id)])
        scripts += scripts_of(adapter, holding, suite)
        left_out += reasons
    pool, stopping = ThreadPoolExecutor(os.cpu_count() or 1), threading.Event()
    try:
        ends = list(pool.map(partial(end_of, stopping=stopping), scripts))
    finally:
        stopping.set()
        pool.shutdown(cancel_futures=True)
    shown = sum(script.showing_of(ended) is Showing.SHOWS for script, ended in zip(scripts, ends, strict=True))
    problems = [problem for script, ended in zip(scripts, ends, strict=True) for problem in _problems(script, ended)]
    return shown, problems, left_out


def scripts_of(adapter: Adapter, entries: Iterable[Deviation], suite: Suite) -> list[Script]:
    """The scripts of some deviations of an adapter; `suite` has the cases of their witnesses."""
    python = interpreter_of(adapter)
    return [
        Script(adapter=adapter.name, entry=entry, content=script_of_deviation(adapter, entry, suite), python=python)
        for entry in entries
    ]


def holding_here(adapter: Adapter, recorded: Sequence[Deviation]) -> tuple[tuple[Deviation, ...], tuple[str, ...]]:
    """The deviations whose conditions hold on this machine, and sentences that say why others do not run."""
    if not recorded:
        return (), ()
    missing = missing_needs(adapter)
    if missing:
        return (), (f"{adapter.name}: reproducers were not run: {' and '.join(missing)} is missing",)
    options = {tuple(sorted(entry.conditions.options.items())): entry.conditions.options for entry in recorded}
    targets = [_started(TargetRequest(adapter=adapter, options=chosen), recorded) for chosen in options.values()]
    named = {entry.id for target in targets for entry in target.deviations}
    problems = {target.entry.problem for target in targets} - {""}
    others = ", ".join(entry.id for entry in recorded if entry.id not in named)
    reasons = [f"{adapter.name}: reproducers were not run: {problem}" for problem in sorted(problems)]
    if others and not reasons:
        reasons.append(f"{targets[0].entry.name}: not run, since recorded for other conditions: {others}")
    return tuple(entry for entry in recorded if entry.id in named), tuple(reasons)


def _started(request: TargetRequest, recorded: Sequence[Deviation]) -> StartedTarget:
    session = Session(request, LIMIT_S, threading.Event())
    try:
        return start_target(request, session, recorded)
    finally:
        session.kill()


def end_of(script: Script, stopping: threading.Event | None = None) -> Ended:
    """How a script ended; a deviation that happens only sometimes gets several tries."""
    ended, tries = script.run(stopping), 1 if script.entry.happens is Happens.ALWAYS else _TRIES_OF_SOMETIMES
    while script.showing_of(ended) is Showing.GONE and tries > 1:
        ended, tries = script.run(stopping), tries - 1
    return ended


def _problems(script: Script, ended: Ended) -> list[CaseFileError]:
    """An error if a script does not show the fault of its deviation."""
    match script.showing_of(ended):
        case Showing.SHOWS:
            return []
        case Showing.GONE:
            what = "exits with 0: the fault does not show here"
            fix = "narrow `where`, or remove the entry and its script"
        case Showing.BROKEN:
            end = f"took over {LIMIT_S:g} s" if ended.code is None else f"ended with {death_from_code(ended.code)}"
            last = ended.stderr.strip().rpartition("\n")[2][:200]
            what = f"{end}, and does not say whether the fault shows" + (f": {last}" if last else "")
            fix = "print what is expected, and exit with 1 if the fault shows and with 0 if it does not"
    name = script.entry.reproducer or "its script"
    return [CaseFileError(f"{script.adapter}/deviations.yaml: {script.entry.id}", f"{name} {what}", fix=fix)]
