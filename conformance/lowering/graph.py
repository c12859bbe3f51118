"""The nodes of a graph: the operator and those next to it. A control has no operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from conformance.border.call import Call, Input
from conformance.border.form import Encoding, Graph
from conformance.language.references.onnx_types import CLASSIC, FLOATS, WITH_BFLOAT16
from conformance.lowering.node import GraphNode, Node, NoLoweringError

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
