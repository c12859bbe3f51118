"""Writes OpenVINO's VariadicSplit and Split as ONNX Split-13.

ONNX takes the axis as an attribute, allows no -1 among the lengths, and takes only int64 lengths. Faults that ONNX
forbids as well are written unchanged, so that the framework rejects them: lengths with another sum, type or rank,
negative lengths, surplus arguments, missing data, no outputs. An invalid call that ONNX would accept has no lowering,
nor has a call that ONNX cannot express.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

from conformance.protocol.call import Attribute, Call, Input
from conformance.spec.lowering.onnx_proto import ELEMENT_TYPES, GraphNode, Node, NoLoweringError, Resolution
from conformance.spec.references.signature import WITH_BFLOAT16
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, pack_integers, unpack_integers, unpack_strings

TARGET_VERSION = 13
"""The version of ONNX Split, and so the opset of the models."""
TARGET_LAST_OPSET = 17
"""The last opset in which that version holds."""

_INT64_MAX = (1 << 63) - 1


def variadic_split(call: Call) -> tuple[Node, str]:
    """The node for VariadicSplit-1, and a few words on the rewrite.

    Raises:
        NoLoweringError: ONNX Split-13 cannot express it.
    """
    names = ("data", "axis", "split_lengths")
    data = _data(call)
    if data is None or _has_surplus(call, names, ()):
        return _misfit(call, names, ()), _WORDS
    axis = _axis(call, allowed_shapes=((), (1,)))
    given = call.input("split_lengths")
    if given is None:
        raise NoLoweringError("ONNX Split without lengths makes equal parts")
    if given.constant is None:
        return _with_lengths_at_run_time(data, given, axis, call.declared_outputs)
    if given.dtype not in INTEGERS or len(given.constant.shape) != 1:
        return _split_13((data, given), {"axis": axis}, call.declared_outputs), _WORDS
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
        return _split_13((data, split), {"axis": axis}, count, resolution), ", ".join([*words, _RESOLVED])
    return _split_13((data, split), {"axis": axis}, count), ", ".join(words)


_WORDS = "as ONNX Split-13"
_RESOLVED = "-1 resolved by other operators of ONNX"
_CAST = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})
"""Integer types that ONNX Cast-13 converts to int64 without loss."""


def _with_lengths_at_run_time(data: Input, given: Input, axis: Attribute, count: int) -> tuple[Node, str]:
    if given.dtype not in INTEGERS:
        return _split_13((data, given), {"axis": axis}, count), _WORDS
    if given.dtype != "int64" and given.dtype not in _CAST:
        raise NoLoweringError(f"ONNX Split takes no lengths of {given.dtype}, and Cast-13 makes no int64 of each")
    words = [_WORDS] if given.dtype == "int64" else [_WORDS, f"lengths converted from {given.dtype} by ONNX Cast"]
    if type(axis) is not int or (given.dims is not None and len(given.dims) != 1):
        resolution = Resolution(nodes=(_cast(given),), constants=(), lengths="lengths")
        return _split_13((data, given), {"axis": axis}, count, resolution), ", ".join(words)
    resolution = _resolution(given, data, axis)
    return _split_13((data, given), {"axis": axis}, count, resolution), ", ".join([*words, _RESOLVED])


def _cast(lengths: Input) -> GraphNode:
    return GraphNode(
        op_type="Cast", inputs=(lengths.name,), outputs=("lengths",), attributes={"to": ELEMENT_TYPES["int64"]}
    )


def _resolution(lengths: Input, data: Input, axis: int) -> Resolution:
    """Replaces -1 by the rest of the axis. If the rest is negative, or there is a second -1 or another negative number,
    a negative length results, which Split itself rejects.
    """

    def node(op_type: str, inputs: tuple[str, ...], output: str) -> GraphNode:
        return GraphNode(op_type=op_type, inputs=inputs, outputs=(output,))

    def number(name: str, value: int) -> Input:
        return Input(name=name, dtype="int64", dims=(1,), constant=pack_integers([value], "int64", (1,)))

    nodes = (
        _cast(lengths),
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
    """The node for Split-1, and a few words on the rewrite.

    Raises:
        NoLoweringError: ONNX Split-13 cannot express it.
    """
    names, attributes = ("data", "axis"), ("num_splits",)
    data = _data(call)
    if data is None or _has_surplus(call, names, attributes):
        return _misfit(call, names, attributes), _WORDS
    axis = _axis(call, allowed_shapes=((),))
    count = call.attributes.get("num_splits")
    if type(count) is not int:
        raise NoLoweringError(f"ONNX Split-13 makes as many parts as it has outputs, not {count!r}")
    if count < 0:
        raise NoLoweringError(f"an ONNX node cannot declare {count} outputs")
    return _split_13((data,), {"axis": axis}, count), _WORDS


REWRITES: Mapping[str, Callable[[Call], tuple[Node, str]]] = {
    "openvino.VariadicSplit-1": variadic_split,
    "openvino.Split-1": split,
}
"""The rewrite of every operator that has one."""


def _split_13(
    inputs: Sequence[Input | None],
    attributes: Mapping[str, Attribute],
    outputs: int,
    resolution: Resolution | None = None,
) -> Node:
    return Node(
        op_type="Split",
        version=TARGET_VERSION,
        last_opset=TARGET_LAST_OPSET,
        inputs=tuple(inputs),
        attributes=attributes,
        declared_outputs=outputs,
        resolution=resolution,
    )


def _data(call: Call) -> Input | None:
    data = call.input("data")
    if data is not None and data.dtype not in WITH_BFLOAT16:
        raise NoLoweringError(f"ONNX Split-13 has no type {data.dtype}")
    return data


def _has_surplus(call: Call, inputs: Sequence[str], attributes: Sequence[str]) -> bool:
    return any(item.name not in inputs for item in call.inputs) or not set(attributes).issuperset(call.attributes)


def _misfit(call: Call, inputs: Sequence[str], attributes: Sequence[str]) -> Node:
    """A call without data, or with arguments that the operator does not have. These are written after the inputs of
    ONNX Split, and among its attributes.
    """
    foreign = {name: value for name, value in call.attributes.items() if name not in attributes}
    if "axis" in foreign:
        raise NoLoweringError("ONNX Split has the attribute axis itself")
    axis = {} if call.input("axis") is None else {"axis": _axis(call, allowed_shapes=((), (1,)))}
    placed = [call.input("data"), call.input("split_lengths") if "split_lengths" in inputs else None]
    placed += [item for item in call.inputs if item.name not in inputs]
    while placed and placed[-1] is None:
        placed.pop()
    return _split_13(placed, {**axis, **foreign}, call.declared_outputs)


def _axis(call: Call, *, allowed_shapes: tuple[tuple[int, ...], ...]) -> Attribute:
    """The axis as a number; an axis of a forbidden type becomes the attribute of that type."""
    item = call.input("axis")
    if item is None:
        raise NoLoweringError("ONNX Split takes an axis that is left out for 0")
    given = item.constant
    if given is None:
        raise NoLoweringError("ONNX Split takes the axis as an attribute, not at run time")
    if len(given.shape) > 1:
        raise NoLoweringError("an attribute of ONNX is a number or a list, and the axis has more dims")
    axes = _elements(given)
    return axes[0] if given.shape in allowed_shapes else axes


def _elements(axis: Tensor) -> list[int] | list[float] | list[str]:
    """The value of an ONNX attribute."""
    if axis.dtype == "float32":
        return list(struct.unpack(f"<{axis.size}f", axis.data))
    if axis.dtype == "string":
        return [item.decode("utf-8", "replace") for item in unpack_strings(axis)]
    if axis.dtype not in INTEGERS:
        raise NoLoweringError(f"an attribute of ONNX has no type {axis.dtype}")
    axes = unpack_integers(axis)
    if max(axes, default=0) > _INT64_MAX:
        raise NoLoweringError(f"the axis {max(axes)} does not fit int64, which ONNX writes attributes in")
    return axes


def _length(data: Input, axis: Attribute) -> int | None:
    """The number of elements along the axis, if the model knows it."""
    dims = data.dims or ()
    return dims[axis] if isinstance(axis, int) and -len(dims) <= axis < len(dims) else None
