"""Runs a compiled model: its inputs, its outputs, and its report of the kernels that ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from numpy.typing import NDArray

from conformance.adapter import Tensor

from .elements import array_from_output, tensor_from_array
from .rejections import rejections_of_openvino
from .releases import ov

SHOWN_LAYERS = 8
"""Maximum number of layers to report; reading the kernel of one takes about 0.03 ms."""


class Execution:
    """One compiled model with one infer request, for any number of runs.

    It is in no reference cycle. So a model that crashes the process when it is released does so at once, and not while
    another case runs.
    """

    def __init__(self, compiled: ov.CompiledModel, kept: list[ov.Tensor]) -> None:
        """Take a compiled model, and tensors that must live as long as it is used.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes.
        """
        # An input that the frontend removed as unused has no port; a user could not feed it either.
        self._ports = [(port.get_any_name(), port.get_element_type()) for port in compiled.inputs]
        self._outputs = range(len(compiled.outputs))
        with rejections_of_openvino():
            self._request = compiled.create_infer_request()
        self._fed: list[ov.Tensor] = []
        self._kept = kept

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[Any] | Tensor]:
        """Copies of the outputs, in order.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes.
        """
        infer = self.bind(inputs)
        with rejections_of_openvino():
            infer()
        return [array_from_output(self._request.get_output_tensor(index)) for index in self._outputs]

    def bind(self, inputs: Mapping[str, NDArray[Any]]) -> Callable[[], None]:
        """A function that only runs the inference, which writes to the request's own memory."""
        # The request points to the memory of its inputs and does not keep it alive.
        self._fed = [tensor_from_array(inputs[name], element) for name, element in self._ports]
        with rejections_of_openvino():
            for index, tensor in enumerate(self._fed):
                self._request.set_input_tensor(index, tensor)
        return self._infer

    def _infer(self) -> None:
        # Never `infer`: with one thread it hides the errors of kernels and returns outputs all the same. It also
        # converts outputs to arrays, which divides by zero for a string output without elements.
        self._request.start_async(None, None, True)  # shared inputs, whose name differs between releases
        self._request.wait()


def ran_on(compiled: ov.CompiledModel) -> str:
    """The devices, and the first layers of the compiled graph with their kernels, as `CPU: Split ref_f32`."""
    devices = ",".join(execution_devices(compiled))
    try:
        operations = compiled.get_runtime_model().get_ops()
    except RuntimeError:
        return devices  # not every plugin shows its graph
    layers = (item for item in operations if item.get_type_name() == "ExecutionNode" and item.get_input_size())
    kernels = [_kernel(item.get_rt_info()) for item in islice(layers, SHOWN_LAYERS)]
    return f"{devices}: {', '.join(dict.fromkeys(kernels))}" if kernels else devices


def execution_devices(compiled: ov.CompiledModel) -> tuple[str, ...]:
    """The devices that run the model; AUTO and similar devices choose them."""
    devices = compiled.get_property("EXECUTION_DEVICES")
    return (devices,) if isinstance(devices, str) else tuple(devices)


def _kernel(facts: Mapping[str, Any]) -> str:
    return " ".join(str(facts[key].value) for key in ("layerType", "primitiveType") if key in facts)
