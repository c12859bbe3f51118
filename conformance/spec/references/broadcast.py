"""Broadcast."""

from __future__ import annotations

from functools import partial

from conformance.spec.broken_clause import Arguments, BrokenClauseError, input_list, refuse_surplus, tensor_named
from conformance.spec.references.signature import Reference, numbers_of, repeated_shape
from conformance.tensors.tensor import Tensor, gathered

_MODES = {1: ("numpy", "explicit"), 3: ("numpy", "explicit", "bidirectional")}


def _openvino_broadcast(arguments: Arguments, _: int, *, version: int) -> tuple[Tensor, ...]:
    import numpy as np

    refuse_surplus(arguments, {"data", "target_shape", "axes_mapping", "mode"})
    data, target = tensor_named(arguments, "data", "data.required"), _integers(arguments, "target_shape")
    if version > 1 and data.dtype in ("bool", "string"):
        raise BrokenClauseError("types.T", f"{data.dtype} is not numeric")
    mode, own, wanted = arguments.get("mode", "numpy"), data.shape, tuple(target)
    if mode not in _MODES[version]:
        raise BrokenClauseError("mode.range", f"the mode is {mode!r}")
    if mode == "explicit":
        own = _placed(own, _integers(arguments, "axes_mapping"), len(target))
    elif "axes_mapping" in arguments:
        raise BrokenClauseError("axes_mapping.other_modes", f"there are axes in the mode {mode}")
    shape = repeated_shape(own, wanted, f"{mode}.dims")
    if shape != wanted and mode != "bidirectional":
        raise BrokenClauseError(f"{mode}.dims", f"{own} cannot be repeated to {wanted}")
    return (gathered((data,), np.broadcast_to(numbers_of(data).reshape(own), shape)),)


def _integers(arguments: Arguments, name: str) -> list[int]:
    return input_list(tensor_named(arguments, name, f"{name}.required"), name, "types.T_SHAPE", f"{name}.rank")


def _placed(shape: tuple[int, ...], axes: list[int], rank: int) -> tuple[int, ...]:
    """The shape with each dim at its axis, and 1 elsewhere."""
    if len(axes) != len(shape):
        raise BrokenClauseError("axes_mapping.number", f"{len(axes)} axes for {len(shape)} dims")
    if not all(0 <= axis < rank for axis in axes):
        raise BrokenClauseError("axes_mapping.range", f"the axes are {axes}, of {rank}")
    if axes != sorted(set(axes)):
        raise BrokenClauseError("axes_mapping.sorted", f"the axes are {axes}")
    dims = dict(zip(axes, shape, strict=True))
    return tuple(dims.get(axis, 1) for axis in range(rank))


REFERENCES: dict[str, Reference] = {
    f"openvino.Broadcast-{version}": partial(_openvino_broadcast, version=version) for version in (1, 3)
}
