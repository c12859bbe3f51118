"""How a script runs a call on PyTorch: it calls the function itself, with the arguments that the adapter would pass."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping

from conformance.adapter import Input, Tensor
from conformance.protocol.form import Graph
from conformance.report.script import Recipe, Request
from conformance.report.sources import dtype_expression

from .operators import expression_of
from .operators.expression import AllTensors, Brackets, Expression, FromLength, FromRank, FromShape, TensorAt
from .operators.names import CAPABILITIES, VIEWED_TYPES
from .operators.split_functions import Function

_COMPILED = """
@torch.compile(backend="{backend}", fullgraph=True, dynamic={dynamic})
"""

_SCRIPT = """
{decorator}def {operator}({parameters}):
    return {expression}
"""

_RUN = """\
torch.set_num_threads({threads})
runs = []
for inputs in RUNS:
{tensors}
    runs.append({operator}({parameters}))
actual = [[part{from_torch} for part in parts] for parts in runs]"""

_NO_ANSWER = """\
isinstance(error, NotImplementedError) or "not implemented for" in str(error)"""

_NO_ANSWER_COMPILED = """\
(
        isinstance(error, NotImplementedError)
        or "not implemented for" in str(error)
        or (type(error).__name__ == "Unsupported" and not str(error).startswith("TypeError when"))
    )"""


def recipe(request: Request, options: Mapping[str, str]) -> Recipe:
    """A call of the function that the adapter would call, eager or compiled.

    Raises:
        NotExpressible: the function has no place for an argument, or PyTorch does not have the type.
    """
    expression = expression_of(request.call, Function(options["function"]))
    if expression.require is not None:
        for run in _runs(request, expression):
            expression.require([tensor.shape for tensor in run])
    backend = options["mode"].partition("-")[2]
    device = options["device"]
    name = expression.tensors[0].dtype if expression.tensors else ""
    bits = VIEWED_TYPES.get(name)
    return Recipe(
        imports=(*_environment(options["isa"]), "import numpy as np", "import torch"),
        rejections="(RuntimeError, IndexError, ValueError, TypeError)",
        no_answer=_NO_ANSWER_COMPILED if backend else _NO_ANSWER,
        code=_SCRIPT.format(
            decorator=_COMPILED.format(backend=backend, dynamic=expression.has_unknown_dims).lstrip()
            if backend
            else "",
            operator=expression.operator,
            parameters=_parameters(expression),
            expression=_in_graph(request, expression),
        ),
        run=_RUN.format(
            threads=options["threads"],
            operator=expression.operator,
            parameters=_parameters(expression),
            tensors=_tensors(expression, "" if device == "cpu" else f".to({json.dumps(device)})"),
            from_torch=("" if device == "cpu" else ".cpu()")
            + (f".view(torch.{bits}).numpy().view({dtype_expression(name)})" if bits else ".numpy()"),
        ),
        constants=tuple(item.name for item in expression.tensors if item.constant is not None),
    )


def _environment(isa: str) -> tuple[str, ...]:
    return ("import os", "", f'os.environ["ATEN_CPU_CAPABILITY"] = "{CAPABILITIES[isa].lower()}"') if isa else ()


def _runs(request: Request, expression: Expression) -> list[list[Tensor]]:
    """The tensors of the expression in each run."""
    return [[item.constant or run[item.name] for item in expression.tensors] for run in request.runs]


def _takes_all(expression: Expression) -> bool:
    return any(isinstance(argument, AllTensors) for argument in expression.arguments)


def _names(expression: Expression) -> list[str]:
    """The variables for the tensors."""
    return ["data"] if len(expression.tensors) == 1 else [item.name for item in expression.tensors]


def _parameters(expression: Expression) -> str:
    return "*tensors" if _takes_all(expression) else ", ".join(_names(expression))


def _tensors(expression: Expression, to_device: str) -> str:
    """The lines that make the tensors of a run."""
    made = [_made(item) + to_device for item in expression.tensors]
    if not _takes_all(expression):
        return "\n".join(f"    {name} = {text}" for name, text in zip(_names(expression), made, strict=True))
    return "\n".join(["    tensors = [", *(f"        {text}," for text in made), "    ]"])


def _made(item: Input) -> str:
    bits, source = VIEWED_TYPES.get(item.dtype), "inputs" if item.constant is None else "CONSTANTS"
    array = f"{source}[{item.name!r}]" + (f".view(np.{bits})" if bits else "")
    return f"torch.from_numpy({array})" + (f".view(torch.{item.dtype})" if bits else "")


def _in_graph(request: Request, expression: Expression) -> str:
    call = request.call
    arguments = [_text(argument, request, expression) for argument in expression.arguments]
    if expression.function == "Tensor.__getitem__":
        outputs = f"{arguments[0]}[{arguments[1]}]"
    else:
        outputs = f"torch.{expression.function}({', '.join(arguments)})"
    if not expression.makes_list:
        outputs = f"[{outputs}]"
    if call.graph is Graph.BEFORE_CONCAT:
        return f"[torch.cat(tuple({outputs}), {call.concat_axis})]"
    return f"{outputs}[::2]" if call.graph is Graph.UNUSED_OUTPUTS else outputs


def _text(argument: object, request: Request, expression: Expression) -> str:
    names, is_behind_relu = _names(expression), request.call.graph is Graph.AFTER_RELU
    match argument:
        case TensorAt(position=position):
            return f"torch.relu({names[0]})" if is_behind_relu and position == 0 else names[position]
        case AllTensors():
            return "(torch.relu(tensors[0]), *tensors[1:])" if is_behind_relu else "tensors"
        case Brackets(items=items):
            return ", ".join(_text(item, request, expression) for item in items) or "()"
        case slice(start=start, stop=stop, step=step):
            ends = ":".join("" if end is None else repr(end) for end in (start, stop))
            return ends if step in (None, 1) else f"{ends}:{step!r}"
        case builtins.Ellipsis:
            return "..."
        case FromLength(axis=axis, compute=compute):
            shapes = [run[0].shape for run in _runs(request, expression)]
            if not isinstance(axis, int) or any(not -len(shape) <= axis < len(shape) for shape in shapes):
                return f"[{names[0]}.size({axis!r})]"  # PyTorch itself rejects the axis
            return _table({shape[axis]: compute(shape[axis]) for shape in shapes}, f"{names[0]}.size({axis})")
        case FromRank(compute=compute):
            ranks = [len(run[0].shape) for run in _runs(request, expression)]
            return _table({rank: compute(rank) for rank in ranks}, f"{names[0]}.dim()")
        case FromShape(compute=compute):
            shapes = [run[0].shape for run in _runs(request, expression)]
            return _table({shape: compute(shape) for shape in shapes}, f"{names[0]}.shape")
        case _:
            return repr(argument)


def _table(values: Mapping[int, object] | Mapping[tuple[int, ...], object], key: str) -> str:
    """The value, or a table of the values of all runs and which of them is wanted."""
    return repr(*values.values()) if len(values) == 1 else f"{values}[{key}]"
