"""The operators that PyTorch can run, one module for each family: its builder turns a call into an `Expression`.

Values go to PyTorch as given, so that PyTorch itself rejects them. A call is not expressible if its arguments have no
place in PyTorch's function, or if that accepts what the operator forbids: the adapter would answer, and not PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.adapter import Call, Input, NotExpressible

from .broadcast import broadcast
from .concat import concat
from .expand import expand
from .expression import Expression
from .gather import gather
from .names import NUMPY_TYPES, VIEWED_TYPES
from .reshape import reshape
from .slice import slice_
from .split import split
from .split_functions import Function
from .squeeze import squeeze, unsqueeze
from .strided_slice import strided_slice
from .transpose import transpose

Builder = Callable[[Call, Function], Expression]

_SPLIT = ("onnx.Split", "openvino.Split", "openvino.VariadicSplit")
_BUILDERS: Mapping[str, Builder] = {
    **dict.fromkeys(_SPLIT, split),
    **dict.fromkeys(["onnx.Concat", "openvino.Concat"], lambda call, _: concat(call)),
    **dict.fromkeys(["onnx.Gather", "openvino.Gather"], lambda call, _: gather(call)),
    "onnx.Expand": lambda call, _: expand(call),
    "openvino.Broadcast": lambda call, _: broadcast(call),
    **dict.fromkeys(["onnx.Reshape", "openvino.Reshape"], lambda call, _: reshape(call)),
    **dict.fromkeys(["onnx.Slice", "openvino.Slice"], lambda call, _: slice_(call)),
    **dict.fromkeys(["onnx.Squeeze", "openvino.Squeeze"], lambda call, _: squeeze(call)),
    "openvino.StridedSlice": lambda call, _: strided_slice(call),
    **dict.fromkeys(["onnx.Transpose", "openvino.Transpose"], lambda call, _: transpose(call)),
    **dict.fromkeys(["onnx.Unsqueeze", "openvino.Unsqueeze"], lambda call, _: unsqueeze(call)),
}


def operators_of(function: Function) -> tuple[str, ...]:
    """The patterns of the operators that an adapter with this function runs: if it cuts equal parts, nothing else."""
    return tuple(f"{name}-*" for name in (_BUILDERS if function is Function.SPLIT else _SPLIT))


def expression_of(call: Call, function: Function) -> Expression:
    """The call as a call of PyTorch; `function` is the one that splits.

    Raises:
        NotExpressible: PyTorch has no place for an argument, lacks its type, or accepts what the operator forbids.
    """
    name = call.operator.rpartition("-")[0]
    if name not in _BUILDERS:
        raise NotExpressible(f"the adapter has no mapping of {call.operator} to PyTorch")
    expression = _BUILDERS[name](call, function)
    for item in expression.tensors:
        require_type(item)
    return expression


def require_type(item: Input) -> None:
    """Raise `NotExpressible` for a type that PyTorch lacks."""
    if item.dtype not in NUMPY_TYPES and item.dtype not in VIEWED_TYPES:
        raise NotExpressible(f"PyTorch has no tensors of {item.dtype}")
