"""The opset that has an operator version: the one of its number, or a later one."""

from __future__ import annotations

_LATER = {"openvino.ScatterNDUpdate-3": "opset4"}


def opset_of(operator: str) -> str:
    """The name of the first opset with an operator version, such as `opset8` for `openvino.Gather-8`."""
    return _LATER.get(operator, f"opset{operator.rpartition('-')[2]}")
