"""Writes the calls of known operators in an ONNX model as cases: their shapes, types and constants, and no weights.

The outputs are what the reference makes of numbered elements.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from conformance.authoring.proposed_outputs import parts_along, strides_of
from conformance.lowering.onnx_proto import ELEMENT_TYPES
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.operator import Operator
from conformance.spec.reference import evaluate
from conformance.values.errors import UsageError
from conformance.values.tensor import Tensor, array_from_tensor, tensor_from_array
from conformance.values.text import counted, one_line

_MAX_WRITTEN = 1024
"""The most elements of an argument or an output that are written out one by one."""
_DIMS = (2, 3, 5, 7, 11, 13)
"""The lengths of symbolic dims, in the order in which the model names them; later ones get the last."""
_EXACT = ("int64", "uint64", "float64")
"""Types whose values can number all elements; every operator takes one of them as data."""
_NAMES = {number: name for name, number in ELEMENT_TYPES.items()}


class _LeftOutError(Exception):
    """A node that no case can be made of; the text says why."""


@dataclass(frozen=True, slots=True)
class KnownValue:
    """What is known of a value in the model: its type, its shape, and its elements if they are constant and few."""

    dtype: str
    shape: tuple[int, ...]
    elements: NDArray[Any] | None = None


ScopedNode = tuple[onnx.NodeProto, Mapping[str, KnownValue]]
"""A node, with what is known of the values in its scope."""


@dataclass(slots=True)
class ModelCases:
    """The cases of a model: the text of a file for each operator, and how many nodes were left out, by reason."""

    files: dict[str, str] = field(default_factory=dict)
    num_cases: int = 0
    num_nodes: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def cases_of_model(path: Path, inputs: Mapping[str, NDArray[Any]], operators: Sequence[Operator]) -> ModelCases:
    """The cases of the nodes of a model whose operator version is one of these.

    Args:
        path: the model; its external data lies beside it.
        inputs: values for inputs of the graph, by name. With them, all values are computed, and so known.
        operators: those that cases can be written for.

    Raises:
        UsageError: the file is no model, or cannot be computed with these inputs.
    """
    model = _read(path)
    opsets = {item.domain: item.version for item in model.opset_import}
    known = {operator.id: operator for operator in operators if operator.dialect == "onnx"}
    made = ModelCases()
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for node, values in _nodes(path, model, inputs):
        operator = known.get(_operator_id(node, opsets))
        if operator is None:
            continue
        made.num_nodes += 1
        try:
            text = _case_text(node, operator, values)
        except _LeftOutError as error:
            made.left_out[f"{operator.id}: {error}"] += 1
        else:
            nodes[operator.id][text].append(node.name)
    for operator_id, by_text in nodes.items():
        made.num_cases += len(by_text)
        made.files[operator_id] = _file_text(known[operator_id], path.name, by_text)
    return made


def _read(path: Path) -> onnx.ModelProto:
    try:
        model: onnx.ModelProto = onnx.load(path)
    except Exception as error:  # noqa: BLE001  (those of protobuf, of the checker and of files have no common base)
        raise UsageError(str(path), f"cannot be read: {one_line(str(error))}", fix="name an ONNX model") from None
    if not model.opset_import:
        raise UsageError(str(path), "is no ONNX model: it names no opset", fix="name an ONNX model")
    return model


def _operator_id(node: onnx.NodeProto, opsets: Mapping[str, int]) -> str:
    """The operator version that a node means, such as `onnx.Split-13`; empty if it is not one of ONNX."""
    if node.domain not in ("", "ai.onnx"):
        return ""
    version = opsets.get("", opsets.get("ai.onnx", 0))
    try:
        schema = onnx.defs.get_schema(node.op_type, version, "")
    except onnx.defs.SchemaError:
        return ""
    return f"onnx.{node.op_type}-{schema.since_version}"


def _nodes(path: Path, model: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]]) -> Iterator[ScopedNode]:
    """Each node, those of subgraphs too, with what is known of the values in its scope.

    Raises:
        UsageError: the model is invalid.
    """
    _fix_dims(model, inputs)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        what = f"its types and shapes cannot be inferred: {one_line(str(error))}"
        raise UsageError(str(path), what, fix="name a valid ONNX model") from None
    computed = _computed(model, inputs) if inputs else {}
    yield from _nodes_of(inferred.graph, computed)


def _nodes_of(graph: onnx.GraphProto, outer: Mapping[str, KnownValue]) -> Iterator[ScopedNode]:
    values = {**_described(graph), **outer, **_constants(graph)}
    for node in graph.node:
        yield node, values
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes_of(inner, values)


def _fix_dims(model: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]]) -> None:
    """Give each input of the graph the shape of its value, or each symbolic dim a length."""
    lengths: dict[str, int] = {}
    for item in model.graph.input:
        if item.name in inputs:
            del item.type.tensor_type.shape.dim[:]
            for length in inputs[item.name].shape:
                item.type.tensor_type.shape.dim.add().dim_value = length
            continue
        for place, dim in enumerate(item.type.tensor_type.shape.dim):
            if not dim.HasField("dim_value"):
                name = dim.dim_param or f"{item.name} {place}"
                dim.dim_value = lengths.setdefault(name, _DIMS[min(len(lengths), len(_DIMS) - 1)])
    del model.graph.value_info[:]


def _described(graph: onnx.GraphProto) -> dict[str, KnownValue]:
    """The values of which types and shapes are known."""
    found = {}
    for item in (*graph.input, *graph.value_info, *graph.output):
        tensor = item.type.tensor_type
        dtype = _NAMES.get(tensor.elem_type)
        if (
            dtype is not None
            and tensor.HasField("shape")
            and all(dim.HasField("dim_value") for dim in tensor.shape.dim)
        ):
            found[item.name] = KnownValue(dtype, tuple(dim.dim_value for dim in tensor.shape.dim))
    return found


def _constants(graph: onnx.GraphProto) -> dict[str, KnownValue]:
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            tensors[node.output[0]] = node.attribute[0].t
    found = {}
    for name, tensor in tensors.items():
        dtype = _NAMES.get(tensor.data_type)
        if dtype is not None:
            is_small = math.prod(tensor.dims) <= _MAX_WRITTEN
            found[name] = KnownValue(
                dtype, tuple(tensor.dims), onnx.numpy_helper.to_array(tensor) if is_small else None
            )
    return found


def _computed(model: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]]) -> dict[str, KnownValue]:
    """All values that ONNX's reference implementation computes from these inputs.

    Raises:
        UsageError: it cannot compute them.
    """
    from onnx.reference import ReferenceEvaluator

    try:
        values = ReferenceEvaluator(model).run(None, dict(inputs), intermediate=True)
    except Exception as error:  # noqa: BLE001  (it raises what NumPy raises)
        what = f"the model cannot be computed with these inputs: {one_line(f'{type(error).__name__}: {error}')}"
        raise UsageError("--inputs", what, fix="name each input of the graph, with its type and shape") from None
    found = {}
    for name, value in values.items():
        dtype = str(value.dtype) if hasattr(value, "dtype") else ""
        if dtype in ELEMENT_TYPES:
            found[name] = KnownValue(dtype, value.shape, value if value.size <= _MAX_WRITTEN else None)
    return found


@dataclass(slots=True)
class _NodeCall:
    """A node as a call: its arguments as a case file writes them, and as tensors, the data as its elements' numbers."""

    operator: Operator
    num_outputs: int
    written: dict[str, Any] = field(default_factory=dict)
    numbered: dict[str, Tensor | Any] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    """The numbers of elements of the data inputs."""


def _case_text(node: onnx.NodeProto, operator: Operator, values: Mapping[str, KnownValue]) -> str:
    """The case that a node makes, without its id."""
    call = _NodeCall(operator, len(node.output))
    _add_inputs(call, node, values)
    _add_attributes(call, node)
    try:
        outputs = evaluate(operator.id, call.numbered, call.num_outputs)
    except BrokenClauseError as error:
        raise _LeftOutError(f"the call violates {error.clause}") from None
    expected: list[Any]
    if operator.axis is not None:
        expected = parts_along(call.written.get(operator.axis, operator.default_axis or 0), outputs)
    else:
        expected = [_arrangement(array_from_tensor(output).astype("int64"), call.sizes) for output in outputs]
    counts = {operator.lengths, operator.num_outputs} & call.written.keys()
    lines = [
        f'versions: "=={operator.version}"',
        f"clauses: [{_result_clause(operator)}]",
        f"arguments: {json.dumps(call.written)}",
        *([] if operator.has_one_output or counts else [f"declared_outputs: {call.num_outputs}"]),
        f"outputs: {json.dumps(expected)}",
    ]
    return "\n".join(lines)


def _result_clause(operator: Operator) -> str:
    """The clause that says what the outputs hold."""
    results = [clause.id for clause in operator.clauses.values() if clause.kind == "result"]
    return next((clause for clause in results if clause.startswith("outputs.")), results[0])


def _add_inputs(call: _NodeCall, node: onnx.NodeProto, values: Mapping[str, KnownValue]) -> None:
    operator, given = call.operator, list(node.input)
    for place, parameter in enumerate(operator.inputs):
        names = [name for name in (given[place:] if parameter.is_variadic else given[place : place + 1]) if name]
        found = [_known(values, name) for name in names]
        if not found:
            continue
        if parameter not in operator.data_inputs:
            elements = found[0].elements
            if elements is None:
                raise _LeftOutError(f"{parameter.name} is no constant: --inputs makes its value known")
            call.numbered[parameter.name] = tensor_from_array(elements)
            is_default = found[0].dtype == parameter.default_dtype
            plain = elements.tolist()
            call.written[parameter.name] = plain if is_default else {"dtype": found[0].dtype, "values": plain}
            continue
        dtype = next(name for name in _EXACT if name in operator.data_dtypes)
        tensors = []
        for item in found:
            if item.dtype not in operator.data_dtypes:
                raise _LeftOutError(f"this version has no {item.dtype}")
            start, size = sum(call.sizes), math.prod(item.shape)
            tensors.append(tensor_from_array(np.arange(start, start + size).reshape(item.shape).astype(dtype)))
            call.sizes.append(size)
        texts = [{"dtype": item.dtype, "shape": list(item.shape)} for item in found]
        if parameter.is_variadic:
            call.written[parameter.name] = texts
            call.numbered |= {f"{parameter.name}_{number}": tensor for number, tensor in enumerate(tensors)}
        else:
            call.written[parameter.name], call.numbered[parameter.name] = texts[0], tensors[0]


def _known(values: Mapping[str, KnownValue], name: str) -> KnownValue:
    if name not in values:
        raise _LeftOutError("a type or a shape is unknown: --inputs makes it known")
    return values[name]


def _add_attributes(call: _NodeCall, node: onnx.NodeProto) -> None:
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if not isinstance(value, (int, float, str, list)):
            raise _LeftOutError(f"the attribute {one_line(attribute.name, 40)} is neither a number nor a text")
        call.written[attribute.name] = call.numbered[attribute.name] = value


def _arrangement(numbers: NDArray[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """Which element stands at each place, in the shortest form that says it."""
    block = _block(numbers)
    if block is not None:
        return {"block": block}
    ends = np.cumsum(sizes)
    for axis in range(numbers.ndim):
        slices = [numbers.take([index], axis) for index in range(numbers.shape[axis])]
        owners = [np.unique(np.searchsorted(ends, item, side="right")) for item in slices]
        if all(len(owner) == 1 for owner in owners):
            groups = groupby(zip(owners, slices, strict=True), key=lambda pair: int(pair[0][0]))
            blocks = [_block(np.concatenate([item for _, item in group], axis)) for _, group in groups]
            if None not in blocks:
                return {"joined": blocks, "along": axis}
    if numbers.size > _MAX_WRITTEN:
        raise _LeftOutError(f"an output of {counted(numbers.size, 'element')} has no short form")
    return {"at": numbers.tolist()}


def _block(numbers: NDArray[Any]) -> dict[str, Any] | None:
    """The numbers as a start and strides, if they are so."""
    shape, unseen = list(numbers.shape), [1] * numbers.ndim
    if not numbers.size:
        return {"start": 0, "shape": shape, "strides": unseen}
    strides = strides_of(numbers, unseen)
    return None if strides is None else {"start": int(numbers.flat[0]), "shape": shape, "strides": strides}


def _file_text(operator: Operator, model: str, nodes_by_text: Mapping[str, Sequence[str]]) -> str:
    lines = [f"operator: {operator.family}", f"about: {json.dumps(f'Calls in the model {one_line(model)}.')}", "cases:"]
    for number, (text, names) in enumerate(nodes_by_text.items(), 1):
        first, *others = names
        more = f", and {counted(len(others), 'other node')} with the same call" if others else ""
        lines.append(f"  # node {json.dumps(one_line(first))}{more}")
        lines.append(f"  - id: call-{number}")
        lines += [f"    {line}" for line in text.splitlines()]
    return "\n".join(lines) + "\n"
