"""PyTorch: every splitting operator becomes `torch.split` with a list of lengths, eager or through `torch.compile`.

Arrays go in and out without a copy, so that the caller sees which outputs share memory with the input.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import torch

from conformance.adapter import Call, Description, NotExpressible, Prepared, Rejected, Surroundings, Unsupported

from .names import NUMPY_TYPES, VIEWED_TYPES
from .split_call import SplitCall, split_call

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Compilers name functions with where they lie in memory, which differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

Split = Callable[[torch.Tensor, list[int], int], Sequence[torch.Tensor]]


class Adapter:
    """`torch.split` on the CPU with one thread."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Take the mode."""
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
            "after-relu",
            "before-concat",
        ]
        return Description(
            framework="PyTorch",
            version=torch.__version__,
            devices=("CPU",),
            operators=("onnx.Split-*", "openvino.Split-*", "openvino.VariadicSplit-*"),
            dtypes=sorted([*NUMPY_TYPES, *VIEWED_TYPES]),
            forms=[*forms, "dynamic"] if self._backend else forms,
            details={"git": torch.version.git_version or "", "threads": "1", "mode": self._backend or "eager"},
        )

    def prepare(self, call: Call) -> Prepared:
        """Translate the arguments; a compiler gets to work on the first run."""
        split = split_call(call)
        name = split.data.dtype
        if name == "string":
            raise NotExpressible("torch has no string tensors")
        if name not in NUMPY_TYPES and name not in VIEWED_TYPES:
            raise NotExpressible(f"torch has no type {name}, or only a shell of it")
        function = _FUNCTIONS[call.surroundings]
        if self._backend:
            function = self._compiled(function, has_unknown_dims=None in (split.data.dims or ()))
        return Prepared(run=_Run(split, function), lowered=split.lowered, ran_on=f"cpu, {self._backend or 'eager'}")

    def _compiled(self, function: Split, *, has_unknown_dims: bool) -> Split:
        """Compiled anew for each call: what many calls had compiled would reach a limit, and fall back to eager."""
        torch.compiler.reset()
        return torch.compile(function, backend=self._backend, fullgraph=True, dynamic=has_unknown_dims)


def _split(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    """`torch.split` itself is left out by the compiler."""
    return torch.split(data, lengths, axis)


def _split_after_relu(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    return torch.split(torch.relu(data), lengths, axis)


def _split_before_cat(data: torch.Tensor, lengths: list[int], axis: int) -> Sequence[torch.Tensor]:
    return (torch.cat(torch.split(data, lengths, axis), axis),)


_FUNCTIONS: Mapping[Surroundings, Split] = {
    Surroundings.NONE: _split,
    Surroundings.AFTER_RELU: _split_after_relu,
    Surroundings.BEFORE_CONCAT: _split_before_cat,
}


class _Run:
    """Splits one array."""

    def __init__(self, split: SplitCall, function: Split) -> None:
        self._split = split
        self._function = function

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        split = self._split
        given = inputs[split.data.name] if split.data.constant is None else split.data.array
        data = _tensor(given)
        lengths = split.lengths
        if callable(lengths):
            with _errors_of_pytorch():
                length = data.size(split.axis)
            lengths = lengths(length)
        with _errors_of_pytorch():
            outputs = self._function(data, lengths, split.axis)
        return [_array(output, given.dtype.name) for output in outputs]


@contextmanager
def _errors_of_pytorch() -> Iterator[None]:
    """PyTorch refuses with Python's own errors; nothing but PyTorch runs in here."""
    try:
        yield
    except (RuntimeError, IndexError, ValueError) as error:
        message = _ADDRESS.sub("", str(error).partition("\n\nfrom user code:")[0])
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
