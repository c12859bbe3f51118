"""Squeeze and Unsqueeze, as `torch.squeeze` and `torch.unsqueeze`, which inserts one dim."""

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
    attribute,
    python_value,
    refuse_other_integers,
    refuse_other_types,
    refuse_surplus,
)
from .expression import Expression, TensorAt

_ONNX_TYPES: Mapping[str, frozenset[str]] = {
    "1": ALL_BUT_BFLOAT16,
    "11": ALL_BUT_BFLOAT16,
    "13": ALL,
    "21": ALL_OF_21,
    "23": ALL_OF_23,
    "24": ALL_OF_24,
    "25": ALL_OF_25,
}
_SCALAR_MAY_BE_A_LIST = ("onnx.Squeeze-13", "onnx.Squeeze-21", "onnx.Unsqueeze-13", "onnx.Unsqueeze-21")


def squeeze(call: Call) -> Expression:
    """A call of `torch.squeeze` with a list of dims, with one, or with none if they are left out.

    Raises:
        NotExpressible: `torch.squeeze` has no place for an argument, or accepts what the operator forbids.
    """
    data, axes = _arguments(call, "squeeze")
    if call.dialect == "openvino" and axes == []:
        raise NotExpressible("torch.squeeze removes nothing for an empty list, and the operator all dims of one")
    return Expression(
        operator="squeeze",
        function="squeeze",
        tensors=(data,),
        arguments=(TensorAt(position=0),) if axes is None else (TensorAt(position=0), axes),
        require=_require(axes, keeps_others=call.dialect == "openvino"),
    )


def unsqueeze(call: Call) -> Expression:
    """A call of `torch.unsqueeze` with one dim.

    Raises:
        NotExpressible: `torch.unsqueeze` has no place for an argument, or accepts what the operator forbids.
    """
    data, axes = _arguments(call, "unsqueeze")
    if axes is None or (isinstance(axes, list) and len(axes) != 1):
        raise NotExpressible("torch.unsqueeze inserts one dim, neither several nor none")
    return Expression(
        operator="unsqueeze",
        function="unsqueeze",
        tensors=(data,),
        arguments=(TensorAt(position=0), axes[0] if isinstance(axes, list) else axes),
    )


def _arguments(call: Call, function: str) -> tuple[Input, object | None]:
    """The data and the axes, which may be left out."""
    is_attribute = call.dialect == "onnx" and _version(call) in ("1", "11")
    inputs = ("data",) if is_attribute else ("data", "axes")
    refuse_surplus(call, function, inputs=inputs, attributes=_attributes(call, is_attribute=is_attribute))
    if not isinstance(attribute(call, "allow_axis_skip"), bool | None):
        raise NotExpressible(f"torch.{function} has no place for allow_axis_skip, true or false")
    data = call.input("data")
    if data is None:
        raise NotExpressible(f"torch.{function} has no call without a tensor")
    if call.dialect == "onnx":
        refuse_other_types(call, [data], _ONNX_TYPES[_version(call)])
    axes = attribute(call, "axes") if is_attribute else _axes_input(call, function)
    if type(axes) is int and call.dialect == "onnx" and call.operator not in _SCALAR_MAY_BE_A_LIST:
        raise NotExpressible(f"torch.{function} takes one dim for a list of one, and the operator wants a list")
    if call.operator in ("onnx.Squeeze-1", "onnx.Unsqueeze-1") and any(
        type(axis) is int and axis < 0 for axis in (axes if isinstance(axes, list) else [])
    ):
        raise NotExpressible(f"torch.{function} takes a dim below 0 for one from the end, and the operator has none")
    return data, axes


def _version(call: Call) -> str:
    return call.operator.rpartition("-")[2]


def _attributes(call: Call, *, is_attribute: bool) -> tuple[str, ...]:
    if call.operator == "openvino.Squeeze-15":
        return ("allow_axis_skip",)
    return ("axes",) if is_attribute else ()


def _axes_input(call: Call, function: str) -> object | None:
    given = call.input("axes")
    if given is None:
        return None
    if given.constant is None:
        raise NotExpressible(f"torch.{function} takes dims as Python numbers, which are constants")
    refuse_other_integers(call, function, given)
    return python_value(given)


def _require(axes: object | None, *, keeps_others: bool) -> Callable[[Sequence[tuple[int, ...]]], None]:
    given = axes if isinstance(axes, list) else [axes]

    def require(shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises `NotExpressible` for axes that PyTorch accepts and the operator forbids."""
        shape = shapes[0]
        for axis in given:
            if type(axis) is not int:
                continue
            if not shape and axis in (0, -1):
                raise NotExpressible("torch.squeeze takes a scalar for a vector of one element")
            if not keeps_others and -len(shape) <= axis < len(shape) and shape[axis] != 1:
                raise NotExpressible("torch.squeeze keeps a dim of another length than 1, and the operator refuses it")

    return require
