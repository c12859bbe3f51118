"""Concat, as `torch.cat`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.adapter import Call, NotExpressible

from .arguments import ALL, ALL_BUT_BFLOAT16, FLOATS, attribute, counts_from_end, refuse_other_types, refuse_surplus
from .expression import AllTensors, Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    types: frozenset[str]
    has_default_axis: bool = False
    allows_negative: bool = True


_ONNX_CONCAT: Mapping[str, _Version] = {
    "onnx.Concat-1": _Version(types=FLOATS, has_default_axis=True, allows_negative=False),
    "onnx.Concat-4": _Version(types=ALL_BUT_BFLOAT16, allows_negative=False),
    "onnx.Concat-11": _Version(types=ALL_BUT_BFLOAT16),
    "onnx.Concat-13": _Version(types=ALL),
}


def concat(call: Call) -> Expression:
    """A call of `torch.cat` with all tensors.

    Raises:
        NotExpressible: `torch.cat` has no place for an argument, or accepts what the operator forbids.
    """
    version = _ONNX_CONCAT.get(call.operator)
    tensors = tuple(item for item in call.inputs if item.name.startswith("inputs_"))
    refuse_surplus(call, "cat", inputs=[item.name for item in tensors], attributes=("axis",))
    if version is not None:
        refuse_other_types(call, tensors, version.types)
    if len({item.dtype for item in tensors}) > 1:
        raise NotExpressible("torch.cat makes tensors of several types one of them")
    axis = attribute(call, "axis")
    if axis is None:
        if version is None or not version.has_default_axis:
            raise NotExpressible("torch.cat takes an axis that is left out for 0")
        axis = 1
    if version is not None and not version.allows_negative and tensors and counts_from_end(axis, tensors[0]):
        raise NotExpressible(f"torch.cat takes an axis below 0 for one from the end, and {call.operator} has none")
    return Expression(
        operator="concat",
        function="cat",
        tensors=tensors,
        arguments=(AllTensors(), axis),
        require=_require_along(axis),
    )


def _require_along(axis: object) -> Callable[[Sequence[tuple[int, ...]]], None]:
    def require(shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises `NotExpressible` where `torch.cat` leaves out vectors without elements, whatever the rank and axis."""
        others = [shape for shape in shapes if shape != (0,)]
        fits = all(len(shape) == 1 for shape in others) if others else axis in (0, -1)
        if len(others) < len(shapes) and not fits:
            raise NotExpressible("torch.cat leaves out vectors without elements, and so does not check them")

    return require
