"""What a call of a splitting operator means for `torch.split`: an axis, and a list of lengths or how to get one.

Never `torch.chunk`, which may return fewer parts, nor `torch.tensor_split`, which spreads the remainder. What the
operator forbids and PyTorch does not check has no place here: the answer would be the adapter's, not PyTorch's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from conformance.adapter import Call, Input, NotExpressible

_INTEGER = re.compile(r"u?int\d+")
_INT64 = range(-(1 << 63), 1 << 63)

_FLOATS = frozenset({"float16", "float32", "float64"})
_ALL_BUT_BFLOAT16 = _FLOATS | {
    "bool", "complex64", "complex128", "string",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip
_ALL = _ALL_BUT_BFLOAT16 | {"bfloat16"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    inputs: frozenset[str]
    attributes: frozenset[str]
    types: frozenset[str]


_ONNX_SPLIT = {
    "onnx.Split-1": _Version(
        inputs=frozenset({"input", "split"}), attributes=frozenset({"axis", "split"}), types=_FLOATS
    ),
    "onnx.Split-2": _Version(
        inputs=frozenset({"input"}), attributes=frozenset({"axis", "split"}), types=_ALL_BUT_BFLOAT16
    ),
    "onnx.Split-11": _Version(
        inputs=frozenset({"input"}), attributes=frozenset({"axis", "split"}), types=_ALL_BUT_BFLOAT16
    ),
    "onnx.Split-13": _Version(inputs=frozenset({"input", "split"}), attributes=frozenset({"axis"}), types=_ALL),
    "onnx.Split-18": _Version(
        inputs=frozenset({"input", "split"}), attributes=frozenset({"axis", "num_outputs"}), types=_ALL
    ),
}

Lengths = Callable[[int], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCall:
    """Arguments of `torch.split`.

    `lengths` is a list, or tells it from the length of the data along the axis; then `lowered` says that the adapter
    computed it.
    """

    data: Input
    axis: int
    lengths: list[int] | Lengths
    lowered: str = ""


def has_unknown_dims(data: Input) -> bool:
    """Whether a compiler is told that the shape of the data may change."""
    return data.dims is None or None in data.dims


def split_call(call: Call) -> SplitCall:
    """The call as arguments of `torch.split`.

    Raises:
        NotExpressible: `torch.split` has no place for an argument, or does not check it.
    """
    if call.operator == "openvino.VariadicSplit-1":
        return _openvino_variadic_split(call)
    if call.operator == "openvino.Split-1":
        return _openvino_split(call)
    if call.operator in _ONNX_SPLIT:
        return _onnx_split(call, _ONNX_SPLIT[call.operator])
    raise NotExpressible(f"the adapter has no mapping of {call.operator} to torch.split")


def _openvino_variadic_split(call: Call) -> SplitCall:
    data = _data(call, "data", inputs=frozenset({"data", "axis", "split_lengths"}), attributes=frozenset())
    axis = _axis_input(call, allowed_shapes=((), (1,)))
    given = _integers(call, "split_lengths")
    if given is None:
        raise _own_check("split_lengths is given")
    if -1 not in given:
        return SplitCall(data=data, axis=axis, lengths=given)
    if given.count(-1) > 1 or min(given) < -1:
        raise _own_check(f"split_lengths may not be {given}")

    def resolved(length: int) -> list[int]:
        rest = length - sum(given) - 1
        if rest < 0:
            raise _own_check(f"split_lengths may not be {given} for {length} elements")
        return [rest if item == -1 else item for item in given]

    return SplitCall(data=data, axis=axis, lengths=resolved, lowered="torch.split, -1 resolved by the adapter")


def _openvino_split(call: Call) -> SplitCall:
    data = _data(call, "data", inputs=frozenset({"data", "axis"}), attributes=frozenset({"num_splits"}))
    axis = _axis_input(call, allowed_shapes=((),))
    count = _whole_number(call.attributes.get("num_splits"), "num_splits")

    def equal(length: int) -> list[int]:
        if not 1 <= count <= length or length % count:
            raise _own_check(f"num_splits may not be {count} for {length} elements")
        return [length // count] * count

    return SplitCall(data=data, axis=axis, lengths=equal, lowered="torch.split, lengths computed by the adapter")


def _onnx_split(call: Call, version: _Version) -> SplitCall:
    data = _data(call, "input", inputs=version.inputs, attributes=version.attributes)
    if data.dtype not in version.types:
        raise _own_check(f"{call.operator} may not have the type {data.dtype}")
    axis = _whole_number(call.attributes.get("axis", 0), "axis")
    given = _onnx_lengths(call, data)
    if "num_outputs" in version.attributes and (given is None) != ("num_outputs" in call.attributes):
        raise _own_check("exactly one of split and num_outputs is given")
    if given is None:
        return _onnx_parts(call, data, axis)
    if len(given) != call.declared_outputs:
        raise _own_check(f"{len(given)} lengths may not meet {call.declared_outputs} declared outputs")
    is_converted = call.operator == "onnx.Split-1" and call.input("split") is not None
    return SplitCall(
        data=data,
        axis=axis,
        lengths=given,
        lowered="torch.split, lengths made whole numbers by the adapter" if is_converted else "",
    )


def _onnx_parts(call: Call, data: Input, axis: int) -> SplitCall:
    """Equal parts, as many as outputs; where the version has `num_outputs`, the last may be shorter."""
    count = call.declared_outputs
    may_be_uneven = "num_outputs" in call.attributes
    if may_be_uneven and _whole_number(call.attributes["num_outputs"], "num_outputs") != count:
        raise _own_check(f"num_outputs may not be {call.attributes['num_outputs']} with {count} declared outputs")
    if count < 1:
        raise _own_check(f"there may not be {count} outputs")

    def parts(length: int) -> list[int]:
        part = -(-length // count)
        last = length - part * (count - 1)
        if last < 0 or (last != part and not may_be_uneven):
            raise _own_check(f"{length} elements may not be split into {count} outputs")
        return [part] * (count - 1) + [last]

    return SplitCall(data=data, axis=axis, lengths=parts, lowered="torch.split, lengths computed by the adapter")


def _onnx_lengths(call: Call, data: Input) -> list[int] | None:
    attribute, given = call.attributes.get("split"), call.input("split")
    if given is None:
        if attribute is None:
            return None
        if not isinstance(attribute, list) or not all(type(item) is int for item in attribute):
            raise _own_check(f"split may not be {attribute!r}")
        return [_whole_number(item, "split") for item in attribute]
    if attribute is not None:
        raise NotExpressible(
            "torch.split takes one list of lengths, and split is given as an input and as an attribute"
        )
    if call.operator != "onnx.Split-1":
        if given.dtype != "int64":
            raise _own_check(f"split may not have the type {given.dtype}")
        return _integers(call, "split")
    return _whole_floats(given, data)


def _whole_floats(given: Input, data: Input) -> list[int]:
    if given.dtype != data.dtype or len(given.dims or ()) != 1:
        raise _own_check(f"split may not have the type {given.dtype} and the shape {given.dims}")
    values = [float(value) for value in _constant(given).array]
    if not all(value.is_integer() for value in values):
        raise _own_check(f"split may not be {values}")
    return [_whole_number(int(value), "split") for value in values]


def _data(call: Call, name: str, *, inputs: frozenset[str], attributes: frozenset[str]) -> Input:
    surplus = [item.name for item in call.inputs if item.name not in inputs]
    surplus += [item for item in call.attributes if item not in attributes]
    if surplus:
        raise _own_check(f"{call.operator} may not have the surplus {', '.join(surplus)}")
    data = call.input(name)
    if data is None:
        raise _own_check(f"{name} is given")
    return data


def _axis_input(call: Call, *, allowed_shapes: tuple[tuple[int, ...], ...]) -> int:
    given = call.input("axis")
    if given is None:
        raise _own_check("axis is given")
    if not _INTEGER.fullmatch(given.dtype) or _constant(given).array.shape not in allowed_shapes:
        raise _own_check(f"axis may not have the type {given.dtype} and the shape {given.dims}")
    return _whole_number(int(given.array.reshape(-1)[0]), "axis")


def _integers(call: Call, name: str) -> list[int] | None:
    given = call.input(name)
    if given is None:
        return None
    if not _INTEGER.fullmatch(given.dtype) or len(given.dims or ()) != 1:
        raise _own_check(f"{name} may not have the type {given.dtype} and the shape {given.dims}")
    return [_whole_number(int(value), name) for value in _constant(given).array]


def _constant(given: Input) -> Input:
    if given.constant is None:
        raise NotExpressible("torch.split takes the axis and the lengths as Python numbers, which are constants")
    return given


def _whole_number(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _own_check(f"{name} may not be {value!r}")
    if value not in _INT64:
        raise NotExpressible(f"{name} is {value}, and PyTorch takes whole numbers of 64 bits")
    return value


def _own_check(that: str) -> NotExpressible:
    return NotExpressible(f"the check that {that} would be the adapter's own")
