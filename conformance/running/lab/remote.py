"""What a machine of the lab does with an order. Dask calls these functions in its worker, one at a time.

The engine of a target stays warm from chunk to chunk, until an order of another run comes.
"""

from __future__ import annotations

import platform
import threading
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from pathlib import Path

from conformance import __version__
from conformance.formats.adapter_file import target_from_text
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.judging.deviation_file import deviations_of
from conformance.planning.run_plan import ChunkReader
from conformance.planning.selection import families_selected
from conformance.running.execution import RunTarget
from conformance.running.lab.order import CHUNK, ORDER, TARGET, LabOrder, PlainFields
from conformance.running.target import StartedTarget
from conformance.running.target_chunks import RecordLine, lines_of
from conformance.running.target_engine import TargetEngine
from conformance.values.errors import OpconformError


class RefusedError(Exception):
    """This machine cannot take the order."""


@dataclass(frozen=True, slots=True)
class _Engine:
    order: LabOrder
    reader: ChunkReader
    engine: TargetEngine
    target: StartedTarget


_engines: dict[str, _Engine] = {}


def describe(order: PlainFields) -> bytes | str:
    """Start the target on this machine and describe it, or say why the machine refuses."""
    try:
        target = _engine(order).target
    except RefusedError as error:
        return str(error)
    return TARGET.dump_json(RunTarget.started(target.entry, target.deviations))


def run_chunk(order: PlainFields, chunk: PlainFields) -> list[RecordLine] | str:
    """Run the checks of a chunk, from the plan to the lines of the log; or say why the machine refuses."""
    try:
        engine = _engine(order)
    except RefusedError as error:
        return str(error)
    own = CHUNK.validate_python(chunk)
    return list(lines_of(own, engine.engine.records(engine.reader.checks(own))))


def _engine(plain: PlainFields) -> _Engine:
    """The warm engine of an order, or a new one.

    Raises:
        RefusedError: this machine has other cases, another version of this project or of the framework.
    """
    _require("opconform", __version__, plain["version"])
    order = ORDER.validate_python(plain)
    for target, warm in list(_engines.items()):
        if warm.order.run != order.run:
            _engines.pop(target).engine.kill()
    if order.target not in _engines:
        _engines[order.target] = _started(order)
    found = _engines[order.target]
    _require("framework", found.target.entry.version, order.framework or found.target.entry.version)
    return found


def _started(order: LabOrder) -> _Engine:
    try:
        suite = _suite(order.cases_folders)
        _require("cases", suite.digest, order.digest)
        request = target_from_text(order.target)
        engine = TargetEngine(request, deviations_of(request.adapter.folder, suite), order.timeout_s, threading.Event())
        target = engine.start()
    except (OpconformError, ExceptionGroup) as error:
        raise RefusedError(f"{platform.node()}: {error}") from None
    reader = ChunkReader(families_selected(suite, order.selection), order.selection)
    return _Engine(replace(order, framework=""), reader, engine, target)


@lru_cache(maxsize=2)
def _suite(folders: tuple[str, ...]) -> Suite:
    first, *added = (load_suite(Path(folder) if folder else bundled_folder("cases")) for folder in folders)
    return reduce(Suite.joined_with, added, first)


def _require(what: str, have: str, want: str) -> None:
    if have != want:
        raise RefusedError(f"{platform.node()} has {what} {have[:80]}, and this run has {want[:80]}")
