"""OpenVINO's VariadicSplit and Split as ONNX Split-13.

ONNX takes the axis as an attribute, has no -1 among the lengths, and takes them in int64 alone. What ONNX forbids too
is written down as it is, so that the framework refuses it: lengths that add up to something else, of another type or
rank, below 0. What a rewrite would have to check itself, in place of the framework, has no lowering: the answer would
be ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.call import Attribute, Call, Input
from conformance.dtypes import Kind
from conformance.lowering.node import GraphNode, Node, NoLoweringError, Resolution
from conformance.lowering.onnx_proto import ELEMENT_TYPES
from conformance.tensor import pack_integers, unpack_integers

TARGET_VERSION = 13
"""Of ONNX Split, and so the opset of the models."""

_INTEGERS = (Kind.SIGNED, Kind.UNSIGNED)
_INT64_MAX = (1 << 63) - 1
_TYPES = frozenset({
    "bool", "bfloat16", "float16", "float32", "float64", "complex64", "complex128", "string",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
})  # fmt: skip


def variadic_split(call: Call) -> tuple[Node, str]:
    """VariadicSplit-1, and in a few words what the rewrite did.

    Raises:
        NoLoweringError: ONNX Split-13 cannot say it.
    """
    data = _only(call, inputs=("data", "axis", "split_lengths"), attributes=())
    axis = _axis(call, allowed_shapes=((), (1,)))
    given = call.input("split_lengths")
    if given is None:
        raise NoLoweringError("ONNX Split without lengths makes equal parts")
    if given.constant is None:
        return _with_lengths_at_run_time(data, given, axis, call.declared_outputs)
    if given.constant.kind.kind not in _INTEGERS or len(given.constant.shape) != 1:
        return _split_13((data, given), axis, call.declared_outputs), _WORDS
    lengths = unpack_integers(given.constant)
    words = [_WORDS] if given.dtype == "int64" else [_WORDS, f"lengths converted from {given.dtype}"]
    has_rest = lengths.count(-1) == 1 and min(lengths) == -1
    whole = _length(data, axis)
    if has_rest and whole is not None and whole > sum(lengths):
        lengths = [whole - sum(lengths) - 1 if item == -1 else item for item in lengths]
        words.append("-1 resolved by the lowering")
    if max(lengths, default=0) > _INT64_MAX:
        raise NoLoweringError(f"the length {max(lengths)} does not fit int64, which ONNX Split takes")
    count = len(lengths)
    split = Input(
        name="split_lengths", dtype="int64", dims=(count,), constant=pack_integers(lengths, "int64", (count,))
    )
    if has_rest and whole is None and type(axis) is int:
        resolution = _resolution(split, data, axis)
        return _split_13((data, split), axis, count, resolution), ", ".join([*words, _RESOLVED])
    return _split_13((data, split), axis, count), ", ".join(words)


_WORDS = "as ONNX Split-13"
_RESOLVED = "-1 resolved by other operators of ONNX"
_CAST = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})
"""Integers that ONNX Cast-13 makes int64 of without loss."""


def _with_lengths_at_run_time(data: Input, given: Input, axis: Attribute, count: int) -> tuple[Node, str]:
    if given.dtype != "int64" and given.dtype not in _CAST:
        raise NoLoweringError(f"ONNX Split takes no lengths of {given.dtype}, and Cast-13 makes no int64 of each")
    words = [_WORDS] if given.dtype == "int64" else [_WORDS, f"lengths converted from {given.dtype} by ONNX Cast"]
    resolution = _resolution(given, data, axis)
    return _split_13((data, given), axis, count, resolution), ", ".join([*words, _RESOLVED])


def _resolution(lengths: Input, data: Input, axis: Attribute) -> Resolution:
    """A -1 becomes what the others leave. Where that is below 0, or a second -1 stands there, or another number below
    0, a length below 0 comes of it, which Split itself refuses.
    """
    if type(axis) is not int or (lengths.dims is not None and len(lengths.dims) != 1):
        raise _own_check("axis and split_lengths have no other rank and type")
    cast = GraphNode(
        op_type="Cast", inputs=(lengths.name,), outputs=("lengths",), attributes={"to": ELEMENT_TYPES["int64"]}
    )

    def node(op_type: str, inputs: tuple[str, ...], output: str) -> GraphNode:
        return GraphNode(op_type=op_type, inputs=inputs, outputs=(output,))

    def number(name: str, value: int) -> Input:
        return Input(name=name, dtype="int64", dims=(1,), constant=pack_integers([value], "int64", (1,)))

    nodes = (
        cast,
        node("Shape", (data.name,), "shape"),
        node("Gather", ("shape", "split_axis"), "whole"),
        node("ReduceSum", ("lengths",), "total"),
        node("Sub", ("whole", "total"), "left"),
        node("Add", ("left", "minus_one"), "rest"),
        node("Equal", ("lengths", "minus_one"), "is_rest"),
        node("Where", ("is_rest", "rest", "lengths"), "resolved"),
    )
    return Resolution(nodes=nodes, constants=(number("split_axis", axis), number("minus_one", -1)), lengths="resolved")


def split(call: Call) -> tuple[Node, str]:
    """Split-1, and in a few words what the rewrite did.

    Raises:
        NoLoweringError: ONNX Split-13 cannot say it.
    """
    data = _only(call, inputs=("data", "axis"), attributes=("num_splits",))
    axis = _axis(call, allowed_shapes=((),))
    count = call.attributes.get("num_splits")
    if type(count) is not int:
        raise _own_check(f"num_splits may not be {count!r}")
    if count < 1:
        raise NoLoweringError(f"an ONNX node cannot declare {count} outputs")
    if _length(data, axis) == 0:
        raise NoLoweringError(
            "ONNX Split may make more outputs than there are elements; the check would be the lowering's own"
        )
    return _split_13((data,), axis, count), "as ONNX Split-13"


REWRITES: Mapping[str, Callable[[Call], tuple[Node, str]]] = {
    "openvino.VariadicSplit-1": variadic_split,
    "openvino.Split-1": split,
}
"""The rewrite of every operator that has one."""


def _split_13(inputs: tuple[Input, ...], axis: Attribute, outputs: int, resolution: Resolution | None = None) -> Node:
    if outputs < 1:
        raise NoLoweringError("an ONNX node has at least one output")
    return Node(
        op_type="Split",
        version=TARGET_VERSION,
        inputs=inputs,
        attributes={"axis": axis},
        declared_outputs=outputs,
        resolution=resolution,
    )


def _only(call: Call, *, inputs: tuple[str, ...], attributes: tuple[str, ...]) -> Input:
    """The data, where the call has no argument but these."""
    surplus = [item.name for item in call.inputs if item.name not in inputs]
    surplus += [name for name in call.attributes if name not in attributes]
    if surplus:
        raise _own_check(f"{call.operator} may not have the surplus {', '.join(surplus)}")
    data = call.input("data")
    if data is None:
        raise _own_check("data is given")
    if data.dtype not in _TYPES:
        raise NoLoweringError(f"ONNX Split-13 has no type {data.dtype}")
    return data


def _axis(call: Call, *, allowed_shapes: tuple[tuple[int, ...], ...]) -> Attribute:
    """The axis as a number; where it may not be what it is, as the attribute of another type that it would be."""
    item = call.input("axis")
    if item is None:
        raise _own_check("axis is given")
    given = item.constant
    if given is None:
        raise NoLoweringError("ONNX Split takes the axis as an attribute, not at run time")
    if len(given.shape) > 1:
        raise NoLoweringError("an attribute of ONNX is a number or a list, and the axis has more dims")
    if given.kind.kind not in _INTEGERS:
        raise _own_check(f"axis may not have the type {given.dtype}")
    axes = unpack_integers(given)
    if max(axes, default=0) > _INT64_MAX:
        raise NoLoweringError(f"the axis {max(axes)} does not fit int64, which ONNX writes attributes in")
    return axes[0] if given.shape in allowed_shapes else axes


def _length(data: Input, axis: Attribute) -> int | None:
    """How many elements the model knows the data to have along the axis."""
    dims = data.dims or ()
    return dims[axis] if isinstance(axis, int) and -len(dims) <= axis < len(dims) else None


def _own_check(that: str) -> NoLoweringError:
    return NoLoweringError(f"the check that {that} would be the lowering's own")
