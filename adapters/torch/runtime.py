"""PyTorch: runs the function that `operators` names for an operator, eagerly or through `torch.compile`.

On the CPU, arrays go in and out without a copy, so that the caller sees which outputs share memory with the input.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, assert_never

import torch

from conformance.adapter import Call, Description, Graph, Input, Prepared, Rejected, Unsupported
from conformance.tensors.tensor import numpy_dtype, type_name

from .device import usable_device
from .operators import expression_of, operators_of, require_type
from .operators.expression import (
    AllTensors,
    Brackets,
    Expression,
    FromLength,
    FromRank,
    FromShape,
    TensorAt,
    has_unknown_dims,
)
from .operators.names import CAPABILITIES, NUMPY_TYPES, VIEWED_TYPES
from .operators.split_functions import Function

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Compilers put memory addresses into the names of functions; these differ from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_ADVICE = re.compile(r"\n\n(?:from user code:|Set TORCHDYNAMO_VERBOSE)")

Compiled = Callable[..., Sequence[torch.Tensor]]


class Runtime:
    """PyTorch on one device."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the options, and check the device here, so that no case is blamed for it.

        Raises:
            ValueError: PyTorch cannot use the device here, or the device holds no data.
        """
        self._device = usable_device(options["device"])
        self._function = Function(options["function"])
        self._backend = options["mode"].partition("-")[2]
        self._threads = int(options["threads"])
        torch.set_num_threads(self._threads)
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable", category=UserWarning)
        warnings.filterwarnings("ignore", message="Torchinductor does not support code generation for complex")
        if self._backend:
            # torch.compile logs every rejection with a traceback before it raises it.
            torch._logging.set_logs(all=logging.CRITICAL)  # noqa: SLF001  (documented under this name)

    def describe(self) -> Description:
        """Version of PyTorch, and its forms: unknown dims matter only to its compilers, constants to neither mode."""
        layouts = ["strided", "transposed", "broadcast", "offset"]
        """Not "reversed": PyTorch has no negative strides."""
        forms = [
            "constant",
            "as-in-the-model",
            "axis-from-end",
            "second-call",
            "second-rank",
            "same-call-twice",
            *layouts,
            "after-relu",
            "before-concat",
            "unused-outputs",
        ]
        return Description(
            framework="PyTorch",
            version=torch.__version__,
            devices=(str(self._device).upper(),),
            operators=operators_of(self._function),
            dtypes=sorted([*NUMPY_TYPES, *VIEWED_TYPES]),
            forms=[*forms, "dynamic"] if self._backend else forms,
            controls=[*layouts, "after-relu", "before-concat"] if self._backend else ["after-relu", "before-concat"],
            instruction_set=_instruction_set() if self._device.type == "cpu" else "",
            details={
                "git": torch.version.git_version or "",
                "threads": str(self._threads),
                "mode": self._backend or "eager",
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments; a compiler compiles in the first run."""
        ran_on = f"{self._device}, {self._backend or 'eager'}"
        if call.is_control:
            return Prepared(run=self._control(call), ran_on=ran_on)
        expression = expression_of(call, self._function)
        graph = _Graph(expression, call)
        compiled = self._compiled(graph, has_unknown_dims=expression.has_unknown_dims) if self._backend else None
        run = _Run(expression, graph, compiled, self._device)
        return Prepared(run=run, lowered=expression.lowered, ran_on=ran_on, bind=run.bind)

    def _control(self, call: Call) -> _ControlRun:
        """What stands beside the function, without it; where nothing does, a compiler gets a copy."""
        for item in call.inputs:
            require_type(item)
        network = _ControlNetwork(call)
        function = (
            self._compiled(network, has_unknown_dims=has_unknown_dims(call.inputs[0])) if self._backend else network
        )
        return _ControlRun(call.passed_on, function, self._device)

    def _compiled(self, network: torch.nn.Module, *, has_unknown_dims: bool) -> Compiled:
        """Compile anew for each call: the compilations of many calls would reach a limit, and fall back to eager."""
        torch.compiler.reset()
        compiled: Compiled = torch.compile(network, backend=self._backend, fullgraph=True, dynamic=has_unknown_dims)
        return compiled


def _instruction_set() -> str:
    """The level of the kernels that PyTorch chooses here, as it reports itself."""
    capability = torch.backends.cpu.get_cpu_capability()
    return next((level for level, name in CAPABILITIES.items() if name == capability), "")


def _measured(argument: object, tensors: Sequence[torch.Tensor]) -> object:
    """The argument, computed if it depends on the shape of the first tensor."""
    if isinstance(argument, FromLength):
        return argument.compute(tensors[0].size(argument.axis))
    if isinstance(argument, FromShape):
        return argument.compute(tensors[0].shape)
    return argument.compute(tensors[0].dim()) if isinstance(argument, FromRank) else argument


def _placed(argument: object, tensors: Sequence[torch.Tensor]) -> object:
    """The argument, with the tensors that it stands for."""
    if isinstance(argument, TensorAt):
        return tensors[argument.position]
    if isinstance(argument, Brackets):
        return tuple(_placed(item, tensors) for item in argument.items)
    return tuple(tensors) if isinstance(argument, AllTensors) else argument


class _Graph(torch.nn.Module):  # type: ignore[misc]
    """The function in the graph of the call. It is always one of our own, because the compiler skips a
    function of PyTorch that is called alone.

    Holds the arguments, so that a compiler takes them for constants. As arguments of its own they would be as unknown
    as the dims, and a compiler takes minutes for many unknown lengths.
    """

    def __init__(self, expression: Expression, call: Call) -> None:
        super().__init__()
        self._function = attrgetter(expression.function)(torch)
        self._arguments = expression.arguments
        self._beside, self._concat_axis = call.graph, call.concat_axis

    def forward(self, data: torch.Tensor | None = None, *others: torch.Tensor) -> Sequence[torch.Tensor]:
        # In its messages, a compiler names unknown dims by the names of the parameters.
        tensors = () if data is None else (data, *others)
        return self._surrounded([_measured(argument, tensors) for argument in self._arguments], tensors)

    def bound(self, tensors: Sequence[torch.Tensor]) -> Callable[[], torch.Tensor | Sequence[torch.Tensor]]:
        """The graph with its arguments, without more than the calls of PyTorch in it."""
        arguments = [_measured(argument, tensors) for argument in self._arguments]
        if self._beside is Graph.NONE:
            return partial(self._function, *(_placed(argument, tensors) for argument in arguments))
        return partial(self._surrounded, arguments, tensors)

    def _surrounded(self, arguments: Sequence[object], tensors: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        if self._beside is Graph.AFTER_RELU:
            tensors = (torch.relu(tensors[0]), *tensors[1:])
        outputs = _listed(self._function(*[_placed(argument, tensors) for argument in arguments]))
        match self._beside:
            case Graph.NONE | Graph.AFTER_RELU:
                return outputs
            case Graph.BEFORE_CONCAT:
                return (torch.cat(tuple(outputs), self._concat_axis or 0),)
            case Graph.UNUSED_OUTPUTS:
                return outputs[::2]
            case _:
                assert_never(self._beside)


def _listed(outputs: torch.Tensor | Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    return (outputs,) if isinstance(outputs, torch.Tensor) else outputs


class _ControlNetwork(torch.nn.Module):  # type: ignore[misc]
    """The graph without the operator."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self._beside, self._axis = call.graph, call.concat_axis

    def forward(self, *tensors: torch.Tensor) -> Sequence[torch.Tensor]:
        if self._beside is Graph.AFTER_RELU:
            return (torch.relu(tensors[0]),)
        if self._beside is Graph.BEFORE_CONCAT:
            return (torch.cat(tensors, self._axis),)
        return (tensors[0].clone(),)


class _ControlRun:
    """Runs a control on arrays."""

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
    """Runs one expression on arrays."""

    def __init__(self, expression: Expression, graph: _Graph, compiled: Compiled | None, device: torch.device) -> None:
        self._expression = expression
        self._beside = graph
        self._compiled = compiled
        self._device = device

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        function = self.bind(inputs)
        with _errors_of_pytorch():
            held = [output.cpu() for output in _listed(function())]
        name = self._expression.tensors[0].dtype
        return [_array(output, name) for output in held]

    def bind(self, inputs: Mapping[str, NDArray[Any]]) -> Callable[[], torch.Tensor | Sequence[torch.Tensor]]:
        """The function with PyTorch's arguments."""
        arrays = [inputs[item.name] if item.constant is None else item.array for item in self._expression.tensors]
        if self._expression.require is not None:
            self._expression.require([array.shape for array in arrays])
        tensors = [_tensor(array).to(self._device) for array in arrays]
        with _errors_of_pytorch():
            bound = self._beside.bound(tensors)
        return bound if self._compiled is None else partial(self._compiled, *tensors)


@contextmanager
def _errors_of_pytorch() -> Iterator[None]:
    """Around calls of PyTorch, which rejects calls with Python's own errors, assertions of its compilers among them."""
    try:
        yield
    except (RuntimeError, IndexError, ValueError, TypeError, AssertionError) as error:
        message = _ADDRESS.sub("", _ADVICE.split(str(error), maxsplit=1)[0])
        if isinstance(error, NotImplementedError) or "not implemented for" in message or _is_gap_of_dynamo(error):
            raise Unsupported(message) from error
        raise Rejected(message) from error


def _is_gap_of_dynamo(error: Exception) -> bool:
    is_gap = type(error).__module__ == "torch._dynamo.exc" and type(error).__name__ == "Unsupported"
    return is_gap and not str(error).startswith("TypeError when")  # eager mode rejects these with a TypeError, too


def _tensor(array: NDArray[Any]) -> torch.Tensor:
    name = type_name(array.dtype)
    if name in NUMPY_TYPES:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(VIEWED_TYPES[name])).view(getattr(torch, name))


def _array(tensor: torch.Tensor, name: str) -> NDArray[Any]:
    """An array over the tensor's memory, with the tensor's present type."""
    is_viewed = name not in NUMPY_TYPES and tensor.dtype == getattr(torch, name)
    array: NDArray[Any] = (tensor.view(getattr(torch, VIEWED_TYPES[name])) if is_viewed else tensor).numpy()
    return array.view(numpy_dtype(name)) if is_viewed else array
