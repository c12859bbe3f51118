"""Translates a call of a splitting operator for PyTorch: a tensor, an axis, and lengths or a function to compute them.

Values go to PyTorch as given, so that PyTorch itself rejects them. A call is not expressible if its arguments have no
place in PyTorch's functions, or if these accept what the operator forbids: the adapter would answer, and not PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from conformance.adapter import Call, Input, NotExpressible
from conformance.tensors.dtypes import DTYPES, Category

from .arguments import ALL, ALL_BUT_BFLOAT16, FLOATS, python_value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    inputs: frozenset[str]
    attributes: frozenset[str]
    types: frozenset[str]


_ONNX_SPLIT = {
    "onnx.Split-1": _Version(
        inputs=frozenset({"input", "split"}), attributes=frozenset({"axis", "split"}), types=FLOATS
    ),
    "onnx.Split-2": _Version(
        inputs=frozenset({"input"}), attributes=frozenset({"axis", "split"}), types=ALL_BUT_BFLOAT16
    ),
    "onnx.Split-11": _Version(
        inputs=frozenset({"input"}), attributes=frozenset({"axis", "split"}), types=ALL_BUT_BFLOAT16
    ),
    "onnx.Split-13": _Version(inputs=frozenset({"input", "split"}), attributes=frozenset({"axis"}), types=ALL),
    "onnx.Split-18": _Version(
        inputs=frozenset({"input", "split"}), attributes=frozenset({"axis", "num_outputs"}), types=ALL
    ),
}

Lengths = Callable[[int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCall:
    """Arguments of PyTorch's functions as Python values: whole numbers, unless the call has something else.

    `lengths` is the argument of `torch.split`, or a function that computes it from the length of the data along the
    axis; then `lowered` says that the adapter computed it. `parts` is the number of equal parts, if the call asks for
    equal parts, else None.
    """

    data: Input
    axis: object
    lengths: object | Lengths
    lowered: str = ""
    parts: object = None


def split_call(call: Call) -> SplitCall:
    """The call as arguments of `torch.split`.

    Raises:
        NotExpressible: `torch.split` has no place for an argument, or accepts what the operator forbids.
    """
    lists = {name: list(value) for name, value in call.attributes.items() if isinstance(value, tuple)}
    call = replace(call, attributes={**call.attributes, **lists})
    if call.operator == "openvino.VariadicSplit-1":
        return _openvino_variadic_split(call)
    if call.operator == "openvino.Split-1":
        return _openvino_split(call)
    if call.operator in _ONNX_SPLIT:
        return _onnx_split(call, _ONNX_SPLIT[call.operator])
    raise NotExpressible(f"the adapter has no mapping of {call.operator} to torch.split")


def _openvino_variadic_split(call: Call) -> SplitCall:
    data = _data(call, "data", inputs=frozenset({"data", "axis", "split_lengths"}), attributes=frozenset())
    axis = _axis_input(call)
    if isinstance(axis, list) and len(axis) == 1:
        axis = axis[0]  # the operator takes a list of one number, too
    item = call.input("split_lengths")
    if item is None:
        raise NotExpressible("torch.split has no call without lengths")
    given = _lengths(item)
    if not isinstance(given, list) or given.count(-1) != 1:
        return SplitCall(data=data, axis=axis, lengths=given)
    others = [length for length in given if length != -1]
    if not all(type(length) is int and length >= 0 for length in others):
        return SplitCall(data=data, axis=axis, lengths=given)

    def resolved(length: int) -> list[int]:
        rest = length - sum(others)
        return given if rest < 0 else [rest if item == -1 else item for item in given]

    return SplitCall(data=data, axis=axis, lengths=resolved, lowered="torch.split, -1 resolved by the adapter")


def _openvino_split(call: Call) -> SplitCall:
    data = _data(call, "data", inputs=frozenset({"data", "axis"}), attributes=frozenset({"num_splits"}))
    axis = _axis_input(call)
    count = call.attributes.get("num_splits")
    if count is None:
        raise NotExpressible("PyTorch has no function without lengths and a number of parts")

    def equal(length: int) -> list[int]:
        if type(count) is not int or not 1 <= count <= length or length % count:
            raise NotExpressible(f"no list of lengths says {count!r} equal parts of {length} elements")
        return [length // count] * count

    return SplitCall(data=data, axis=axis, lengths=equal, lowered=_COMPUTED, parts=count)


_COMPUTED = "torch.split, lengths computed by the adapter"


def _onnx_split(call: Call, version: _Version) -> SplitCall:
    data = _data(call, "input", inputs=version.inputs, attributes=version.attributes)
    if data.dtype not in version.types:
        raise NotExpressible(f"PyTorch has no list of types for {call.operator}, which has no {data.dtype} in its own")
    axis = call.attributes.get("axis", 0)
    given = _onnx_lengths(call, data)
    if given is None:
        return _onnx_parts(call, data, axis)
    if "num_outputs" in call.attributes:
        raise NotExpressible("torch.split has no place for num_outputs beside lengths")
    if isinstance(given, list) and len(given) != call.declared_outputs:
        raise NotExpressible("PyTorch has no nodes that declare a number of outputs")
    is_converted = call.operator == "onnx.Split-1" and call.input("split") is not None
    return SplitCall(
        data=data,
        axis=axis,
        lengths=given,
        lowered="torch.split, lengths made whole numbers by the adapter" if is_converted else "",
    )


def _onnx_parts(call: Call, data: Input, axis: object) -> SplitCall:
    """Equal parts, one for each output; if the version has `num_outputs`, the last may be shorter."""
    may_be_uneven = "num_outputs" in _ONNX_SPLIT[call.operator].attributes
    count = call.attributes.get("num_outputs") if may_be_uneven else call.declared_outputs
    if count is None:
        raise NotExpressible("PyTorch has no function without lengths and a number of parts")
    if type(count) is int and count >= 1 and count != call.declared_outputs:
        raise NotExpressible("PyTorch has no nodes that declare a number of outputs")

    def parts(length: int) -> list[int]:
        if type(count) is int and count >= 1:
            part = -(-length // count)
            last = length - part * (count - 1)
            if last >= 0 and (last == part or may_be_uneven):
                return [part] * (count - 1) + [last]
        raise NotExpressible(f"no list of lengths says {count!r} equal parts of {length} elements")

    return SplitCall(data=data, axis=axis, lengths=parts, lowered=_COMPUTED, parts=count)


def _onnx_lengths(call: Call, data: Input) -> object | None:
    attribute, given = call.attributes.get("split"), call.input("split")
    if given is None:
        return _list_or_refused(attribute)
    if attribute is not None:
        raise NotExpressible(
            "torch.split has one place for lengths, and split is given as an input and as an attribute"
        )
    wanted = data.dtype if call.operator == "onnx.Split-1" else "int64"
    has_numbers = (
        DTYPES[given.dtype].category in (Category.SIGNED, Category.UNSIGNED) or call.operator == "onnx.Split-1"
    )
    if given.dtype != wanted and has_numbers:
        raise NotExpressible(f"torch.split takes Python's numbers, which have no type {given.dtype} beside {wanted}")
    lengths = _lengths(given)
    if call.operator == "onnx.Split-1" and isinstance(lengths, list):
        return [int(item) if isinstance(item, float) and item.is_integer() else item for item in lengths]
    return lengths


def _data(call: Call, name: str, *, inputs: frozenset[str], attributes: frozenset[str]) -> Input:
    surplus = [item.name for item in call.inputs if item.name not in inputs]
    surplus += [item for item in call.attributes if item not in attributes]
    if surplus:
        raise NotExpressible(f"torch.split has no place for {', '.join(surplus)}")
    data = call.input(name)
    if data is None:
        raise NotExpressible("torch.split has no call without a tensor")
    return data


def _axis_input(call: Call) -> object:
    given = call.input("axis")
    if given is None:
        raise NotExpressible("torch.split takes an axis that is left out for 0")
    return _as_python(given)


def _lengths(given: Input) -> object:
    if DTYPES[given.dtype].category not in (Category.SIGNED, Category.UNSIGNED) and 0 in (given.dims or ()):
        raise NotExpressible(f"torch.split takes Python's lists, and an empty one has no type {given.dtype}")
    return _list_or_refused(_as_python(given))


def _list_or_refused(lengths: object) -> object:
    """The lengths; PyTorch itself rejects them unless they are a list of whole numbers.

    Raises:
        NotExpressible: they are one number, which PyTorch takes for the length of each part.
    """
    if type(lengths) is int:
        raise NotExpressible("torch.split takes one number for the length of each part")
    return lengths


def _as_python(given: Input) -> object:
    """The value of a constant as Python numbers and texts, in nested lists, one level per dim."""
    if given.constant is None:
        raise NotExpressible("torch.split takes the axis and the lengths as Python numbers, which are constants")
    return python_value(given)
