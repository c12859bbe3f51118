"""Expand, as `torch.broadcast_to`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.adapter import Call, NotExpressible

from .arguments import (
    ALL,
    ALL_BUT_BFLOAT16,
    python_value,
    refuse_other_integers,
    refuse_other_types,
    refuse_surplus,
    refuse_truth_values,
)
from .expression import Expression, FromShape, TensorAt

_TYPES = {"onnx.Expand-8": ALL_BUT_BFLOAT16, "onnx.Expand-13": ALL}


def expand(call: Call) -> Expression:
    """A call of `torch.broadcast_to`, whose shape the adapter computes where the operator keeps a dim."""
    refuse_surplus(call, "broadcast_to", inputs=("input", "shape"), attributes=())
    data, shape = call.input("input"), call.input("shape")
    if data is None or shape is None:
        raise NotExpressible("torch.broadcast_to has no call without a tensor or without a shape")
    if shape.constant is None:
        raise NotExpressible("torch.broadcast_to takes the shape as Python numbers, which are constants")
    refuse_other_types(call, [data], _TYPES[call.operator])
    refuse_other_integers(call, "broadcast_to", shape)
    refuse_truth_values(shape)
    lengths = python_value(shape)
    refuse_dims_that_stay(lengths)
    return Expression(
        operator="expand",
        function="broadcast_to",
        tensors=(data,),
        arguments=(TensorAt(position=0), FromShape(compute=kept(lengths)) if isinstance(lengths, list) else lengths),
    )


def kept(lengths: Sequence[object]) -> Callable[[Sequence[int]], object]:
    """The lengths for a shape, with its own where they are 1 or missing."""

    def compute(shape: Sequence[int]) -> object:
        longer = [*[1] * (len(shape) - len(lengths)), *lengths]
        own = [*[1] * (len(longer) - len(shape)), *shape]
        are_one = [isinstance(length, int) and length == 1 for length in longer]
        return [mine if is_one else length for mine, length, is_one in zip(own, longer, are_one, strict=True)]

    return compute


def refuse_dims_that_stay(lengths: object) -> None:
    """Raise `NotExpressible` for a -1, with which PyTorch keeps a dim."""
    if isinstance(lengths, list) and -1 in lengths:
        raise NotExpressible("torch.broadcast_to takes -1 for a dim that stays, and the operator has none")
