"""ONNX Runtime: every call comes as an ONNX model, which becomes a session.

The graph is optimized only as far as the target asks for, runs in one thread, and the session says which execution
provider got the node.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from conformance.adapter import Call, Description, NotExpressible, Prepared, Rejected, Tensor, Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
_FATAL_ONLY = 4

# `TensorProto.DataType` and ONNX Runtime's own name of the types that NumPy lacks: they go in and out as raw bytes.
_RAW_TYPES = {
    "bfloat16": (16, "tensor(bfloat16)"),
    "float8_e4m3fn": (17, "tensor(float8e4m3fn)"),
    "float8_e4m3fnuz": (18, "tensor(float8e4m3fnuz)"),
    "float8_e5m2": (19, "tensor(float8e5m2)"),
    "float8_e5m2fnuz": (20, "tensor(float8e5m2fnuz)"),
    "float8_e8m0fnu": (24, "tensor(float8e8m0)"),
}
_RAW_NAMES = {ort_name: name for name, (_, ort_name) in _RAW_TYPES.items()}
_PACKED_TYPES = frozenset({"uint4", "int4", "uint2", "int2", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"})

# Statuses that are the model's or the inputs' fault. The binding raises Python's own errors for what it cannot pass on;
# those are no refusals and are left to propagate.
_REFUSALS = (errors.Fail, errors.InvalidArgument, errors.InvalidGraph, errors.InvalidProtobuf, errors.RuntimeException)
# What ONNX Runtime says, with the status of a refusal, when a type or a version of the format is unknown to it.
_MISSING = ("is not currently registered or supported", "Unsupported model IR version")


class Adapter:
    """Sessions with one thread on one execution provider."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Check that the provider is there: ONNX Runtime itself would silently take another.

        Raises:
            ValueError: this build of ONNX Runtime has no such provider.
        """
        self._provider = options["provider"]
        available = onnxruntime.get_available_providers()
        if self._provider not in available:
            raise ValueError(f"this ONNX Runtime has no provider {self._provider!r}; it has {', '.join(available)}")
        onnxruntime.set_default_logger_severity(_FATAL_ONLY)
        self._session_options = onnxruntime.SessionOptions()
        self._session_options.graph_optimization_level = _LEVELS[options["optimization"]]
        self._session_options.intra_op_num_threads = 1
        self._session_options.inter_op_num_threads = 1
        self._session_options.log_severity_level = _FATAL_ONLY
        self._session_options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")

    def describe(self) -> Description:
        """Version and build of ONNX Runtime."""
        return Description(
            framework="ONNX Runtime",
            version=onnxruntime.__version__,
            devices=(onnxruntime.get_device(),),
            onnx_models=("onnx", "openvino"),
            details={"build": onnxruntime.get_build_info(), "intra-op threads": "1"},
        )

    def prepare(self, call: Call) -> Prepared:
        """Build a session of the call's model."""
        if call.model is None:
            raise NotExpressible("ONNX Runtime takes ONNX models, and this call has none")
        try:
            session = onnxruntime.InferenceSession(
                call.model, self._session_options, providers=[self._provider], enable_fallback=0
            )
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REFUSALS as error:
            raise _refusal(error) from error
        ran_on = _ran_on(session)
        if set(ran_on) - {self._provider}:
            raise Unsupported(f"{self._provider} leaves the operator to {', '.join(ran_on)}")
        run = _RunWithRawTypes(session, call) if _has_raw_types(call) else _Run(session)
        return Prepared(run=run, ran_on=", ".join(ran_on))


class _Run:
    """Arrays in, arrays out."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        try:
            return self._session.run(None, inputs)
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REFUSALS as error:
            raise _refusal(error) from error


class _RunWithRawTypes:
    """Bytes with an element type in, bytes with an element type out."""

    def __init__(self, session: onnxruntime.InferenceSession, call: Call) -> None:
        packed = sorted({item.dtype for item in call.inputs} & _PACKED_TYPES)
        if packed:
            raise NotExpressible(f"ONNX Runtime's Python interface passes no tensors of {', '.join(packed)}")
        self._session = session
        self._names = [output.name for output in session.get_outputs()]

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any] | Tensor]:
        feeds = {name: _ort_value(array) for name, array in inputs.items()}
        try:
            outputs = self._session.run_with_ort_values(self._names, feeds)
        except errors.NotImplemented as error:
            raise Unsupported(str(error)) from error
        except _REFUSALS as error:
            raise _refusal(error) from error
        return [_output(value) for value in outputs]


def _has_raw_types(call: Call) -> bool:
    return any(item.dtype in _RAW_TYPES or item.dtype in _PACKED_TYPES for item in call.inputs)


def _refusal(error: Exception) -> Rejected | Unsupported:
    message = str(error)
    return Unsupported(message) if any(words in message for words in _MISSING) else Rejected(message)


def _ran_on(session: onnxruntime.InferenceSession) -> list[str]:
    """The providers that the nodes of the final graph were given to, which need not be the one that was asked for."""
    return sorted({part.ep_name for part in session.get_provider_graph_assignment_info()})


def _ort_value(array: NDArray[Any]) -> onnxruntime.OrtValue:
    if array.dtype.name in _RAW_TYPES:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, _RAW_TYPES[array.dtype.name][0])
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def _output(value: onnxruntime.OrtValue) -> NDArray[Any] | Tensor:
    """The binding has no arrays for some types and calls others uint8: these are read as the bytes that they are."""
    name = _RAW_NAMES.get(value.data_type())
    if name is None:
        return value.numpy()
    size = value.tensor_size_in_bytes()
    data = ctypes.string_at(value.data_ptr(), size) if size else b""
    return Tensor(name, tuple(value.shape()), data)
