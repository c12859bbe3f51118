"""Reads an ONNX model as one graph: its functions inlined, its external data checked, and its opset known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from conformance.spec.lowering.onnx_proto import ELEMENT_TYPES
from conformance.tensors.dtypes import DTYPES as TYPES
from conformance.tensors.errors import UsageError
from conformance.tensors.files import content_of, opened
from conformance.tensors.tensor import allows, numpy_dtype
from conformance.tensors.text import one_line

MAX_MODEL_BYTES = (1 << 31) - 1
"""The format of ONNX's files holds no more."""
MAX_DATA_BYTES = 1 << 36
MAX_VALUES = 1 << 16
"""Inputs or outputs of a node: a case has no more."""
DTYPES = {number: name for name, number in ELEMENT_TYPES.items()}
"""The name of each element type by its number in ONNX."""
_NAME_A_MODEL = "name an ONNX model"
_NAME_A_VALID_MODEL = "name a valid ONNX model"


@contextmanager
def refusing(path: Path, what: str, fix: str = _NAME_A_VALID_MODEL) -> Iterator[None]:
    """Say what is wrong with a file where a library fails on it; the errors of these libraries have no common base."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001
        raise UsageError(str(path), f"{what}: {one_line(str(error))}", fix=fix) from None


def read_model(path: Path) -> onnx.ModelProto:
    """The model in a file, with its functions inlined and its external data left where it is.

    Raises:
        UsageError: the installed `onnx` cannot read the file as a model.
    """
    content = content_of(path, str(path), MAX_MODEL_BYTES)
    model = onnx.ModelProto()
    with refusing(path, "cannot be read", _NAME_A_MODEL):
        model.ParseFromString(content)
    _refuse_other_texts(path, model)
    _refuse_large_nodes(path, model)
    _refuse_wrong_opsets(path, model)
    _refuse_recursion(path, model)
    _refuse_missing_data(path, model)
    model = _inlined(path, model)
    _clear_unknown_dims(path, model)
    return model


def _refuse_other_texts(path: Path, message: Any, place: str = "") -> None:
    """Refuse names that are not UTF-8, which the library gives as bytes."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated else (value,):
            if field.type == field.TYPE_MESSAGE:
                _refuse_other_texts(path, one, f"{place}{field.name}.")
            elif field.type == field.TYPE_STRING and not isinstance(one, str):
                what = f"{place}{field.name} is {one_line(repr(one), 80)}, which is not UTF-8"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _refuse_large_nodes(path: Path, model: onnx.ModelProto) -> None:
    for node in nodes_of([*model.graph.node, *(node for function in model.functions for node in function.node)]):
        if max(len(node.input), len(node.output)) > MAX_VALUES:
            values = f"{len(node.input):,} inputs and {len(node.output):,} outputs"
            what = f"the node {one_line(node.name or node.op_type, 80)} has {values}, and {MAX_VALUES:,} are read"
            raise UsageError(str(path), what, fix="name a smaller model")


def _refuse_wrong_opsets(path: Path, model: onnx.ModelProto) -> None:
    if not model.opset_import:
        raise UsageError(str(path), "is not an ONNX model: it names no opset", fix=_NAME_A_MODEL)
    newest = onnx.defs.onnx_opset_version()
    for opset in (*model.opset_import, *(item for function in model.functions for item in function.opset_import)):
        if opset.domain in ("", "ai.onnx") and not 1 <= opset.version <= newest:
            what = f"uses opset {opset.version} of ONNX, and the installed onnx {onnx.__version__} knows 1 to {newest}"
            raise UsageError(str(path), what, fix="update the package onnx, or convert the model")


def _refuse_recursion(path: Path, model: onnx.ModelProto) -> None:
    calls = {
        (function.domain, function.name): {(node.domain, node.op_type) for node in nodes_of(function.node)}
        for function in model.functions
    }
    try:
        TopologicalSorter(calls).prepare()
    except CycleError as error:
        named = one_line(".".join(filter(None, min(error.args[1]))), 80)
        raise UsageError(str(path), f"the function {named} calls itself", fix=_NAME_A_VALID_MODEL) from None


def nodes_of(nodes: Sequence[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes, each followed by those of its subgraphs."""
    return (node for _, node in places_of(nodes))


def places_of(nodes: Sequence[onnx.NodeProto], place: str = "") -> Iterator[tuple[str, onnx.NodeProto]]:
    """The nodes, each followed by those of its subgraphs, whether they run or not, with their places."""
    for number, node in enumerate(nodes):
        yield f"{place}/{number}", node
        for name, graph in subgraphs_of(node).items():
            yield from places_of(graph.node, f"{place}/{number}/{name}")


def subgraphs_of(node: onnx.NodeProto) -> dict[str, onnx.GraphProto]:
    """The body or the branches of a node by the names of its attributes."""
    return {attribute.name: attribute.g for attribute in node.attribute if attribute.HasField("g")}


def values_of(model: onnx.ModelProto) -> Iterator[onnx.ValueInfoProto]:
    """What a model says of the values of all its graphs."""
    graphs = [model.graph, *(graph for node in nodes_of(model.graph.node) for graph in subgraphs_of(node).values())]
    for graph in graphs:
        yield from (*graph.input, *graph.value_info, *graph.output)


def _clear_unknown_dims(path: Path, model: onnx.ModelProto) -> None:
    """Leave out lengths of -1, with which exporters say that a length is unknown, and refuse others below 0."""
    for item in values_of(model):
        for dim in item.type.tensor_type.shape.dim:
            if dim.dim_value == -1:
                dim.Clear()
            elif dim.dim_value < 0:
                what = f"the value {one_line(item.name, 80)} has a dim of length {dim.dim_value}"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _refuse_missing_data(path: Path, model: onnx.ModelProto) -> None:
    """Refuse a model whose initializers do not have the bytes that their shapes need, in the model or next to it."""
    for tensor in _tensors_of(model):
        name = f"the initializer {one_line(tensor.name, 80)}"
        if any(dim < 0 for dim in tensor.dims):
            raise UsageError(str(path), f"{name} has a negative dim", fix=_NAME_A_VALID_MODEL)
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            _refuse_missing_file(path, tensor, name)
        elif tensor.HasField("raw_data") and tensor.data_type in DTYPES:
            needed, given = _bytes_needed(tensor), len(tensor.raw_data)
            if needed not in (None, given):
                what = f"{name} has {given:,} bytes, and its shape needs {needed:,}"
                raise UsageError(str(path), what, fix=_NAME_A_VALID_MODEL)


def _tensors_of(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """The initializers of all graphs, and the tensors of all constants."""
    yield from model.graph.initializer
    for node in nodes_of([*model.graph.node, *(node for function in model.functions for node in function.node)]):
        yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))
        yield from (tensor for graph in subgraphs_of(node).values() for tensor in graph.initializer)


def _refuse_missing_file(path: Path, tensor: onnx.TensorProto, name: str) -> None:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location, folder = entries.get("location", ""), path.parent.resolve()
    beside = folder.parent if "\0" in location else (folder / location).resolve()
    if not location or not beside.is_relative_to(folder):
        raise UsageError(str(path), f"the file of {name} is not beside the model", fix=_NAME_A_VALID_MODEL)
    with opened(beside, f"{path}: {one_line(location, 80)}", MAX_DATA_BYTES) as stream:
        size = stream.seek(0, 2)
    start, given = (entries.get(key, "0") for key in ("offset", "length"))
    needed = _bytes_needed(tensor)
    is_number = start.isdecimal() and given.isdecimal()
    if not is_number or needed is None or (int(given) not in (0, needed)) or int(start) + needed > size:
        what = f"the file {one_line(location, 80)} does not hold {name}"
        raise UsageError(str(path), what, fix="name the model with all of its external data")


def _bytes_needed(tensor: onnx.TensorProto) -> int | None:
    """The bytes of a tensor; None if they do not follow from its shape."""
    dtype = DTYPES.get(tensor.data_type, "string")
    if dtype == "string":
        return None
    num_bits: int = math.prod(tensor.dims) * TYPES[dtype].bits
    return -(-num_bits // 8)


def _inlined(path: Path, model: onnx.ModelProto) -> onnx.ModelProto:
    if not model.functions:
        return model
    import onnx.inliner

    with refusing(path, "its functions cannot be inlined"):
        return onnx.inliner.inline_local_functions(model)


def elements_of(path: Path, tensor: onnx.TensorProto) -> NDArray[Any]:
    """The elements of an initializer or a constant.

    Raises:
        UsageError: they do not fit its shape.
    """
    with refusing(path, f"the initializer {one_line(tensor.name, 80)} cannot be read"):
        return np.asarray(onnx.numpy_helper.to_array(tensor, str(path.parent)))


def read_inputs(path: Path | None, model: onnx.ModelProto) -> Mapping[str, NDArray[Any]]:
    """The arrays of an npz file, with the types of the graph's inputs; none without a file.

    NumPy's files have no names for types such as bfloat16: the model names them.

    Raises:
        UsageError: it is not such a file, or its arrays are not the inputs of the model.
    """
    if path is None:
        return {}
    declared = {item.name: item.type.tensor_type for item in model.graph.input}
    given = {initializer.name for initializer in model.graph.initializer}
    arrays = _arrays(path)
    if unknown := sorted(set(arrays) - set(declared)):
        named = ", ".join(one_line(name, 40) for name in declared)
        raise UsageError(str(path), f"the model has no input {one_line(unknown[0], 80)}", fix=f"it has {named}")
    if missing := sorted(set(declared) - set(arrays) - given):
        raise UsageError(str(path), f"lacks the input {one_line(missing[0], 80)}", fix="name each input of the graph")
    return {name: _typed(path, name, array, declared[name]) for name, array in arrays.items()}


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    refused = refusing(path, "is not an npz file of arrays", "write one with numpy.savez")
    with opened(path, str(path), MAX_DATA_BYTES) as stream, refused, np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)


def _typed(path: Path, name: str, array: NDArray[Any], declared: onnx.TypeProto.Tensor) -> NDArray[Any]:
    dtype = DTYPES.get(declared.elem_type, "")
    if dtype and dtype != "string" and array.dtype.kind == "V" and array.dtype.itemsize == numpy_dtype(dtype).itemsize:
        array = array.view(numpy_dtype(dtype))
    shown = one_line(name, 80)
    if dtype and (array.dtype.kind not in "OSUT" if dtype == "string" else str(array.dtype) != dtype):
        raise UsageError(
            str(path), f"{shown} has the type {array.dtype}", fix=f"write it as {dtype}, as the model does"
        )
    dims = tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in declared.shape.dim)
    if declared.HasField("shape") and not allows(dims, array.shape):
        wanted = ", ".join("any" if dim is None else str(dim) for dim in dims)
        raise UsageError(str(path), f"{shown} has the shape {list(array.shape)}", fix=f"the model takes [{wanted}]")
    return array.astype(object) if array.dtype.kind in "SUT" else array
