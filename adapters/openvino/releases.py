"""What differs between the Python packages of OpenVINO's releases, from 2023.0 on.

`ov` is the module with all names that this adapter uses; `NodeFactory` makes nodes of an opset.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import Any

import numpy as np

from conformance.adapter import Call, NotExpressible

from .layout import TYPE_NAMES, type_name
from .opset_names import opset_of

try:
    import openvino as ov
    from openvino.utils.node_factory import NodeFactory
except ImportError:  # before 2025.0
    import openvino.runtime as ov
    from openvino.runtime.utils.node_factory import NodeFactory

__all__ = ["TYPES", "VERSION", "NodeFactory", "copies_in_order", "ov", "require_known", "type_of"]

_OPSETS = frozenset(module.name for module in pkgutil.iter_modules(ov.__path__) if module.name.startswith("opset"))

VERSION = ov.get_version().partition("-")[0]

TYPES: dict[str, ov.Type] = {
    dtype: getattr(ov.Type, name) for dtype, name in TYPE_NAMES.items() if hasattr(ov.Type, name)
}
"""OpenVINO's element types by the suite's names."""


def type_of(dtype: str) -> ov.Type:
    """OpenVINO's element type for a type of the suite.

    Raises:
        NotExpressible: OpenVINO has none, or this release does not yet have it.
    """
    name = type_name(dtype)
    if dtype not in TYPES:
        raise NotExpressible(f"OpenVINO {VERSION} has no element type {name}, as later releases do")
    return TYPES[dtype]


@cache
def copies_in_order(dtype: np.dtype[Any]) -> bool:
    """Whether the binding copies a non-contiguous array in the order of its elements: 2023.0 does not for float16."""
    reversed_array = np.arange(4).astype(dtype)[::-1]
    return np.array_equal(ov.Tensor(reversed_array).data, reversed_array)


def require_known(call: Call) -> None:
    """Refuse a call of one of OpenVINO's own operators with an opset or a type that this release does not have.

    Raises:
        NotExpressible: a later release has the opset, or the type.
    """
    opset = opset_of(call.operator)
    if opset not in _OPSETS:
        raise NotExpressible(f"OpenVINO {VERSION} has no {opset}, as later releases do")
    for item in call.inputs:
        type_of(item.dtype)
