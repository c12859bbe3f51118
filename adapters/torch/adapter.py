"""PyTorch: every splitting operator becomes `torch.split` with a list of lengths, eager or through `torch.compile`.

On the CPU, arrays go in and out without a copy, so that the caller sees which outputs share memory with the input.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import torch

from conformance.adapter import Call, Description, Input, NotExpressible, Prepared, Rejected, Surroundings, Unsupported

from .device import usable_device
from .names import NUMPY_TYPES, VIEWED_TYPES
from .split_call import SplitCall, has_unknown_dims, split_call

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Compilers name functions with where they lie in memory, which differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_ADVICE = re.compile(r"\n\n(?:from user code:|Set TORCHDYNAMO_VERBOSE)")

Split = Callable[[torch.Tensor, list[int], int], Sequence[torch.Tensor]]


class Adapter:
    """`torch.split` on one device; with one thread on the CPU."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the mode, and the device, before a case can be blamed for it.

        Raises:
            ValueError: PyTorch cannot use the device here, or it is one that holds no data.
        """
        self._device = usable_device(options["device"])
        self._backend = options["mode"].partition("-")[2]
        torch.set_num_threads(1)
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable", category=UserWarning)
        warnings.filterwarnings("ignore", message="Torchinductor does not support code generation for complex")
        if self._backend:
            # torch.compile logs every refusal with a traceback before it raises it.
            torch._logging.set_logs(all=logging.CRITICAL)  # noqa: SLF001  (documented under this name)

    def describe(self) -> Description:
        """Version of PyTorch. Only for its compilers do unknown dims make a difference, for none a constant."""
        forms = [
            "constant",
            "axis-from-end",
            "second-call",
            "same-call-twice",
            "strided",
            "transposed",
            # Not "reversed": PyTorch has no negative strides.
            "broadcast",
            "offset",
            "after-relu",
            "before-concat",
            "unused-outputs",
        ]
        return Description(
            framework="PyTorch",
            version=torch.__version__,
            devices=(str(self._device).upper(),),
            operators=("onnx.Split-*", "openvino.Split-*", "openvino.VariadicSplit-*"),
            dtypes=sorted([*NUMPY_TYPES, *VIEWED_TYPES]),
            forms=[*forms, "dynamic"] if self._backend else forms,
            controls=[*forms, "dynamic"] if self._backend else ["after-relu", "before-concat"],
            details={"git": torch.version.git_version or "", "threads": "1", "mode": self._backend or "eager"},
        )

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments; a compiler gets to work on the first run."""
        ran_on = f"{self._device}, {self._backend or 'eager'}"
        if call.is_control:
            return Prepared(run=self._control(call), ran_on=ran_on)
        split = split_call(call)
        _demand_type(split.data)
        function = _FUNCTIONS[call.surroundings]
        if self._backend:
            compiled = self._compiled(_Network(function, split), split.data)
            function = lambda data, *_: compiled(data)  # noqa: E731
        run = _Run(split, function, self._device)
        return Prepared(run=run, lowered=split.lowered, ran_on=ran_on, bind=run.bind)

    def _control(self, call: Call) -> _ControlRun:
        """What stands around `torch.split` alone; a compiler gets a copy where there is nothing else to compile."""
        for item in call.inputs:
            _demand_type(item)
        network = _ControlNetwork(call)
        function = self._compiled(network, call.inputs[0]) if self._backend else network
        return _ControlRun(call.passed_on, function, self._device)

    def _compiled(self, network: torch.nn.Module, data: Input) -> Callable[..., Sequence[torch.Tensor]]:
        """Compiled anew for each call: what many calls had compiled would reach a limit, and fall back to eager."""
        torch.compiler.reset()
        compiled: Callable[..., Sequence[torch.Tensor]] = torch.compile(
            network, backend=self._backend, fullgraph=True, dynamic=has_unknown_dims(data)
        )
        return compiled


def _demand_type(item: Input) -> None:
    if item.dtype == "string":
        raise NotExpressible("torch has no string tensors")
    if item.dtype not in NUMPY_TYPES and item.dtype not in VIEWED_TYPES:
        raise NotExpressible(f"torch has no type {item.dtype}, or only a shell of it")


def _split(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    """`torch.split` itself is left out by the compiler."""
    return torch.split(data, lengths, axis)


def _split_after_relu(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    return torch.split(torch.relu(data), lengths, axis)


def _split_before_cat(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    return (torch.cat(torch.split(data, lengths, axis), axis),)


def _split_and_use_every_second(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    return torch.split(data, lengths, axis)[::2]


_FUNCTIONS: Mapping[Surroundings, Split] = {
    Surroundings.NONE: _split,
    Surroundings.AFTER_RELU: _split_after_relu,
    Surroundings.BEFORE_CONCAT: _split_before_cat,
    Surroundings.UNUSED_OUTPUTS: _split_and_use_every_second,
}


class _Network(torch.nn.Module):
    """Holds axis and lengths, which a compiler takes for constants there. As arguments they are as unknown as the dims,
    and many lengths that are unknown take it minutes.
    """

    def __init__(self, function: Split, split: SplitCall) -> None:
        super().__init__()
        self._function, self._lengths, self._axis = function, split.lengths, split.axis

    def forward(self, data: torch.Tensor) -> Sequence[torch.Tensor]:
        lengths = self._lengths
        return self._function(data, lengths(data.size(self._axis)) if callable(lengths) else lengths, self._axis)


class _ControlNetwork(torch.nn.Module):
    """What stands around the operator."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self._surroundings, self._axis = call.surroundings, call.concat_axis

    def forward(self, *tensors: torch.Tensor) -> Sequence[torch.Tensor]:
        if self._surroundings is Surroundings.AFTER_RELU:
            return (torch.relu(tensors[0]),)
        if self._surroundings is Surroundings.BEFORE_CONCAT:
            return (torch.cat(tensors, self._axis),)
        return (tensors[0].clone(),)


class _ControlRun:
    """Hands arrays to what stands around the operator."""

    def __init__(
        self, passed_on: Sequence[Input], function: Callable[..., Sequence[torch.Tensor]], device: torch.device
    ) -> None:
        self._passed_on = passed_on
        self._function = function
        self._device = device

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        tensors = {name: _tensor(array).to(self._device) for name, array in inputs.items()}
        with _errors_of_pytorch():
            held = [output.cpu() for output in self._function(*(tensors[item.name] for item in self._passed_on))]
        return [_array(output, self._passed_on[0].dtype) for output in held]


class _Run:
    """Splits one array on one device."""

    def __init__(self, split: SplitCall, function: Split, device: torch.device) -> None:
        self._split = split
        self._function = function
        self._device = device

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        split = self.bind(inputs)
        with _errors_of_pytorch():
            outputs = split()
            held = [output.cpu() for output in outputs]
        return [_array(output, self._given(inputs).dtype.name) for output in held]

    def bind(self, inputs: Mapping[str, NDArray[Any]]) -> Callable[[], Sequence[torch.Tensor]]:
        """The function with its arguments, as PyTorch takes them."""
        split = self._split
        data, lengths = _tensor(self._given(inputs)).to(self._device), split.lengths
        if callable(lengths):
            with _errors_of_pytorch():
                length = data.size(split.axis)
            lengths = lengths(length)
        return partial(self._function, data, lengths, split.axis)

    def _given(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        data = self._split.data
        return inputs[data.name] if data.constant is None else data.array


@contextmanager
def _errors_of_pytorch() -> Iterator[None]:
    """PyTorch refuses with Python's own errors; nothing but PyTorch runs in here."""
    try:
        yield
    except (RuntimeError, IndexError, ValueError) as error:
        message = _ADDRESS.sub("", _ADVICE.split(str(error), maxsplit=1)[0])
        if isinstance(error, NotImplementedError) or "not implemented for" in message or _is_gap_of_dynamo(error):
            raise Unsupported(message) from error
        raise Rejected(message) from error


def _is_gap_of_dynamo(error: Exception) -> bool:
    return type(error).__module__ == "torch._dynamo.exc" and type(error).__name__ == "Unsupported"


def _tensor(array: NDArray[Any]) -> torch.Tensor:
    if array.dtype.name in NUMPY_TYPES:
        return torch.from_numpy(array)
    name = array.dtype.name
    return torch.from_numpy(array.view(VIEWED_TYPES[name])).view(getattr(torch, name))


def _array(tensor: torch.Tensor, name: str) -> NDArray[Any]:
    """An array over the tensor's memory, with the type that the tensor has now."""
    if name in NUMPY_TYPES:
        return tensor.numpy()
    if tensor.dtype != getattr(torch, name):
        return tensor.numpy()
    return tensor.view(getattr(torch, VIEWED_TYPES[name])).numpy().view(np.dtype(getattr(ml_dtypes, name)))
