"""Reshape, as `torch.reshape`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from conformance.adapter import Call, Input, NotExpressible

from .arguments import (
    ALL,
    ALL_BUT_BFLOAT16,
    ALL_OF_21,
    ALL_OF_23,
    ALL_OF_24,
    ALL_OF_25,
    FLOAT8,
    FLOATS,
    attribute,
    python_value,
    refuse_other_integers,
    refuse_other_types,
    refuse_surplus,
)
from .expression import Expression, FromShape, TensorAt

_ONNX_TYPES: Mapping[str, frozenset[str]] = {
    "onnx.Reshape-1": FLOATS,
    "onnx.Reshape-5": ALL_BUT_BFLOAT16,
    "onnx.Reshape-13": ALL,
    "onnx.Reshape-14": ALL,
    "onnx.Reshape-19": ALL | FLOAT8,
    "onnx.Reshape-21": ALL_OF_21,
    "onnx.Reshape-23": ALL_OF_23,
    "onnx.Reshape-24": ALL_OF_24,
    "onnx.Reshape-25": ALL_OF_25,
}
_WITHOUT_ALLOWZERO = ("onnx.Reshape-1", "onnx.Reshape-5", "onnx.Reshape-13")


def reshape(call: Call) -> Expression:
    """A call of `torch.reshape` with the shape as a list of lengths, in which the adapter replaces a 0 that is copied.

    Raises:
        NotExpressible: `torch.reshape` has no place for an argument, or accepts what the operator forbids.
    """
    refuse_surplus(call, "reshape", inputs=_inputs(call), attributes=_attributes(call))
    data = call.input("data")
    if data is None:
        raise NotExpressible("torch.reshape has no call without a tensor")
    if call.operator in _ONNX_TYPES:
        refuse_other_types(call, [data], _ONNX_TYPES[call.operator])
    shape = attribute(call, "shape") if call.operator == "onnx.Reshape-1" else _shape_input(call)
    if shape is None:
        raise NotExpressible("torch.reshape has no call without a shape")
    if _copies_zero(call) and isinstance(shape, list) and 0 in shape:
        return _with_copied_dims(data, shape)
    return Expression(operator="reshape", function="reshape", tensors=(data,), arguments=(TensorAt(position=0), shape))


def _with_copied_dims(data: Input, lengths: Sequence[object]) -> Expression:
    copied = [dim for dim, length in enumerate(lengths) if length == 0]
    return Expression(
        operator="reshape",
        function="reshape",
        tensors=(data,),
        arguments=(TensorAt(position=0), FromShape(compute=_with_copies(lengths, copied))),
        require=_require_dims(copied),
        lowered="torch.reshape, lengths of 0 copied by the adapter",
    )


def _inputs(call: Call) -> tuple[str, ...]:
    return ("data",) if call.operator == "onnx.Reshape-1" else ("data", "shape")


def _attributes(call: Call) -> tuple[str, ...]:
    if call.dialect != "onnx":
        return ("special_zero",)
    if call.operator == "onnx.Reshape-1":
        return ("shape", "consumed_inputs")
    return () if call.operator in _WITHOUT_ALLOWZERO else ("allowzero",)


def _shape_input(call: Call) -> object:
    given = call.input("shape")
    if given is None:
        return None
    if given.constant is None:
        raise NotExpressible("torch.reshape takes the shape as Python numbers, which are constants")
    refuse_other_integers(call, "reshape", given)
    return python_value(given)


def _copies_zero(call: Call) -> bool:
    """Whether a 0 copies a length of the data; torch.reshape takes it for a length."""
    if call.dialect == "onnx":
        allowzero = attribute(call, "allowzero")
        if allowzero is not None and (type(allowzero) is not int or allowzero not in (0, 1)):
            raise NotExpressible(f"torch.reshape has no allowzero that could be {allowzero!r}")
        return not allowzero
    special_zero = attribute(call, "special_zero")
    if not isinstance(special_zero, bool):
        raise NotExpressible("torch.reshape has no special_zero that could be left out or no truth value")
    return special_zero


def _with_copies(lengths: Sequence[object], copied: Sequence[int]) -> Callable[[Sequence[int]], list[object]]:
    def compute(shape: Sequence[int]) -> list[object]:
        return [shape[dim] if dim in copied else length for dim, length in enumerate(lengths)]

    return compute


def _require_dims(copied: Sequence[int]) -> Callable[[Sequence[tuple[int, ...]]], None]:
    def require(shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises `NotExpressible` for a dim that the data does not have: the adapter would reject it."""
        if max(copied) >= len(shapes[0]):
            raise NotExpressible("torch.reshape has no 0 that stands for a dim of the data")

    return require
