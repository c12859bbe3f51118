"""PyTorch: a splitting operator becomes `torch.split`, or another of its functions, eager or through `torch.compile`.

On the CPU, arrays go in and out without a copy, so that the caller sees which outputs share memory with the input.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

import torch

from conformance.adapter import Call, Description, Input, NotExpressible, Prepared, Rejected, Surroundings, Unsupported
from conformance.values.tensor import numpy_dtype, type_name

from .device import usable_device
from .functions import Function, lengths_or_parts, lowered
from .names import CAPABILITIES, NUMPY_TYPES, VIEWED_TYPES
from .split_call import SplitCall, has_unknown_dims, split_call

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Compilers name functions with where they lie in memory, which differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_ADVICE = re.compile(r"\n\n(?:from user code:|Set TORCHDYNAMO_VERBOSE)")

Split = Callable[[torch.Tensor, Any, Any], Sequence[torch.Tensor]]


class Runtime:
    """One function of PyTorch on one device."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the mode, and the device, before a case can be blamed for it.

        Raises:
            ValueError: PyTorch cannot use the device here, or it is one that holds no data.
        """
        self._device = usable_device(options["device"])
        self._function = Function(options["function"])
        self._backend = options["mode"].partition("-")[2]
        self._threads = int(options["threads"])
        torch.set_num_threads(self._threads)
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
            "second-rank",
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
            instruction_set=_instruction_set() if self._device.type == "cpu" else "",
            details={
                "git": torch.version.git_version or "",
                "threads": str(self._threads),
                "mode": self._backend or "eager",
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments; a compiler gets to work on the first run."""
        ran_on = f"{self._device}, {self._backend or 'eager'}"
        if call.is_control:
            return Prepared(run=self._control(call), ran_on=ran_on)
        split = split_call(call)
        _demand_type(split.data)
        parts = lengths_or_parts(self._function, split)
        function = _graph(getattr(torch, self._function.name_in_torch), call)
        if self._backend:
            compiled = self._compiled(_Network(function, parts, split.axis), split.data)
            function = lambda data, *_: compiled(data)  # noqa: E731
        run = _Run(split, parts, function, self._device)
        return Prepared(run=run, lowered=lowered(self._function, split), ran_on=ran_on, bind=run.bind)

    def _control(self, call: Call) -> _ControlRun:
        """What stands around the function alone; a compiler gets a copy where there is nothing else to compile."""
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
    if item.dtype not in NUMPY_TYPES and item.dtype not in VIEWED_TYPES:
        raise NotExpressible(f"PyTorch has no tensors of {item.dtype}")


def _instruction_set() -> str:
    """The level of the kernels that PyTorch chooses here, by its own word."""
    capability = torch.backends.cpu.get_cpu_capability()
    return next((level for level, name in CAPABILITIES.items() if name == capability), "")


def _graph(split: Split, call: Call) -> Split:
    """The function with what stands beside it in the call; one of our own always, as the compiler leaves out one of
    PyTorch that is called by itself.
    """

    def alone(data: torch.Tensor, parts: object, axis: object) -> Sequence[torch.Tensor]:
        return split(data, parts, axis)

    def after_relu(data: torch.Tensor, parts: object, axis: object) -> Sequence[torch.Tensor]:
        return split(torch.relu(data), parts, axis)

    def before_cat(data: torch.Tensor, parts: object, axis: object) -> Sequence[torch.Tensor]:
        return (torch.cat(tuple(split(data, parts, axis)), call.concat_axis or 0),)

    def every_second(data: torch.Tensor, parts: object, axis: object) -> Sequence[torch.Tensor]:
        return split(data, parts, axis)[::2]

    match call.surroundings:
        case Surroundings.NONE:
            return alone
        case Surroundings.AFTER_RELU:
            return after_relu
        case Surroundings.BEFORE_CONCAT:
            return before_cat
        case Surroundings.UNUSED_OUTPUTS:
            return every_second
        case _:
            assert_never(call.surroundings)


class _Network(torch.nn.Module):  # type: ignore[misc]
    """Holds axis and lengths, which a compiler takes for constants there. As arguments they are as unknown as the dims,
    and many lengths that are unknown take it minutes.
    """

    def __init__(self, function: Split, parts: object, axis: object) -> None:
        super().__init__()
        self._function, self._parts, self._axis = function, parts, axis

    def forward(self, data: torch.Tensor) -> Sequence[torch.Tensor]:
        parts = self._parts
        return self._function(data, parts(data.size(self._axis)) if callable(parts) else parts, self._axis)


class _ControlNetwork(torch.nn.Module):  # type: ignore[misc]
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

    def __init__(self, split: SplitCall, parts: object, function: Split, device: torch.device) -> None:
        self._split = split
        self._parts = parts
        self._function = function
        self._device = device

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        split = self.bind(inputs)
        with _errors_of_pytorch():
            outputs = split()
            held = [output.cpu() for output in outputs]
        return [_array(output, type_name(self._given(inputs).dtype)) for output in held]

    def bind(self, inputs: Mapping[str, NDArray[Any]]) -> Callable[[], Sequence[torch.Tensor]]:
        """The function with its arguments, as PyTorch takes them."""
        data, parts, axis = _tensor(self._given(inputs)).to(self._device), self._parts, self._split.axis
        if callable(parts):
            with _errors_of_pytorch():
                length = data.size(axis)
            parts = parts(length)
        return partial(self._function, data, parts, axis)

    def _given(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        data = self._split.data
        return inputs[data.name] if data.constant is None else data.array


@contextmanager
def _errors_of_pytorch() -> Iterator[None]:
    """PyTorch refuses with Python's own errors; nothing but PyTorch runs in here."""
    try:
        yield
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        message = _ADDRESS.sub("", _ADVICE.split(str(error), maxsplit=1)[0])
        if isinstance(error, NotImplementedError) or "not implemented for" in message or _is_gap_of_dynamo(error):
            raise Unsupported(message) from error
        raise Rejected(message) from error


def _is_gap_of_dynamo(error: Exception) -> bool:
    is_gap = type(error).__module__ == "torch._dynamo.exc" and type(error).__name__ == "Unsupported"
    return is_gap and not str(error).startswith("TypeError when")  # what eager mode refuses with a TypeError, too


def _tensor(array: NDArray[Any]) -> torch.Tensor:
    name = type_name(array.dtype)
    if name in NUMPY_TYPES:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(VIEWED_TYPES[name])).view(getattr(torch, name))


def _array(tensor: torch.Tensor, name: str) -> NDArray[Any]:
    """An array over the tensor's memory, with the type that the tensor has now."""
    is_viewed = name not in NUMPY_TYPES and tensor.dtype == getattr(torch, name)
    array: NDArray[Any] = (tensor.view(getattr(torch, VIEWED_TYPES[name])) if is_viewed else tensor).numpy()
    return array.view(numpy_dtype(name)) if is_viewed else array
