"""Transpose, as `torch.permute`."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.adapter import Call, Input, NotExpressible
from conformance.tensors.dtypes import DTYPES, Category

from .arguments import (
    ALL,
    ALL_BUT_BFLOAT16,
    ALL_OF_21,
    ALL_OF_23,
    ALL_OF_24,
    ALL_OF_25,
    attribute,
    counts_from_end,
    python_value,
    refuse_other_types,
    refuse_surplus,
)
from .expression import Expression, FromRank, TensorAt

_ONNX_TYPES: Mapping[str, frozenset[str]] = {
    "onnx.Transpose-1": ALL_BUT_BFLOAT16,
    "onnx.Transpose-13": ALL,
    "onnx.Transpose-21": ALL_OF_21,
    "onnx.Transpose-23": ALL_OF_23,
    "onnx.Transpose-24": ALL_OF_24,
    "onnx.Transpose-25": ALL_OF_25,
}


def transpose(call: Call) -> Expression:
    """A call of `torch.permute` with the order as a list of dims.

    Raises:
        NotExpressible: `torch.permute` has no place for an argument, or accepts what the operator forbids.
    """
    is_onnx = call.operator in _ONNX_TYPES
    data, order = _onnx_transpose(call) if is_onnx else _openvino_transpose(call)
    for axis in order if isinstance(order, list) else ():
        if counts_from_end(axis, data):
            raise NotExpressible("torch.permute takes a dim below 0 for one from the end, and the operator has none")
    is_left_out = order is None
    return Expression(
        operator="transpose",
        function="permute",
        tensors=(data,),
        arguments=(TensorAt(position=0), FromRank(compute=_reversed) if is_left_out else order),
        lowered="torch.permute, order computed by the adapter" if is_left_out else "",
    )


def _onnx_transpose(call: Call) -> tuple[Input, object | None]:
    refuse_surplus(call, "permute", inputs=("data",), attributes=("perm",))
    data = _data(call, "data")
    refuse_other_types(call, [data], _ONNX_TYPES[call.operator])
    return data, attribute(call, "perm")


def _openvino_transpose(call: Call) -> tuple[Input, object | None]:
    refuse_surplus(call, "permute", inputs=("arg", "input_order"), attributes=())
    data = _data(call, "arg")
    given = call.input("input_order")
    if given is None:
        raise NotExpressible("torch.permute has no call without an order")
    if given.constant is None:
        raise NotExpressible("torch.permute takes the order as Python numbers, which are constants")
    order = python_value(given)
    if order != []:
        return data, order
    if DTYPES[given.dtype].category not in (Category.SIGNED, Category.UNSIGNED):
        raise NotExpressible(f"torch.permute takes Python's lists, and an empty one has no type {given.dtype}")
    return data, None


def _data(call: Call, name: str) -> Input:
    data = call.input(name)
    if data is None:
        raise NotExpressible("torch.permute has no call without a tensor")
    return data


def _reversed(rank: int) -> list[int]:
    return list(range(rank - 1, -1, -1))
