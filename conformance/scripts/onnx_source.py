"""Writes an ONNX model as the calls of `onnx.helper` that make it, as a reader of a script would write it."""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.adapter import NotExpressible
from conformance.border.call import MODEL_DATA_FILE, Attribute, Call
from conformance.border.form import Encoding
from conformance.border.outcome import NotExpressibleOutcome
from conformance.lowering.node import GraphNode
from conformance.lowering.onnx_model import ModelParts, lower, model_parts
from conformance.scripts.values import MAX_ELEMENTS, expression

_TYPE_NAMES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "float4_e2m1fn": "FLOAT4E2M1",
    "float8_e8m0fnu": "FLOAT8E8M0",
}
_MOST_OUTPUTS = 16
_LINE = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSource:
    """How a script gets an ONNX model: `code` makes `model`, or it reads `files`; `content` what is loaded."""

    imports: tuple[str, ...] = ()
    code: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    content: str = "model.SerializeToString()"


def model_source(call: Call) -> ModelSource:
    """The source of a call's model; a large one, or one that `onnx.helper` cannot make, is a file.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    files = onnx_files(call)
    if call.encoding is Encoding.EXTERNAL_DATA:
        return ModelSource(files=files, content='HERE / "model.onnx"')
    parts, _ = model_parts(call)
    if not _is_written(parts):
        return ModelSource(files=files, content='(HERE / "model.onnx").read_bytes()')
    has_constants = any(item.constant is not None for item in parts.given)
    names = ", ".join(["TensorProto", "helper", *["numpy_helper"] * has_constants])
    return ModelSource(imports=(f"from onnx import {names}",), code="\n".join(_lines(parts)))


def onnx_files(call: Call) -> dict[str, bytes]:
    """The call as an ONNX model in `model.onnx`, and the files that the model reads.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    lowered = lower(call)
    if isinstance(lowered, NotExpressibleOutcome):
        raise NotExpressible(lowered.message)
    files = {"model.onnx": lowered.model}
    return files if lowered.model_data is None else {**files, MODEL_DATA_FILE: lowered.model_data}


def _is_written(parts: ModelParts) -> bool:
    constants = [item.constant for item in parts.given if item.constant is not None]
    attributes = [item for node in parts.graph.nodes for item in node.attributes.items()]
    return (
        sum(constant.size for constant in constants) <= MAX_ELEMENTS
        and len(parts.graph.outputs) <= _MOST_OUTPUTS
        and not any(item.dtype.startswith("float6_") for item in parts.given)
        and all(_is_plain(name, value) for name, value in attributes)
    )


def _is_plain(name: str, value: Attribute) -> bool:
    """Whether `onnx.helper` makes the same attribute of a keyword argument."""
    is_list = not isinstance(value, bool | int | float | str)
    is_uniform = not is_list or len({type(item) for item in value}) == 1  # type: ignore[union-attr]
    return is_uniform and not keyword.iskeyword(name) and name not in ("name", "domain", "doc_string", "overload")


def _lines(parts: ModelParts) -> Iterator[str]:
    yield _assignment("nodes", [_node(item) for item in parts.graph.nodes])
    yield _assignment(
        "inputs",
        [_value(item.name, item.dtype, parts.inputs[item.name]) for item in parts.given if item.constant is None],
    )
    yield _assignment(
        "outputs", [_value(name, parts.output_dtype, parts.outputs[name]) for name in parts.graph.outputs]
    )
    constants = [
        f'numpy_helper.from_array({expression(item.constant)}, "{item.name}")'
        for item in parts.given
        if item.constant is not None
    ]
    if constants:
        yield _assignment("constants", constants)
    graph = f'helper.make_graph(nodes, "{parts.name}", inputs, outputs{", constants" if constants else ""})'
    opset = f'opset_imports=[helper.make_opsetid("", {parts.graph.opset})]'
    yield f"graph = {graph}"
    yield f"model = helper.make_model(graph, {opset}, ir_version={parts.ir_version})"


def _assignment(name: str, items: list[str]) -> str:
    line = f"{name} = [{', '.join(items)}]"
    if len(line) <= _LINE and "\n" not in line:
        return line
    return f"{name} = [\n" + "".join(textwrap.indent(item, "    ") + ",\n" for item in items) + "]"


def _node(node: GraphNode) -> str:
    attributes = "".join(
        f", {name}={value!r}" if isinstance(value, bool | int | float | str) else f", {name}={list(value)!r}"
        for name, value in node.attributes.items()
    )
    return f'helper.make_node("{node.op_type}", {_quoted(node.inputs)}, {_quoted(node.outputs)}{attributes})'


def _value(name: str, dtype: str | None, dims: tuple[int | str | None, ...] | None) -> str:
    if dtype is None:
        return f'helper.make_empty_tensor_value_info("{name}")'
    type_name = _TYPE_NAMES.get(dtype, dtype.upper().replace("_", ""))
    return (
        f'helper.make_tensor_value_info("{name}", TensorProto.{type_name}, {None if dims is None else _quoted(dims)})'
    )


def _quoted(items: Sequence[str | int | None]) -> str:
    """A list whose names have double quotes, as the rest of a script."""
    return "[" + ", ".join(f'"{item}"' if isinstance(item, str) else repr(item) for item in items) + "]"
