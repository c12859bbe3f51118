"""Builds a call of one of OpenVINO's own operators through its opset API in Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from conformance.adapter import Call, Graph, Input

from .elements import guarded_tensor, tensor_from_array
from .layout import require_inputs_without_gap
from .opset_names import opset_of
from .rejections import rejections_of_openvino
from .releases import NodeFactory, ov, type_of


def model_from_opset(call: Call) -> tuple[ov.Model, list[ov.Tensor]]:
    """The call as a model of one node, or none, and those beside it; and tensors that must live as long as the model.

    The node is created in the same way as in the functions of `openvino.opset1`. Their signatures refuse a call that
    leaves out an argument, but the framework itself shall check that. Inputs are passed in order, so a
    gap shifts later inputs. If the framework accepts such a node, the call is not expressible.

    Raises:
        Rejected, Unsupported, NotExpressible: see these classes.
    """
    kept: list[ov.Tensor] = []
    nodes = [_node(item, kept) for item in call.inputs]
    with rejections_of_openvino():
        arguments: list[ov.Node] = list(nodes)
        if call.graph is Graph.AFTER_RELU:
            arguments[0] = _factory("opset1").create("Relu", arguments[:1])
        node = arguments[0] if call.is_control else _operator(call, arguments)
        if call.graph is Graph.BEFORE_CONCAT and node.get_output_size():
            parts = _passed_on(call, arguments) if call.is_control else node.outputs()
            node = _factory("opset1").create("Concat", parts, {"axis": call.concat_axis})
        outputs = node.outputs()
        if call.graph is Graph.UNUSED_OUTPUTS:
            outputs = outputs[::2]
        # A list without outputs would make a model without the node; from the node itself OpenVINO makes none.
        return ov.Model(outputs or [node], [item for item in nodes if isinstance(item, ov.op.Parameter)], "case"), kept


def _operator(call: Call, arguments: Sequence[ov.Node]) -> ov.Node:
    name = call.operator.partition(".")[2].rpartition("-")[0]
    node = _factory(opset_of(call.operator)).create(name, list(arguments), dict(call.attributes))
    require_inputs_without_gap(call)
    return node


def _passed_on(call: Call, arguments: Sequence[ov.Node]) -> list[ov.Output]:
    """The inputs that a control passes to a Concat in place of the operator's outputs."""
    output_by_name = {item.name: node.output(0) for item, node in zip(call.inputs, arguments, strict=True)}
    return [output_by_name[item.name] for item in call.passed_on]


def _node(item: Input, kept: list[ov.Tensor]) -> ov.Node:
    element = type_of(item.dtype)
    if item.constant is not None:
        guarded = guarded_tensor(item.array, element)
        if guarded is not None:
            kept.append(guarded)  # a constant over shared memory does not keep it
            return ov.op.Constant(guarded, True)
        return ov.op.Constant(tensor_from_array(item.array, element), False)
    dims = item.dims
    shape = ov.PartialShape.dynamic() if dims is None else ov.PartialShape([-1 if dim is None else dim for dim in dims])
    node = ov.op.Parameter(element, shape)
    node.output(0).get_tensor().set_names({item.name})
    return node


@cache
def _factory(opset: str) -> NodeFactory:
    return NodeFactory(opset)
