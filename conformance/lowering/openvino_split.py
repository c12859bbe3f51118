"""OpenVINO's VariadicSplit and Split as ONNX Split-13.

ONNX takes the axis as an attribute, has no -1 among the lengths, and takes them in int64 alone. What a rewrite would
have to check itself, in place of the framework, has no lowering: the answer would be ours. An axis out of range and
lengths that add up to something else are written down, since ONNX asks the framework to refuse them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.call import Call, Input
from conformance.dtypes import Kind
from conformance.lowering.node import Node, NoLoweringError
from conformance.tensor import Tensor, pack_integers, unpack_integers

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
    given = _constant(call, "split_lengths", "ONNX Split has no -1, which lengths at run time may hold")
    if len(given.shape) != 1:
        raise _own_check(f"split_lengths may not have the shape {given.shape}")
    lengths = unpack_integers(given)
    if not lengths:
        raise NoLoweringError("an ONNX node has at least one output")
    words = ["as ONNX Split-13"]
    if given.dtype != "int64":
        words.append(f"lengths converted from {given.dtype}")
    if min(lengths) < 0:
        lengths = _resolved(lengths, data, axis)
        words.append("-1 resolved by the lowering")
    if max(lengths) > _INT64_MAX:
        raise NoLoweringError(f"the length {max(lengths)} does not fit int64, which ONNX Split takes")
    split = Input(
        name="split_lengths",
        dtype="int64",
        dims=(len(lengths),),
        constant=pack_integers(lengths, "int64", (len(lengths),)),
    )
    return _split_13((data, split), axis, len(lengths)), ", ".join(words)


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


def _split_13(inputs: tuple[Input, ...], axis: int, outputs: int) -> Node:
    return Node(
        op_type="Split", version=TARGET_VERSION, inputs=inputs, attributes={"axis": axis}, declared_outputs=outputs
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


def _constant(call: Call, name: str, why_not_at_run_time: str) -> Tensor:
    given = call.input(name)
    if given is None:
        raise _own_check(f"{name} is given")
    if given.constant is None:
        raise NoLoweringError(why_not_at_run_time)
    if given.constant.kind.kind not in _INTEGERS:
        raise _own_check(f"{name} may not have the type {given.dtype}")
    return given.constant


def _axis(call: Call, *, allowed_shapes: tuple[tuple[int, ...], ...]) -> int:
    given = _constant(call, "axis", "ONNX Split takes the axis as an attribute, not at run time")
    if given.shape not in allowed_shapes:
        raise _own_check(f"axis may not have the shape {given.shape}")
    (axis,) = unpack_integers(given)
    if axis > _INT64_MAX:
        raise NoLoweringError(f"the axis {axis} does not fit int64, which ONNX writes attributes in")
    return axis


def _resolved(lengths: list[int], data: Input, axis: int) -> list[int]:
    if min(lengths) < -1 or lengths.count(-1) > 1:
        raise _own_check(f"split_lengths may not have the values {lengths}")
    whole = _length(data, axis)
    if whole is None:
        raise NoLoweringError(f"ONNX Split has no -1, and the model does not know how long axis {axis} is")
    rest = whole - sum(lengths) - 1
    if rest < 0:
        raise _own_check(f"split_lengths may not have the values {lengths} for {whole} elements")
    return [rest if item == -1 else item for item in lengths]


def _length(data: Input, axis: int) -> int | None:
    """How many elements the model knows the data to have along the axis."""
    dims = data.dims or ()
    return dims[axis] if -len(dims) <= axis < len(dims) else None


def _own_check(that: str) -> NoLoweringError:
    return NoLoweringError(f"the check that {that} would be the lowering's own")
