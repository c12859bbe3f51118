"""Writes a call as a serialized ONNX model: one node, plus those next to it and those of the lowering.

An ONNX call is written as it is, valid or not, because the framework must check it. `openvino_split` first rewrites
calls of the other dialect. Imports neither onnx nor protobuf nor NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import assert_never

from conformance.protocol.call import MODEL_DATA_FILE, Attribute, Call, Input
from conformance.protocol.form import Encoding, Graph
from conformance.protocol.outcome import NotExpressibleOutcome
from conformance.spec.lowering import onnx_proto as protobuf
from conformance.spec.lowering.onnx_proto import (
    ELEMENT_TYPES,
    AttributeField,
    AttributeType,
    DataLocation,
    DimensionField,
    GraphField,
    GraphNode,
    ModelField,
    Node,
    NodeField,
    NoLoweringError,
    OperatorSetIdField,
    StringStringEntryField,
    TensorField,
    TensorShapeField,
    TensorTypeField,
    TypeField,
    ValueInfoField,
)
from conformance.spec.lowering.openvino_split import REWRITES, TARGET_LAST_OPSET, TARGET_VERSION
from conformance.spec.references.signature import CLASSIC, FLOATS, WITH_BFLOAT16
from conformance.tensors.tensor import Bytes, Tensor, unpack_strings

# Names of the dims that a model does not know: the same name where the page makes two dims equal.
#
# An exporter names such dims, and importers take an unnamed one in other ways.

Dim = int | str
"""A length, or the name of a length that the model does not know."""


def input_dims(node: Node) -> dict[str, tuple[Dim, ...] | None]:
    """The dims of each input of a node by the input's name; None for an unknown rank."""
    given = [item for item in node.inputs if item is not None]
    own = {item.name: _named(item.name, item.dims) for item in given}
    if node.op_type != "Concat":
        return own
    first, axis = own[given[0].name] if given else None, _axis(node, given)
    return {name: _aligned(dims, first, axis) for name, dims in own.items()}


def output_dims(node: Node, output: str, rank: int) -> tuple[Dim, ...]:
    """The dims of an output of a node: those of its data that the page leaves as they are, else names of its own."""
    own = _named(output, (None,) * rank) or ()
    given = [item for item in node.inputs if item is not None]
    data = input_dims(node)[given[0].name] if given else None
    if data is None:
        return own
    kept = _kept(node, given, len(data))
    return tuple(data[kept[place]] if place in kept else dim for place, dim in enumerate(own))


def _named(name: str, dims: Sequence[int | None] | None) -> tuple[Dim, ...] | None:
    if dims is None:
        return None
    return tuple(f"{name}_dim_{place}" if dim is None else dim for place, dim in enumerate(dims))


def _aligned(dims: tuple[Dim, ...] | None, first: tuple[Dim, ...] | None, axis: int | None) -> tuple[Dim, ...] | None:
    """The dims of a further input of a Concat: unknown ones have the names of the first input, but along the axis."""
    if dims is None or first is None or axis is None or len(dims) != len(first):
        return dims
    pairs = enumerate(zip(dims, first, strict=True))
    return tuple(dim if isinstance(dim, int) or place == axis else other for place, (dim, other) in pairs)


def _kept(node: Node, given: Sequence[Input], rank: int) -> Mapping[int, int]:
    """For dims of an output, by place, the place of the dim of the data that the page makes equal to it."""
    match node.op_type:
        case "Split" | "Concat":
            axis = _axis(node, given)
            return {} if axis is None else {place: place for place in range(rank) if place != axis}
        case "Transpose":
            perm = node.attributes.get("perm", tuple(reversed(range(rank))))
            sources = [item for item in perm if isinstance(item, int)] if isinstance(perm, Sequence) else []
            return dict(enumerate(sources)) if sorted(sources) == list(range(rank)) else {}
        case _:
            return {}


def _axis(node: Node, given: Sequence[Input]) -> int | None:
    """The axis of a node, counted from the front; None if it addresses no dim."""
    default: Attribute = 1 if (node.op_type, node.version) == ("Concat", 1) else 0
    axis, dims = node.attributes.get("axis", default), given[0].dims if given else None
    if not isinstance(axis, int) or dims is None or not -len(dims) <= axis < len(dims):
        return None
    return axis % len(dims)


# The nodes of a graph: the operator and those next to it. A control has no operator.

# The allowed types by operator and by the first opset that allows them.
_TYPES: Mapping[str, Mapping[int, frozenset[str]]] = {
    "Relu": {1: FLOATS, 13: FLOATS | {"bfloat16"}, 14: FLOATS | {"bfloat16", "int8", "int16", "int32", "int64"}},
    "Concat": {1: FLOATS, 4: CLASSIC, 13: WITH_BFLOAT16},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxGraph:
    """Nodes in execution order, at an opset version. Outputs are `output_0` and so on, numbered as at the operator."""

    opset: int
    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]


def graph_of(node: Node, graph: Graph, concat_axis: int | None, encoding: Encoding) -> OnnxGraph:
    """The operator with the nodes next to it; inputs and outputs are named as the encoding requires.

    Raises:
        NoLoweringError: a node next to the operator does not take the type of its data.
    """
    inputs = tuple("" if item is None else item.name for item in node.inputs)
    before: tuple[GraphNode, ...] = ()
    if node.resolution is not None:
        before, inputs = node.resolution.nodes, (inputs[0], node.resolution.lengths)
    outputs = tuple(f"output_{index}" for index in range(node.declared_outputs))
    if encoding is Encoding.UNNAMED_OUTPUTS:
        outputs = tuple("" if index % 2 else name for index, name in enumerate(outputs))
    operator = GraphNode(op_type=node.op_type, inputs=inputs, outputs=outputs, attributes=node.attributes)
    opset = node.last_opset or node.version  # the operators next to it take more types in later opsets
    match graph:
        case Graph.NONE:
            return OnnxGraph(opset=node.version, nodes=(*before, operator), outputs=tuple(filter(None, outputs)))
        case Graph.UNUSED_OUTPUTS:
            return OnnxGraph(opset=node.version, nodes=(*before, operator), outputs=outputs[::2])
        case Graph.AFTER_RELU:
            _require_type("Relu", opset, node.inputs[0])
            relu = GraphNode(op_type="Relu", inputs=inputs[:1], outputs=("rectified",))
            return OnnxGraph(
                opset=opset,
                nodes=(*before, relu, replace(operator, inputs=("rectified", *inputs[1:]))),
                outputs=outputs,
            )
        case Graph.BEFORE_CONCAT:
            _require_type("Concat", opset, node.inputs[0])
            assert concat_axis is not None
            parts = tuple(f"part_{index}" for index in range(node.declared_outputs))
            concat = GraphNode(op_type="Concat", inputs=parts, outputs=("output_0",), attributes={"axis": concat_axis})
            return OnnxGraph(
                opset=opset, nodes=(*before, replace(operator, outputs=parts), concat), outputs=("output_0",)
            )
        case _:
            assert_never(graph)


def control_graph(call: Call, version: int, last_opset: int | None) -> OnnxGraph:
    """The nodes of a control, at the opset of a graph with this version of the operator.

    Raises:
        NoLoweringError: they do not take the type of the data.
    """
    names, attributes, opset = tuple(item.name for item in call.passed_on), {}, last_opset or version
    match call.graph:
        case Graph.NONE | Graph.UNUSED_OUTPUTS:
            op_type, opset = "Identity", version
        case Graph.AFTER_RELU:
            op_type = "Relu"
            _require_type(op_type, opset, call.inputs[0])
        case Graph.BEFORE_CONCAT:
            assert call.concat_axis is not None
            op_type, attributes = "Concat", {"axis": call.concat_axis}
            _require_type(op_type, opset, call.inputs[0])
        case _:
            assert_never(call.graph)
    only = GraphNode(op_type=op_type, inputs=names, outputs=("output_0",), attributes=attributes)
    return OnnxGraph(opset=opset, nodes=(only,), outputs=only.outputs)


def _require_type(op_type: str, opset: int, data: Input | None) -> None:
    by_version = _TYPES[op_type]
    version = max(since for since in by_version if since <= opset)
    if data is None or data.dtype not in by_version[version]:
        dtype = "no data" if data is None else f"no {data.dtype}"
        raise NoLoweringError(f"ONNX {op_type} takes {dtype} in opset {opset}")


# The lowest sufficient IR version, because runtimes reject models newer than themselves. None of them rejects
# version 8; from version 4 on, constants need not be inputs. Comments in onnx.proto name the versions of later types.
_OLDEST_IR_VERSION = 8
_IR_VERSIONS = {17: 9, 18: 9, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13, 27: 14, 28: 14}

_Dims = tuple[Dim | None, ...] | None
"""A shape in a model: a length, a name or nothing for each dim; None as a whole for an unknown rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParts:
    """What a model says: its graph, the inputs and constants, and the dims of runtime inputs and outputs by name.

    `output_dtype` is the type of the outputs, and None if the model has no type for them.
    """

    name: str
    graph: OnnxGraph
    given: Sequence[Input]
    output_dtype: str | None
    inputs: Mapping[str, _Dims]
    outputs: Mapping[str, _Dims]

    @property
    def ir_version(self) -> int:
        """The lowest version of the format with all types."""
        versions = (_IR_VERSIONS.get(_element_type(item.dtype), 0) for item in self.given)
        return max(_OLDEST_IR_VERSION, *versions, 0)


_MOST_OUTPUTS = 1 << 17
_INT64 = range(-(1 << 63), 1 << 63)
_BYTE = 8
# Alignment of external data, so that it can be memory-mapped, as onnx.proto recommends.
_ALIGNMENT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A serialized `ModelProto`.

    `lowered` says in a few words how the call was rewritten; empty for an ONNX call. `model_data` is the external data
    of the model's constants.
    """

    model: bytes
    lowered: str
    model_data: bytes | None = None


def lower(call: Call) -> Lowered | NotExpressibleOutcome:
    """The call as an ONNX model, or the reason why there is none.

    Constants become initializers, the other inputs graph inputs with the same names, and the outputs `output_0`,
    `output_1` and so on. Outputs have a rank, and only dims that the page makes equal to dims of an input, so that the
    model does not reveal the expected shapes. Dims that are not known have names.
    """
    try:
        if call.dialect != "onnx" and call.operator not in REWRITES:
            return NotExpressibleOutcome(message=f"there is no lowering of {call.operator} to ONNX")
        external_data = bytearray() if call.encoding is Encoding.EXTERNAL_DATA else None
        parts, words = model_parts(call)
        model = _serialized(parts, external_data)
        return Lowered(model=model, lowered=words, model_data=None if external_data is None else bytes(external_data))
    except NoLoweringError as error:
        return NotExpressibleOutcome(message=str(error))


def model_parts(call: Call) -> tuple[ModelParts, str]:
    """What the model of a call that has a lowering says, and in a few words how the call was rewritten.

    Raises:
        NoLoweringError: ONNX has no such element type, or no field for a value, or a node next to the operator does not
            take the type.
    """
    if call.is_control:
        return _control_parts(call), ""
    node, words = (_node_of_call(call), "") if call.dialect == "onnx" else REWRITES[call.operator](call)
    if node.declared_outputs > _MOST_OUTPUTS:
        raise NoLoweringError(f"a model that declares {node.declared_outputs} outputs is too large to write")
    graph = graph_of(node, call.graph, call.concat_axis, call.encoding)
    given = [item for item in node.inputs if item is not None]
    given += node.resolution.constants if node.resolution is not None else ()
    return _parts(f"{node.op_type}-{node.version}", node, call, graph, given), words


def _parts(name: str, node: Node, call: Call, graph: OnnxGraph, given: Sequence[Input]) -> ModelParts:
    inputs: dict[str, _Dims] = dict(input_dims(node))
    if call.encoding is Encoding.UNNAMED_DIMS:
        inputs = {item.name: item.dims for item in call.inputs}
    outputs = {name: _output_dims(node, call, name) for name in graph.outputs}
    return ModelParts(
        name=name, graph=graph, given=given, output_dtype=call.output_dtype, inputs=inputs, outputs=outputs
    )


def _output_dims(node: Node, call: Call, output: str) -> _Dims:
    if call.output_rank is None or call.encoding is Encoding.SHAPELESS_OUTPUTS:
        return None
    if call.encoding is Encoding.UNNAMED_DIMS:
        return (None,) * call.output_rank
    return output_dims(node, output, call.output_rank)


def _control_parts(call: Call) -> ModelParts:
    """Only the nodes next to the operator."""
    if call.dialect == "onnx":
        graph = control_graph(call, int(call.operator.rpartition("-")[2]), call.last_opset)
    else:
        graph = control_graph(call, TARGET_VERSION, TARGET_LAST_OPSET)
    node = Node(op_type="control", version=1, inputs=call.inputs, attributes={}, declared_outputs=1, last_opset=None)
    dims = call.inputs[0].dims
    known = replace(call, output_dtype=call.inputs[0].dtype, output_rank=None if dims is None else len(dims))
    return _parts("control", node, known, graph, call.inputs)


def _serialized(parts: ModelParts, external_data: bytearray | None) -> bytes:
    return b"".join(
        (
            protobuf.integer(ModelField.IR_VERSION, parts.ir_version),
            protobuf.text(ModelField.PRODUCER_NAME, "opconform"),
            protobuf.message(ModelField.OPSET_IMPORT, _opset_import(parts.graph.opset)),
            protobuf.message(ModelField.GRAPH, b"".join(_graph_fields(parts, external_data))),
        )
    )


def _node_of_call(call: Call) -> Node:
    name, _, version = call.operator.partition(".")[2].rpartition("-")
    return Node(
        op_type=name,
        version=int(version),
        inputs=call.placed_inputs,
        attributes=call.attributes,
        declared_outputs=call.declared_outputs,
        last_opset=call.last_opset,
    )


@lru_cache
def _opset_import(version: int) -> bytes:
    return protobuf.text(OperatorSetIdField.DOMAIN, "") + protobuf.integer(OperatorSetIdField.VERSION, version)


def _graph_fields(parts: ModelParts, external_data: bytearray | None) -> Iterator[bytes]:
    for item in parts.graph.nodes:
        yield protobuf.message(GraphField.NODE, b"".join(_node_fields(item)))
    yield protobuf.text(GraphField.NAME, parts.name)
    for argument in parts.given:
        if argument.constant is None:
            info = _value_info(argument.name, _element_type(argument.dtype), parts.inputs[argument.name])
            yield protobuf.message(GraphField.INPUT, info)
        else:
            fields = _tensor_fields(argument.name, argument.constant, external_data)
            yield protobuf.message(GraphField.INITIALIZER, b"".join(fields))
    for output in parts.graph.outputs:
        yield protobuf.message(GraphField.OUTPUT, _output_info(output, parts))


def _node_fields(node: GraphNode) -> Iterator[bytes]:
    for name in node.inputs:
        yield protobuf.text(NodeField.INPUT, name)
    for name in node.outputs:
        yield protobuf.text(NodeField.OUTPUT, name)
    yield protobuf.text(NodeField.OP_TYPE, node.op_type)
    for name, value in node.attributes.items():
        yield protobuf.message(NodeField.ATTRIBUTE, _attribute(name, value))


def _attribute(name: str, value: Attribute) -> bytes:
    kind, content = _attribute_content(name, value)
    return protobuf.text(AttributeField.NAME, name) + content + protobuf.integer(AttributeField.TYPE, kind)


def _attribute_content(name: str, value: Attribute) -> tuple[int, bytes]:
    match value:
        case int():
            return AttributeType.INT, protobuf.integer(AttributeField.I, _int64(name, value))
        case float():
            return AttributeType.FLOAT, _float32(AttributeField.F, name, value)
        case str():
            return AttributeType.STRING, protobuf.text(AttributeField.S, value)
        case [*items] if any(isinstance(item, str) for item in items):
            return AttributeType.STRINGS, b"".join(protobuf.text(AttributeField.STRINGS, str(item)) for item in items)
        case [*items] if any(isinstance(item, float) for item in items):
            return AttributeType.FLOATS, b"".join(_float32(AttributeField.FLOATS, name, float(item)) for item in items)
        case [*items]:
            return AttributeType.INTS, protobuf.integers(
                AttributeField.INTS, [_int64(name, int(item)) for item in items]
            )
        case _:
            assert_never(value)


def _int64(name: str, value: int) -> int:
    if value not in _INT64:
        raise NoLoweringError(f"the attribute {name} is {value}, and ONNX writes whole numbers with 64 bits")
    return value


def _float32(field: int, name: str, value: float) -> bytes:
    try:
        return protobuf.floating_point(field, value)
    except OverflowError:
        raise NoLoweringError(f"the attribute {name} is {value}, and ONNX writes numbers with 32 bits") from None


def _output_info(name: str, parts: ModelParts) -> bytes:
    """An output with the type and the dims that are known before the model runs."""
    if parts.output_dtype is None:
        return protobuf.text(ValueInfoField.NAME, name)
    return _value_info(name, _element_type(parts.output_dtype), parts.outputs[name])


@lru_cache(maxsize=4096)
def _value_info(name: str, element_type: int, dims: _Dims) -> bytes:
    """A tensor without dims has any rank; one with an empty list of dims is a scalar."""
    tensor = protobuf.integer(TensorTypeField.ELEM_TYPE, element_type)
    if dims is not None:
        shape = b"".join([protobuf.message(TensorShapeField.DIM, _dimension(dim)) for dim in dims])
        tensor += protobuf.message(TensorTypeField.SHAPE, shape)
    type_ = protobuf.message(TypeField.TENSOR_TYPE, tensor)
    return protobuf.text(ValueInfoField.NAME, name) + protobuf.message(ValueInfoField.TYPE, type_)


def _dimension(dim: Dim | None) -> bytes:
    match dim:
        case None:
            return b""
        case int():
            return protobuf.integer(DimensionField.DIM_VALUE, dim)
        case str():
            return protobuf.text(DimensionField.DIM_PARAM, dim)


def tensor_proto(name: str, tensor: Tensor) -> bytes:
    """A tensor as a serialized `TensorProto`.

    Raises:
        NoLoweringError: ONNX has no such element type.
    """
    return b"".join(_tensor_fields(name, tensor, None))


def _tensor_fields(name: str, tensor: Tensor, external_data: bytearray | None) -> Iterator[bytes]:
    """A constant; its elements go to `external_data`, the external data of the model, if there is such a file."""
    yield protobuf.integers(TensorField.DIMS, tensor.shape)
    yield protobuf.integer(TensorField.DATA_TYPE, _element_type(tensor.dtype))
    yield protobuf.text(TensorField.NAME, name)
    if external_data is not None:
        yield from _external_fields(tensor, external_data)
    elif tensor.dtype == "string":
        for item in unpack_strings(tensor):
            yield protobuf.message(TensorField.STRING_DATA, item)
    else:
        yield protobuf.message(TensorField.RAW_DATA, _raw_data(tensor))


def _external_fields(tensor: Tensor, external_data: bytearray) -> Iterator[bytes]:
    if tensor.dtype == "string":
        raise NoLoweringError("ONNX keeps texts in the file of the model")
    data = _raw_data(tensor)
    external_data += bytes(-len(external_data) % _ALIGNMENT)
    places = (("location", MODEL_DATA_FILE), ("offset", str(len(external_data))), ("length", str(len(data))))
    external_data += data
    for key, value in places:
        entry = protobuf.text(StringStringEntryField.KEY, key) + protobuf.text(StringStringEntryField.VALUE, value)
        yield protobuf.message(TensorField.EXTERNAL_DATA, entry)
    yield protobuf.integer(TensorField.DATA_LOCATION, DataLocation.EXTERNAL)


def _raw_data(tensor: Tensor) -> Bytes:
    """Sub-byte elements one after the other without a gap, the first in the lowest bits."""
    bits = tensor.element_type.bits
    if bits >= _BYTE:
        return tensor.data
    mask = (1 << bits) - 1
    packed = bytearray()
    for start in range(0, tensor.size, _BYTE):
        group = 0
        for position, element in enumerate(tensor.data[start : start + _BYTE]):
            group |= (element & mask) << position * bits
        packed += group.to_bytes(bits, "little")
    return packed[: -(-tensor.size * bits // _BYTE)]


def _element_type(dtype: str) -> int:
    if dtype not in ELEMENT_TYPES:
        raise NoLoweringError(f"ONNX has no element type {dtype}")
    return ELEMENT_TYPES[dtype]
