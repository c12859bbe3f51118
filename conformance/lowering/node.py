"""One node of an ONNX graph, before it is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.spec.call import Attribute, Input


class NoLoweringError(Exception):
    """ONNX has no model for the call; the message says why in words for a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One node with the names of what goes in and out; what has an empty name is left out."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Nodes that make of the lengths what the operator takes, the constants that they need, and the name of it."""

    nodes: tuple[GraphNode, ...]
    constants: tuple[Input, ...]
    lengths: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operator of the ONNX domain at an opset version, with its inputs by position; None is one left out.

    With a `resolution`, the operator takes what that gives in the place of its second input.
    """

    op_type: str
    version: int
    inputs: tuple[Input | None, ...]
    attributes: Mapping[str, Attribute]
    declared_outputs: int
    resolution: Resolution | None = None
