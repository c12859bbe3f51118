"""What travels between the machines of a lab: plain values and lines of a log, never tensors, never code.

No class of this project travels, so that a machine with another version can say so. To `describe` and `run_chunk`
of `remote`, a machine gets a `LabOrder` and a chunk as plain values. It answers with the target as JSON, with the lines
of the chunk, or with the reason why it refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from conformance import __version__
from conformance.formats.adapter_file import TargetRequest, is_known_by_name
from conformance.planning.run_plan import Chunk, Mark
from conformance.planning.run_request import RunRequest
from conformance.planning.selection import Selection
from conformance.running.execution import RunTarget
from conformance.values.text import target_text

_SELECTION = TypeAdapter(Selection)
_TARGET = TypeAdapter(RunTarget)

PlainOrder = dict[str, Any]
PlainChunk = tuple[int, int, int, int, int, Sequence[int]]


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
    selection: dict[str, Any]
    target: str
    timeout_s: float
    framework: str = ""


def order_of(request: RunRequest, target: TargetRequest, run: str) -> LabOrder:
    """The order for a target of a run."""
    suite = request.suite
    return LabOrder(
        run=run,
        version=__version__,
        digest=suite.digest,
        cases_folders=suite.folders(),
        selection=_SELECTION.dump_python(request.selection, mode="json"),
        target=_text_of(target),
        timeout_s=request.timeout_s,
    )


def selection_in(order: LabOrder) -> Selection:
    """The selection of an order."""
    return _SELECTION.validate_python(order.selection)


def order_to_plain(order: LabOrder) -> PlainOrder:
    """The order as it travels."""
    return asdict(order)


def chunk_to_plain(chunk: Chunk) -> PlainChunk:
    """A chunk as it travels: its numbers."""
    return chunk.number, chunk.family, chunk.offset, *chunk.mark, chunk.places


def chunk_from_plain(plain: PlainChunk) -> Chunk:
    """A chunk that came from another machine."""
    number, family, offset, marked, product, places = plain
    return Chunk(number=number, family=family, offset=offset, mark=Mark(marked, product), places=places)


def target_to_plain(target: RunTarget) -> bytes:
    """A described target as it travels."""
    return _TARGET.dump_json(target)


def target_from_plain(plain: bytes) -> RunTarget:
    """A target that another machine has described."""
    return _TARGET.validate_json(plain)


def _text_of(target: TargetRequest) -> str:
    """The target as a text that every machine reads: a bundled or installed adapter by its name, else its folder."""
    name = target.adapter.name if is_known_by_name(target.adapter) else str(target.adapter.folder.resolve())
    return target_text(name, target.version, target.options)
