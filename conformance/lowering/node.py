"""One node of an ONNX graph before serialization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.border.call import Attribute, Input


class NoLoweringError(Exception):
    """ONNX has no model for the call; the message is a reason for a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One node with the names of its inputs and outputs; an empty name marks a missing one."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Nodes that convert the lengths to what the operator takes, their constants, and the name of the result."""

    nodes: tuple[GraphNode, ...]
    constants: tuple[Input, ...]
    lengths: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operator of the ONNX domain at an opset version, with its inputs by position; None for a missing one.

    `last_opset` is the last in which the version holds; None for the newest.

    With a `resolution`, the operator takes its result in place of its second input.
    """

    op_type: str
    version: int
    inputs: tuple[Input | None, ...]
    attributes: Mapping[str, Attribute]
    declared_outputs: int
    last_opset: int | None
    resolution: Resolution | None = None
