"""One node of an ONNX graph, before it is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.call import Attribute, Input


class NoLoweringError(Exception):
    """ONNX has no model for the call; the message says why in words for a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operator of the ONNX domain at an opset version, with its inputs by position; None is one left out."""

    op_type: str
    version: int
    inputs: tuple[Input | None, ...]
    attributes: Mapping[str, Attribute]
    declared_outputs: int
