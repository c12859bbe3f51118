"""The file of a lab, and what its machines get and do. Dask calls `describe` and `run_chunk` in its worker.

Nothing here needs Dask.

Plain values and lines of a log travel, never tensors, never code, and no class of this project, so that a machine with
another version can say so. A machine gets a `LabOrder` and a chunk as plain values. It answers with the target as JSON,
with the lines of the chunk, or with the reason why it refuses. Its workers of a target stay warm from chunk to chunk,
until an order of another run comes.
"""

from __future__ import annotations

import platform
import threading
from dataclasses import dataclass
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter

from conformance import __version__
from conformance.judge.deviation import deviations_of
from conformance.run.execution import RecordLine, RunTarget, lines_of
from conformance.run.run_plan import Chunk, ChunkReader, RunRequest
from conformance.run.selection import Selection, families_selected
from conformance.run.target_runner import TargetRunner
from conformance.suite.adapter_file import TargetRequest, is_known_by_name, target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.suite.yaml_file import FileModel, read_document, validated
from conformance.tensors.errors import OpconformError
from conformance.tensors.text import target_text

# `lab.yaml`, whose format nothing else knows.


class Certificates(FileModel):
    """Files in PEM format, relative to the lab file. All machines have certificates of one authority."""

    authority: str = Field(min_length=1, description="certificate of the authority that signed those of all machines")
    certificate: str = Field(min_length=1, description="certificate of this machine")
    key: str = Field(min_length=1, description="private key of this machine")


class LabFile(FileModel):
    """A lab: how its machines prove who they are, what adapters need, and when a chunk goes to another machine."""

    certificates: Certificates | None = Field(default=None, description="required unless all addresses are loopback")
    needs: dict[str, dict[str, float]] = Field(
        default_factory=dict, description="by adapter, or by target with its options: the resources that it takes up"
    )
    chunk_checks: int = Field(default=128, ge=1, le=100_000, description="checks that a machine gets at a time")
    retries: int = Field(default=3, ge=0, le=100, description="how often a chunk may be lost before it is not run")
    chunk_limit_s: float = Field(default=900, gt=0, description="seconds after which another machine gets the chunk")
    machine_limit_s: float = Field(default=120, gt=0, description="seconds to wait for a machine with the resources")
    silence_limit_s: float = Field(
        default=30, gt=0, description="seconds without an answer after which the scheduler or a worker is lost"
    )

    def needed_by(self, target: TargetRequest) -> dict[str, float]:
        """The resources that a target takes up: those of its options, or else those of its adapter."""
        named = target_text(target.adapter.name, "", target.options)
        return self.needs.get(named, self.needs.get(target.adapter.name, {}))


def read_lab(path: Path | None) -> tuple[LabFile, Path]:
    """The lab and the folder that its paths start from; without a file, a lab of this machine alone.

    Raises:
        ExceptionGroup: of `CaseFileError`: what is wrong with the file.
    """
    if path is None:
        return LabFile(), Path()
    return validated(LabFile, read_document(path, str(path))), path.parent


# What a machine gets, and what it does with it.

PlainFields = dict[str, Any]
"""An order or a chunk as it travels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabOrder:
    """What a machine needs to know of a run besides the chunk: it makes the checks itself.

    `run` tells runs apart. `framework` is the framework version of the target's first machine, empty for that one.
    `cases_folders` are the folder of the cases, empty for the bundled ones, and those of the cases added to it.
    """

    run: str
    version: str
    digest: str
    cases_folders: tuple[str, ...]
    selection: Selection
    target: str
    timeout_s: float
    framework: str = ""


ORDER, CHUNK, TARGET = TypeAdapter(LabOrder), TypeAdapter(Chunk), TypeAdapter(RunTarget)


def order_of(request: RunRequest, target: TargetRequest, run: str) -> LabOrder:
    """The order for a target of a run. It names a bundled or installed adapter, and the folder of any other."""
    suite, adapter = request.suite, target.adapter
    name = adapter.name if is_known_by_name(adapter) else str(adapter.folder.resolve())
    return LabOrder(
        run=run,
        version=__version__,
        digest=suite.digest,
        cases_folders=suite.folders(),
        selection=request.selection,
        target=target_text(name, target.version, target.options),
        timeout_s=request.timeout_s,
    )


def plain(adapter: TypeAdapter[Any], value: LabOrder | Chunk) -> PlainFields:
    """The value as it travels."""
    return dict(adapter.dump_python(value, mode="json", fallback=list))  # `list` for a range of places


class RefusedError(Exception):
    """This machine cannot take the order."""


@dataclass(frozen=True, slots=True)
class _Warm:
    order: LabOrder
    reader: ChunkReader
    runner: TargetRunner


_warm: dict[str, _Warm] = {}


def describe(order: PlainFields) -> bytes | str:
    """Start the target on this machine and describe it, or say why the machine refuses."""
    try:
        target = _warm_runner(order).runner.target
    except RefusedError as error:
        return str(error)
    return TARGET.dump_json(RunTarget.started(target.entry, target.deviations))


def run_chunk(order: PlainFields, chunk: PlainFields) -> list[RecordLine] | str:
    """Run the checks of a chunk, from the plan to the lines of the log; or say why the machine refuses."""
    try:
        warm = _warm_runner(order)
    except RefusedError as error:
        return str(error)
    own = CHUNK.validate_python(chunk)
    return list(lines_of(own, warm.runner.records(warm.reader.checks(own))))


def _warm_runner(plain: PlainFields) -> _Warm:
    """The warm runner of an order, or a new one.

    Raises:
        RefusedError: this machine has other cases, another version of this project or of the framework.
    """
    _require("opconform", __version__, plain["version"])
    order = ORDER.validate_python(plain)
    for target, warm in list(_warm.items()):
        if warm.order.run != order.run:
            _warm.pop(target).runner.kill()
    if order.target not in _warm:
        _warm[order.target] = _started(order)
    found = _warm[order.target]
    version = found.runner.target.entry.version
    _require("framework", version, order.framework or version)
    return found


def _started(order: LabOrder) -> _Warm:
    try:
        suite = _suite(order.cases_folders)
        _require("cases", suite.digest, order.digest)
        request = target_from_text(order.target)
        runner = TargetRunner(request, deviations_of(request.adapter.folder, suite), order.timeout_s, threading.Event())
        runner.start()
    except (OpconformError, ExceptionGroup) as error:
        raise RefusedError(f"{platform.node()}: {error}") from None
    reader = ChunkReader(families_selected(suite, order.selection), order.selection)
    return _Warm(order, reader, runner)


@lru_cache(maxsize=2)
def _suite(folders: tuple[str, ...]) -> Suite:
    first, *added = (load_suite(Path(folder) if folder else bundled_folder("cases")) for folder in folders)
    return reduce(Suite.joined_with, added, first)


def _require(what: str, have: str, want: str) -> None:
    if have != want:
        raise RefusedError(f"{platform.node()} has {what} {have[:80]}, and this run has {want[:80]}")
