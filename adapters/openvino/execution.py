"""A compiled model in use: what goes in, what comes out, and what it says of the kernels that ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import openvino as ov
from numpy.typing import NDArray

from conformance.adapter import Tensor

from .elements import array_from_output, tensor_from_array
from .refusals import refusals_of_openvino

SHOWN_LAYERS = 8
"""Layers of the compiled graph to look at; asking one for its kernel takes some 0.03 ms."""


class Execution:
    """One compiled model with one infer request, as often as it is called.

    It is in no reference cycle, so that a model which ends the process when it is released does so at once, and not
    while another case is asked.
    """

    def __init__(self, compiled: ov.CompiledModel, kept: list[ov.Tensor]) -> None:
        """Take a compiled model, and tensors to keep as long as it is used."""
        # An input that the frontend found no use for has no port; a user could not feed it either.
        self._ports = [(port.get_any_name(), port.get_element_type()) for port in compiled.inputs]
        self._outputs = range(len(compiled.outputs))
        self._request = compiled.create_infer_request()
        self._fed: list[ov.Tensor] = []
        self._kept = kept

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[Any] | Tensor]:
        """The outputs, in order; copies.

        Raises:
            Rejected, Unsupported, NotExpressible: as each says.
        """
        infer = self.bind(inputs)
        with refusals_of_openvino():
            infer()
        return [array_from_output(self._request.get_output_tensor(index)) for index in self._outputs]

    def bind(self, inputs: Mapping[str, NDArray[Any]]) -> Callable[[], None]:
        """The inference alone, which writes to the request's own memory."""
        # The request points to the memory of its inputs and does not keep it.
        self._fed = [tensor_from_array(inputs[name], element) for name, element in self._ports]
        with refusals_of_openvino():
            for index, tensor in enumerate(self._fed):
                self._request.set_input_tensor(index, tensor)
        return self._infer

    def _infer(self) -> None:
        # Never `infer`: with one thread it keeps the errors of kernels to itself and gives outputs all the same. It
        # also turns outputs into arrays, and in that divides by zero where a string output has no elements.
        self._request.start_async(share_inputs=True)
        self._request.wait()


def ran_on(compiled: ov.CompiledModel) -> str:
    """The devices, and the layers of the compiled graph with their kernels, as `CPU: Split ref_f32`."""
    devices = ",".join(execution_devices(compiled))
    try:
        operations = compiled.get_runtime_model().get_ops()
    except RuntimeError:
        return devices  # not every plugin shows its graph
    layers = (item for item in operations if item.get_type_name() == "ExecutionNode" and item.get_input_size())
    kernels = [_kernel(item.get_rt_info()) for item in islice(layers, SHOWN_LAYERS)]
    return f"{devices}: {', '.join(dict.fromkeys(kernels))}" if kernels else devices


def execution_devices(compiled: ov.CompiledModel) -> tuple[str, ...]:
    """The devices that run the model, which AUTO and others choose."""
    devices = compiled.get_property("EXECUTION_DEVICES")
    return (devices,) if isinstance(devices, str) else tuple(devices)


def _kernel(facts: Mapping[str, Any]) -> str:
    return " ".join(str(facts[key].value) for key in ("layerType", "primitiveType") if key in facts)
