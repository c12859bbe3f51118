"""Writes tensors and ONNX models as Python, as a reader of a script would write them.

Small tensors become bit-exact expressions, large ones files of raw bytes. A model becomes the calls of `onnx.helper`
that make it.
"""

from __future__ import annotations

import ast
import keyword
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from conformance.adapter import NotExpressible
from conformance.protocol.call import MODEL_DATA_FILE, Attribute, Call
from conformance.protocol.form import Encoding
from conformance.protocol.outcome import NotExpressibleOutcome
from conformance.report.tensors import nested
from conformance.spec.lowering.onnx_model import ModelParts, lower, model_parts
from conformance.spec.lowering.onnx_proto import GraphNode
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import Tensor, array_from_tensor, has_same_bits, mask_unused_bits, numpy_dtype

MAX_ELEMENTS = 64
"""Tensors with more elements go into files, except strings."""
_LINE = 88


class DataFiles:
    """Expressions for tensors, and the files next to the script that the expressions read."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def tensor(self, name: str, tensor: Tensor) -> str:
        """An expression for one tensor; `name` names the file, if it needs one."""
        if tensor.size <= MAX_ELEMENTS or tensor.dtype == "string":
            return expression(tensor)
        return f"{self._read(name, [tensor])}[0]"

    def tensors(self, name: str, tensors: Sequence[Tensor]) -> str:
        """An expression for a list of tensors."""
        is_small = sum(tensor.size for tensor in tensors) <= MAX_ELEMENTS and len(tensors) <= MAX_ELEMENTS
        if is_small or len({tensor.dtype for tensor in tensors} - {"string"}) != 1:
            return f"[{', '.join(self.tensor(f'{name}_{number}', item) for number, item in enumerate(tensors))}]"
        return self._read(name, tensors)

    def _read(self, name: str, tensors: Sequence[Tensor]) -> str:
        file = f"{name}.bin"
        self.files[file] = b"".join(mask_unused_bits(tensor) for tensor in tensors)
        bounds = [(shape, len(list(same))) for shape, same in groupby(tensor.shape for tensor in tensors)]
        shapes = " + ".join(f"[{shape}]" + (f" * {count}" if count > 1 else "") for shape, count in bounds)
        return f'read("{file}", {dtype_expression(tensors[0].dtype)}, {shapes})'


def dtype_expression(dtype: str) -> str:
    """The NumPy type as an expression, from ml_dtypes if NumPy lacks it; raw bits are a record of one byte."""
    import numpy as np

    if dtype == "string":
        return "object"
    if dtype == "bool":
        return "np.bool_"
    if DTYPES[dtype].category is Category.RAW:
        return f'np.dtype([("{dtype}", np.uint8)])'
    return f"np.{dtype}" if hasattr(np, dtype) else f"ml_dtypes.{dtype}"


def expression(tensor: Tensor) -> str:
    """A NumPy expression for a tensor: from its values if they restore the same bits, else from its bits."""
    dtype = dtype_expression(tensor.dtype)
    if not tensor.size:
        return f"np.empty({tensor.shape}, {dtype})"
    texts = _value_texts(tensor)
    if texts is not None:
        return _array(texts, tensor.shape, dtype)
    width = min(tensor.element_type.itemsize, 8)
    data = mask_unused_bits(tensor)
    patterns = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
    flat = _array([f"0x{pattern:0{2 * width}x}" for pattern in patterns], (len(patterns),), f"np.uint{8 * width}")
    viewed = f"{flat}.view({dtype})"
    return viewed if tensor.shape == (tensor.size,) else f"{viewed}.reshape({tensor.shape})"


def _value_texts(tensor: Tensor) -> list[str] | None:
    """The elements as Python literals; None if that would lose a bit."""
    import numpy as np

    if tensor.element_type.category is Category.RAW:
        return None
    array = array_from_tensor(tensor).reshape(-1)
    if tensor.dtype == "string":
        return [ascii(item) for item in array.tolist()]
    if tensor.dtype == "bool" and set(tensor.data) - {0, 1}:
        return None
    if tensor.element_type.category in (Category.FLOAT, Category.SIGNED, Category.UNSIGNED) and not hasattr(
        np, tensor.dtype
    ):
        with np.errstate(all="ignore"):
            array = array.astype(np.float64 if tensor.element_type.category is Category.FLOAT else np.int64)
    texts = [repr(item) for item in array.tolist()]
    try:
        values = [ast.literal_eval(text) for text in texts]
    except ValueError:
        return None  # no literal for a NaN or an infinity
    with np.errstate(all="ignore"):
        back = np.array(values, numpy_dtype(tensor.dtype))
    return texts if has_same_bits(Tensor(tensor.dtype, tensor.shape, back.tobytes()), tensor) else None


def _array(texts: Sequence[str], shape: Sequence[int], dtype: str) -> str:
    """`np.array([[1, 2], [3, 4]], np.int64)`; if too long, a flat array over several lines with `.reshape`."""
    brackets = nested(texts, shape)
    if len(brackets) <= _LINE:
        return f"np.array({brackets}, {dtype})"
    lines = ",\n".join(texts) if dtype == "object" else textwrap.fill(", ".join(texts), _LINE)
    flat = f"np.array([\n{textwrap.indent(lines, '    ')},\n], {dtype})"
    return flat if len(shape) == 1 else f"{flat}.reshape({tuple(shape)})"


_TYPE_NAMES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "float4_e2m1fn": "FLOAT4E2M1",
    "float8_e8m0fnu": "FLOAT8E8M0",
}
_MOST_OUTPUTS = 16
_MODEL_LINE = 110


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
    if len(line) <= _MODEL_LINE and "\n" not in line:
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
