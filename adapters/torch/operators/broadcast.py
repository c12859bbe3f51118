"""Broadcast, as `torch.broadcast_to`."""

from __future__ import annotations

from conformance.adapter import Call, NotExpressible

from .arguments import python_value, refuse_surplus, refuse_truth_values
from .expand import kept, refuse_dims_that_stay
from .expression import Expression, FromShape, TensorAt


def broadcast(call: Call) -> Expression:
    """A call of `torch.broadcast_to`, whose shape the adapter computes where the mode is bidirectional.

    Raises:
        NotExpressible: `torch.broadcast_to` has no place for an argument, or accepts what the operator forbids.
    """
    refuse_surplus(call, "broadcast_to", inputs=("data", "target_shape"), attributes=("mode",))
    mode, data, shape = call.attributes.get("mode", "numpy"), call.input("data"), call.input("target_shape")
    if mode != "numpy" and (mode != "bidirectional" or call.operator == "openvino.Broadcast-1"):
        raise NotExpressible(f"torch.broadcast_to has no mode {mode}")
    if data is None or shape is None:
        raise NotExpressible("torch.broadcast_to has no call without a tensor or without a shape")
    if shape.constant is None:
        raise NotExpressible("torch.broadcast_to takes the shape as Python numbers, which are constants")
    if call.operator != "openvino.Broadcast-1" and data.dtype in ("bool", "string"):
        raise NotExpressible(f"torch.broadcast_to moves {data.dtype}, which is not numeric")
    refuse_truth_values(shape)
    lengths = python_value(shape)
    refuse_dims_that_stay(lengths)
    computed = FromShape(compute=kept(lengths)) if isinstance(lengths, list) and mode == "bidirectional" else None
    return Expression(
        operator="broadcast",
        function="broadcast_to",
        tensors=(data,),
        arguments=(TensorAt(position=0), lengths if computed is None else computed),
        lowered="" if computed is None else "torch.broadcast_to, shape computed by the adapter",
    )
