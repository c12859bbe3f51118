"""What differs between the Python packages of OpenVINO's releases, from 2023.0 on.

`ov` is the module with all names that this adapter uses; `NodeFactory` makes nodes of an opset.
"""

from __future__ import annotations

from conformance.adapter import Call, NotExpressible

from .layout import TYPE_NAMES, type_name

try:
    import openvino as ov
    from openvino.utils.node_factory import NodeFactory
except ImportError:  # before 2025.0
    import openvino.runtime as ov
    from openvino.runtime.utils.node_factory import NodeFactory

__all__ = ["TYPES", "VERSION", "NodeFactory", "ov", "require_types", "type_of"]

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


def require_types(call: Call) -> None:
    """Refuse a call with an input of a type that this release does not have.

    Raises:
        NotExpressible: see `type_of`.
    """
    for item in call.inputs:
        type_of(item.dtype)
