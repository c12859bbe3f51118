"""Compiles models for one device. Does not know operators, nor how a model is built."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from conformance.adapter import ALL_FORMS, Call, Description, KnownShape, NotExpressible, Prepared, model_source
from conformance.tensors.machine import level_under, levels_here

from .execution import Execution, execution_devices, ran_on
from .ir import model_from_ir
from .layout import require_counted_lengths
from .opset import model_from_opset
from .rejections import rejections_of_openvino
from .releases import VERSION, ov, require_known


class Route(Enum):
    """How one of OpenVINO's own operators becomes a model."""

    OPSET = "opset"
    IR = "ir"


class Runtime:
    """One Core with its settings, and the device to compile for."""

    def __init__(self, device: str, route: Route, threads: int) -> None:
        self._core = ov.Core()
        self._device = device
        self._route = route
        self._settings = _settle(self._core, threads)

    def describe(self) -> Description:
        """Version of OpenVINO, devices and settings.

        Raises:
            ValueError: OpenVINO has no such device.
        """
        devices = _usable_devices(self._core, self._device)  # the first call that starts threads
        return Description(
            framework="OpenVINO",
            version=VERSION,
            devices=devices,
            operators=("openvino.*", "onnx.*"),
            forms=ALL_FORMS,
            onnx_models=("onnx",),
            controls=(
                *("strided", "runtime-strided", "transposed"),
                *("after-relu", "before-concat", "constant-folded", "external-data"),
            ),
            instruction_set=_instruction_set(devices),
            details={
                "build": ov.get_version(),
                "openvino operators": "opset API in Python" if self._route is Route.OPSET else "IR read by read_model",
                "onnx operators": "ONNX frontend of read_model",
                "inference": "start_async and wait",
                "data in pieces": "a view, openvino.Tensor(tensor, begin, end), or a copy, openvino.Tensor(array)",
                **self._settings,
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Build and compile the call.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. A run may raise them, too.
        """
        model, kept = self._model(call)
        with rejections_of_openvino():
            compiled = self._core.compile_model(model, self._device)
        execution = Execution(compiled, kept)
        inferred = [_inferred(output.partial_shape) for output in compiled.outputs]
        return Prepared(run=execution, ran_on=ran_on(compiled), bind=execution.bind, inferred=inferred)

    def _model(self, call: Call) -> tuple[ov.Model, list[ov.Tensor]]:
        """The model, and tensors that must live as long as it is used."""
        if call.dialect == "openvino":
            require_counted_lengths(call)
            require_known(call)
            return model_from_opset(call) if self._route is Route.OPSET else (model_from_ir(self._core, call), [])
        if call.model is None:
            raise NotExpressible(f"OpenVINO takes operators of {call.dialect} only in a model, and the call has none")
        with model_source(call) as source, rejections_of_openvino():
            return self._core.read_model(model=source), []


def _settle(core: ov.Core, threads: int) -> dict[str, str]:
    """Apply the settings to each device that knows them; returns each device's full name and actual settings."""
    settings: Mapping[str, Any] = {
        # Otherwise a CPU with native bfloat16 computes float32 in bfloat16.
        "INFERENCE_PRECISION_HINT": ov.Type.f32,
        "INFERENCE_NUM_THREADS": threads,
    }
    found = {}
    for device in core.available_devices:
        known = core.get_property(device, "SUPPORTED_PROPERTIES")
        found[device] = str(core.get_property(device, "FULL_DEVICE_NAME")).strip()
        for key, value in settings.items():
            if known.get(key) == "RW":
                core.set_property(device, {key: value})
                held = core.get_property(device, key)
                found[f"{device} {key}"] = held.get_type_name() if isinstance(held, ov.Type) else str(held)
    return found


def _instruction_set(devices: Sequence[str]) -> str:
    """The newest level that oneDNN may use in the CPU plugin: that of the processor, limited by the environment.

    OpenVINO itself reports it only in the names of kernels, and only for a few levels.
    """
    # oneDNN reads the older variable if the newer is not set.
    limit = os.environ.get("ONEDNN_MAX_CPU_ISA") or os.environ.get("DNNL_MAX_CPU_ISA", "")
    level = level_under(limit, levels_here())
    return level.value if level is not None and "CPU" in devices else ""


def _usable_devices(core: ov.Core, name: str) -> tuple[str, ...]:
    """The devices that run what is compiled for `name`. A missing device must not look like the rejection of a case.

    Raises:
        ValueError: OpenVINO cannot compile for this name.
    """
    try:
        return execution_devices(core.compile_model(_identity(), name))
    except RuntimeError as error:
        words = [line.strip() for line in str(error).splitlines() if line.strip()]
        has = ", ".join(core.available_devices)
        raise ValueError(f"OpenVINO cannot use the device {name!r} here; it has {has}: {words[-1]}") from error


def _inferred(shape: ov.PartialShape) -> KnownShape:
    return None if shape.rank.is_dynamic else tuple(None if dim.is_dynamic else dim.get_length() for dim in shape)


def _identity() -> ov.Model:
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1]))
    return ov.Model([data.output(0)], [data], "identity")
