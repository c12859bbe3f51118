"""What travels between the machines of a lab: plain values and lines of a log, never tensors, never code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from conformance import __version__
from conformance.formats.adapter_file import TargetRequest, is_known_by_name
from conformance.formats.suite import bundled_folder
from conformance.running.run_request import RunRequest
from conformance.selection.selection import Selection
from conformance.values.text import target_text

_SELECTION = TypeAdapter(Selection)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabOrder:
    """What a machine needs to know of a run besides the chunk: it makes the checks itself.

    `run` tells runs apart. `framework` is the framework version of the target's first machine, empty for that one.
    `cases_folder` is empty for the bundled cases.
    """

    run: str
    version: str
    digest: str
    cases_folder: str
    selection: dict[str, Any]
    target: str
    timeout_s: float
    framework: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The lines of a chunk, each with its verdict."""

    lines: Sequence[tuple[bytes, str]]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a machine does not carry out an order."""

    reason: str


def order_of(request: RunRequest, target: TargetRequest, run: str) -> LabOrder:
    """The order for a target of a run."""
    suite = request.suite
    return LabOrder(
        run=run,
        version=__version__,
        digest=suite.digest,
        cases_folder="" if suite.root == bundled_folder("cases") else str(suite.root.resolve()),
        selection=_SELECTION.dump_python(request.selection, mode="json"),
        target=_text_of(target),
        timeout_s=request.timeout_s,
    )


def selection_in(order: LabOrder) -> Selection:
    """The selection of an order."""
    return _SELECTION.validate_python(order.selection)


def _text_of(target: TargetRequest) -> str:
    """The target as a text that every machine reads: a bundled or installed adapter by its name, else its folder."""
    name = target.adapter.name if is_known_by_name(target.adapter) else str(target.adapter.folder.resolve())
    return target_text(name, target.version, target.options)
