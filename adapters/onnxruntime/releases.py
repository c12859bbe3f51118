"""What releases of ONNX Runtime lack in their Python interface, from 1.15 on.

Opsets and versions of the format that a release does not know are its own words: `TOO_NEW` in `names`.
"""

from __future__ import annotations

import onnxruntime

from conformance.adapter import NotExpressible

_CPU = "CPUExecutionProvider"
_TELLS_PROVIDERS = hasattr(onnxruntime.InferenceSession, "get_provider_graph_assignment_info")  # since 1.24
_HAS_RAW_VALUES = hasattr(onnxruntime.OrtValue, "ortvalue_from_numpy_with_onnx_type")  # since 1.20


def require_attribution(provider: str) -> None:
    """Refuse a provider other than the CPU's if the release does not tell which provider runs a node.

    Raises:
        ValueError: the answers of the CPU could pass for those of the provider.
    """
    if provider != _CPU and not _TELLS_PROVIDERS:
        raise ValueError(
            f"ONNX Runtime {onnxruntime.__version__} does not tell which provider runs a node, as 1.24 and later do; "
            f"this adapter runs it with {_CPU} alone"
        )


def providers_of(session: onnxruntime.InferenceSession) -> list[str]:
    """The providers that run the nodes of the final graph; they may differ from the requested one."""
    if not _TELLS_PROVIDERS:
        return [_CPU]
    return sorted({part.ep_name for part in session.get_provider_graph_assignment_info()})


def require_raw_values(dtype: str) -> None:
    """Refuse an input of a type that NumPy lacks if the release has no values of it.

    Raises:
        NotExpressible: the Python interface takes arrays of NumPy's types alone.
    """
    if not _HAS_RAW_VALUES:
        raise NotExpressible(f"ONNX Runtime's Python interface makes no values of {dtype} before 1.20")
