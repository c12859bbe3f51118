"""Names of the dims that a model does not know: the same name where the page makes two dims equal.

An exporter names such dims, and importers take an unnamed one in other ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.border.call import Attribute, Input
from conformance.lowering.node import Node

Dim = int | str
"""A length, or the name of a length that the model does not know."""


def input_dims(node: Node) -> dict[str, tuple[Dim, ...] | None]:
    """The dims of each input of a node by the input's name; None for an unknown rank."""
    given = [item for item in node.inputs if item is not None]
    own = {item.name: _named(item.name, item.dims) for item in given}
    if node.op_type != "Concat":
        return own
    first, axis = own[given[0].name] if given else None, _axis(node, given)
    return {name: _aligned(dims, first, axis) for name, dims in own.items()}


def output_dims(node: Node, output: str, rank: int) -> tuple[Dim, ...]:
    """The dims of an output of a node: those of its data that the page leaves as they are, else names of its own."""
    own = _named(output, (None,) * rank) or ()
    given = [item for item in node.inputs if item is not None]
    data = input_dims(node)[given[0].name] if given else None
    if data is None:
        return own
    kept = _kept(node, given, len(data))
    return tuple(data[kept[place]] if place in kept else dim for place, dim in enumerate(own))


def _named(name: str, dims: Sequence[int | None] | None) -> tuple[Dim, ...] | None:
    if dims is None:
        return None
    return tuple(f"{name}_dim_{place}" if dim is None else dim for place, dim in enumerate(dims))


def _aligned(dims: tuple[Dim, ...] | None, first: tuple[Dim, ...] | None, axis: int | None) -> tuple[Dim, ...] | None:
    """The dims of a further input of a Concat: unknown ones have the names of the first input, but along the axis."""
    if dims is None or first is None or axis is None or len(dims) != len(first):
        return dims
    pairs = enumerate(zip(dims, first, strict=True))
    return tuple(dim if isinstance(dim, int) or place == axis else other for place, (dim, other) in pairs)


def _kept(node: Node, given: Sequence[Input], rank: int) -> Mapping[int, int]:
    """For dims of an output, by place, the place of the dim of the data that the page makes equal to it."""
    match node.op_type:
        case "Split" | "Concat":
            axis = _axis(node, given)
            return {} if axis is None else {place: place for place in range(rank) if place != axis}
        case "Transpose":
            perm = node.attributes.get("perm", tuple(reversed(range(rank))))
            sources = [item for item in perm if isinstance(item, int)] if isinstance(perm, Sequence) else []
            return dict(enumerate(sources)) if sorted(sources) == list(range(rank)) else {}
        case _:
            return {}


def _axis(node: Node, given: Sequence[Input]) -> int | None:
    """The axis of a node, counted from the front; None if it addresses no dim."""
    default: Attribute = 1 if (node.op_type, node.version) == ("Concat", 1) else 0
    axis, dims = node.attributes.get("axis", default), given[0].dims if given else None
    if not isinstance(axis, int) or dims is None or not -len(dims) <= axis < len(dims):
        return None
    return axis % len(dims)
