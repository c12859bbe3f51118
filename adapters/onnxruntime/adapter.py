"""ONNX Runtime: every call arrives as an ONNX model and becomes a session.

The target's options set the optimization level of the graph and the number of threads. The session reports which
execution provider runs the node.
"""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # since 1.29 it is on by default, in a thread that no fork survives
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from conformance.adapter import (
    ALL_FORMS,
    Call,
    Description,
    KnownShape,
    NotExpressible,
    Prepared,
    Rejected,
    Tensor,
    Unsupported,
    model_source,
)
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import packed, unpacked

from .names import LEVELS, MISSING, RAW_TYPES, REJECTIONS, TOO_NEW
from .releases import providers_of, require_attribution, require_raw_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FATAL_ONLY = 4
_RAW_NAMES = {ort_name: name for name, (_, ort_name) in RAW_TYPES.items()}
_REJECTIONS = tuple(getattr(errors, name) for name in REJECTIONS)


class Adapter:
    """Sessions on one execution provider."""

    is_forkable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """Check that the provider exists: ONNX Runtime itself would silently take another.

        Raises:
            ValueError: this build of ONNX Runtime has no such provider, or does not tell which provider runs a node.
        """
        self._provider = options["provider"]
        available = onnxruntime.get_available_providers()
        if self._provider not in available:
            raise ValueError(f"this ONNX Runtime has no provider {self._provider!r}; it has {', '.join(available)}")
        require_attribution(self._provider)
        onnxruntime.set_default_logger_severity(_FATAL_ONLY)
        self._session_options = onnxruntime.SessionOptions()
        self._session_options.graph_optimization_level = getattr(
            onnxruntime.GraphOptimizationLevel, LEVELS[options["optimization"]]
        )
        self._threads = int(options["threads"])
        self._session_options.intra_op_num_threads = self._threads
        self._session_options.inter_op_num_threads = 1
        self._session_options.log_severity_level = _FATAL_ONLY
        self._session_options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")

    def describe(self) -> Description:
        """Version and build of ONNX Runtime."""
        return Description(
            framework="ONNX Runtime",
            version=onnxruntime.__version__,
            devices=(onnxruntime.get_device(),),
            forms=[form for form in ALL_FORMS if form != "runtime-axis"],  # in ONNX, the axis is an attribute
            operators=("onnx.*", "openvino.Split-1", "openvino.VariadicSplit-1"),  # those of OpenVINO arrive lowered
            onnx_models=("onnx", "openvino"),
            controls=("after-relu", "before-concat", "constant-folded", "external-data"),
            details={
                "build": onnxruntime.get_build_info(),
                "intra-op threads": str(self._threads),
                "instruction set": "not known: ONNX Runtime does not tell which kernels it has chosen",
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Build a session of the call's model."""
        if call.model is None:
            raise NotExpressible("ONNX Runtime takes ONNX models, and this call has none")
        with model_source(call) as source:
            session = self._session(source)
        ran_on = providers_of(session)
        if set(ran_on) - {self._provider}:
            raise Unsupported(f"{self._provider} leaves the operator to {', '.join(ran_on)}")
        run = _RunWithRawTypes(session) if _has_raw_types(session) else _Run(session)
        # No node is left of a graph that constant folding has computed.
        return Prepared(
            run=run,
            ran_on=", ".join(ran_on) or "constant folding",
            bind=partial(_Bound, session),
            inferred=[_inferred(output.shape) for output in session.get_outputs()],
        )

    def _session(self, source: bytes | Path) -> onnxruntime.InferenceSession:
        try:
            return onnxruntime.InferenceSession(
                source, self._session_options, providers=[self._provider], enable_fallback=0
            )
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REJECTIONS as error:
            raise _refusal(error) from error


class _Bound:
    """A run with an IO binding: outputs do not become arrays, and each run writes to the memory of the first one."""

    def __init__(self, session: onnxruntime.InferenceSession, inputs: Mapping[str, NDArray[Any]]) -> None:
        self._session = session
        self._binding = session.io_binding()
        # The binding points to the memory of its inputs and does not keep it alive.
        self._fed = {name: _ort_value(array) for name, array in inputs.items()}
        for name, value in self._fed.items():
            self._binding.bind_ortvalue_input(name, value)
        for output in session.get_outputs():
            self._binding.bind_output(output.name)

    def __call__(self) -> None:
        self._session.run_with_iobinding(self._binding)


class _Run:
    """A run that takes and returns arrays."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        try:
            return list(self._session.run(None, inputs))
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REJECTIONS as error:
            raise _refusal(error) from error


class _RunWithRawTypes:
    """A run that takes and returns OrtValues, for element types that NumPy lacks."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._names = [output.name for output in session.get_outputs()]

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any] | Tensor]:
        feeds = {name: _ort_value(array) for name, array in inputs.items()}
        try:
            outputs = self._session.run_with_ort_values(self._names, feeds)
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REJECTIONS as error:
            raise _refusal(error) from error
        return [_output(value) for value in outputs]


def _has_raw_types(session: onnxruntime.InferenceSession) -> bool:
    return any(port.type in _RAW_NAMES for port in (*session.get_inputs(), *session.get_outputs()))


def _refusal(error: Exception) -> Rejected | Unsupported | NotExpressible:
    message = str(error)
    if any(words in message for words in TOO_NEW):
        return NotExpressible(f"this release does not know this version of ONNX: {message}")
    return Unsupported(message) if any(words in message for words in MISSING) else Rejected(message)


def _ran_on(session: onnxruntime.InferenceSession) -> list[str]:
    """The providers that run the nodes of the final graph; they may differ from the requested one."""
    return sorted({part.ep_name for part in session.get_provider_graph_assignment_info()})


def _inferred(shape: Sequence[int | str | None]) -> KnownShape:
    """A shape as a session reports it: unknown dims are names or None.

    An empty shape means an unknown rank, since no part of a tensor is a scalar.
    """
    return tuple(dim if isinstance(dim, int) else None for dim in shape) or None


def _ort_value(array: NDArray[Any]) -> onnxruntime.OrtValue:
    name = array.dtype.name
    if name not in RAW_TYPES:
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    require_raw_values(name)
    number, _ = RAW_TYPES[name]
    if DTYPES[name].bits < 8:
        value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), number)
        raw = packed(array, DTYPES[name].bits).tobytes()
        ctypes.memmove(value.data_ptr(), raw, len(raw))
        return value
    if not array.flags.c_contiguous:
        raise NotExpressible(f"ONNX Runtime's Python interface takes {name} by its address alone")
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, number)


def _output(value: onnxruntime.OrtValue) -> NDArray[Any] | Tensor:
    """An output. For some types the binding has no arrays or calls them uint8; of these, the raw bytes are read."""
    name = _RAW_NAMES.get(value.data_type())
    if name is None:
        array: NDArray[Any] = value.numpy()
        return array
    shape = tuple(value.shape())
    size = -(-math.prod(shape) * DTYPES[name].bits // 8)
    data = ctypes.string_at(value.data_ptr(), size) if size else b""
    if DTYPES[name].bits < 8:
        data = unpacked(np.frombuffer(data, np.uint8), DTYPES[name].bits, math.prod(shape)).tobytes()
    return Tensor(name, shape, data)
