"""What travels between the machines of a lab: plain values and lines of a log, never tensors, never code.

No class of this project travels, so that a machine with another version can say so. To `describe` and `run_chunk`
of `remote`, a machine gets a `LabOrder` and a chunk as plain values. It answers with the target as JSON, with the lines
of the chunk, or with the reason why it refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from conformance import __version__
from conformance.formats.adapter_file import TargetRequest, is_known_by_name
from conformance.planning.run_plan import Chunk
from conformance.planning.run_request import RunRequest
from conformance.planning.selection import Selection
from conformance.running.execution import RunTarget
from conformance.values.text import target_text

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
