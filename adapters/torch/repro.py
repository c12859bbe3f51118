"""How a script asks PyTorch: the call of `torch.split` itself, with the numbers that the adapter would pass."""

from __future__ import annotations

import json
from collections.abc import Mapping

from conformance.repro.recipe import NotExpressible, Recipe, Request
from conformance.repro.values import dtype_expression
from conformance.spec.call import Surroundings

from .functions import Function, lengths_or_parts
from .names import CAPABILITIES, NUMPY_TYPES, VIEWED_TYPES
from .split_call import SplitCall, has_unknown_dims, split_call

_COMPILED = """
@torch.compile(backend="{backend}", fullgraph=True, dynamic={dynamic})
"""

_SCRIPT = '''
{decorator}def split(data):
    """What is asked."""
{lines}


def ask():
    """The outputs of each run."""
    torch.set_num_threads({threads})
    runs = []
    for inputs in RUNS:
        data = torch.from_numpy({array}){to_torch}
        runs.append(split(data))
    return [[part{from_torch} for part in parts] for parts in runs]


REFUSALS = (RuntimeError, IndexError, ValueError, TypeError)


def cannot_answer(error):
    """Whether PyTorch says that it has no implementation."""
    has_no_kernel = isinstance(error, NotImplementedError) or "not implemented for" in str(error)
    is_gap = type(error).__module__ == "torch._dynamo.exc" and type(error).__name__ == "Unsupported"
    return has_no_kernel or is_gap and not str(error).startswith("TypeError when")
'''


def recipe(request: Request, options: Mapping[str, str]) -> Recipe:
    """`torch.split`, eager or compiled.

    Raises:
        NotExpressible: `torch.split` has no place for an argument, or PyTorch for the type.
    """
    call = request.call
    split = split_call(call)
    name = split.data.dtype
    if name not in NUMPY_TYPES and name not in VIEWED_TYPES:
        raise NotExpressible(f"PyTorch has no tensors of {name}")
    function = Function(options["function"])
    is_viewed, bits = name in VIEWED_TYPES, VIEWED_TYPES.get(name, "")
    backend = options["mode"].partition("-")[2]
    device = options["device"]
    to_device, to_cpu = ("", "") if device == "cpu" else (f".to({json.dumps(device)})", ".cpu()")
    is_constant = split.data.constant is not None
    return Recipe(
        imports=(*_environment(options["isa"]), "import torch"),
        code=_SCRIPT.format(
            threads=options["threads"],
            decorator=_COMPILED.format(backend=backend, dynamic=has_unknown_dims(split.data)).lstrip()
            if backend
            else "",
            lines=_lines(request, split, function),
            array=f"{'CONSTANTS' if is_constant else 'inputs'}[{split.data.name!r}]"
            + (f".view(np.{bits})" if is_viewed else ""),
            to_torch=(f".view(torch.{name})" if is_viewed else "") + to_device,
            from_torch=to_cpu
            + (f".view(torch.{bits}).numpy().view({dtype_expression(name)})" if is_viewed else ".numpy()"),
        ),
        constants=(split.data.name,) if is_constant else (),
    )


def _environment(isa: str) -> tuple[str, ...]:
    return ("import os", "", f'os.environ["ATEN_CPU_CAPABILITY"] = "{CAPABILITIES[isa].lower()}"') if isa else ()


def _lines(request: Request, split: SplitCall, function: Function) -> str:
    call = request.call
    data = "torch.relu(data)" if call.surroundings is Surroundings.AFTER_RELU else "data"
    parts = f"torch.{function.name_in_torch}({data}, {_parts(request, split, function)}, {split.axis!r})"
    if call.surroundings is Surroundings.BEFORE_CONCAT:
        return f"    return [torch.cat(tuple({parts}), {call.concat_axis})]"
    if call.surroundings is Surroundings.UNUSED_OUTPUTS:
        return f"    return {parts}[::2]"
    return f"    return {parts}"


def _parts(request: Request, split: SplitCall, function: Function) -> str:
    """The lengths, or their number, as the adapter would compute it, by the length of the axis where that changes;
    where PyTorch refuses the axis before, the request that does so.
    """
    argument, axis = lengths_or_parts(function, split), split.axis
    if not callable(argument):
        return repr(argument)
    given = [split.data.constant] if split.data.constant else [run[split.data.name] for run in request.runs]
    if not isinstance(axis, int) or any(not -len(tensor.shape) <= axis < len(tensor.shape) for tensor in given):
        return f"[data.size({axis!r})]"
    arguments = {tensor.shape[axis]: argument(tensor.shape[axis]) for tensor in given}
    return repr(*arguments.values()) if len(arguments) == 1 else f"{arguments}[data.size({axis})]"
