"""Writes a call of one of OpenVINO's own operators as IR, OpenVINO's XML format, which the framework then reads.

Imports no framework, so that a script with an IR can be written without it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from conformance.adapter import Call, Graph, Input, NotExpressible
from conformance.protocol.call import Attribute
from conformance.tensors.tensor import unpack_strings

from .layout import guard_behind, is_packed, packed, require_inputs_without_gap, type_name
from .opset_names import opset_of
from .rejections import rejections_of_openvino

if TYPE_CHECKING:
    from .releases import ov

ALIGNMENT = 64
"""Constants in the weights start at multiples of this many bytes, so that each is aligned to its elements."""


NUMBER = re.compile(r"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*")


def model_from_ir(core: ov.Core, call: Call) -> ov.Model:
    """The call as OpenVINO reads it from XML and weights.

    Raises:
        Rejected, Unsupported, NotExpressible: see these classes.
    """
    if not call.declared_outputs:
        raise NotExpressible("OpenVINO's reader of IR leaves out a layer that no output depends on")
    text, weights = ir_from_call(call)
    with rejections_of_openvino():
        model = core.read_model(model=text.encode(), weights=weights)
    require_inputs_without_gap(call)
    return model


def ir_from_call(call: Call) -> tuple[str, bytes]:
    """XML and weights: a layer for each input, the nodes of the call's graph, and each output.

    The ports of a layer have consecutive numbers, inputs first, as the format requires.
    """
    data = call.inputs[0].dtype if call.inputs else "float32"
    layers, weights, edges = [], bytearray(), []
    for number, item in enumerate(call.inputs):
        layers.append(_parameter(number, item) if item.constant is None else _constant(number, item, weights))
    sources = [(number, 0) for number in range(len(layers))]
    if call.graph is Graph.AFTER_RELU:
        relu = len(layers)
        layers.append(_layer(relu, "relu", "ReLU", inputs=[_port(0, data)], outputs=[_port(1, data)]))
        edges.append(_edge(*sources[0], relu, 0))
        sources[0] = (relu, 1)
    if call.is_control:
        source_by_name = {item.name: source for item, source in zip(call.inputs, sources, strict=True)}
        ends = [source_by_name[item.name] for item in call.passed_on]
    else:
        node = len(layers)
        layers.append(_operator(node, call, data))
        edges += [_edge(*source, node, port) for port, source in enumerate(sources)]
        ends = [(node, len(sources) + index) for index in range(call.declared_outputs)]
    if call.graph is Graph.BEFORE_CONCAT:
        concat, count, ports = len(layers), len(ends), [_port(index, data) for index in range(len(ends) + 1)]
        facts = {"axis": str(call.concat_axis)}
        layers.append(_layer(concat, "concat", "Concat", facts, inputs=ports[:-1], outputs=ports[-1:]))
        edges += [_edge(*end, concat, port) for port, end in enumerate(ends)]
        ends = [(concat, count)]
    if call.graph is Graph.UNUSED_OUTPUTS:
        ends = ends[::2]
    for index, end in enumerate(ends):
        edges.append(_edge(*end, len(layers), 0))
        layers.append(_layer(len(layers), f"output_{index}", "Result", inputs=[_port(0, data)]))
    text = f'<net name="case" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
    return text, bytes(weights)


def _parameter(number: int, item: Input) -> str:
    dims = item.dims
    shape = "..." if dims is None else ",".join("?" if dim is None else str(dim) for dim in dims)
    facts = {"shape": shape, "element_type": type_name(item.dtype)}
    return _layer(number, item.name, "Parameter", facts, outputs=[_port(0, item.dtype, dims, item.name)])


def _constant(number: int, item: Input, weights: bytearray) -> str:
    content = _content(item)
    shape = tuple(item.array.shape)
    facts = {
        "element_type": type_name(item.dtype),
        "shape": ",".join(map(str, shape)),
        "offset": str(len(weights)),
        "size": str(len(content)),
    }
    weights.extend(content + guard_behind(item.array.size if is_packed(item.dtype) else 0))
    weights.extend(bytes(-len(weights) % ALIGNMENT))
    return _layer(number, item.name, "Const", facts, outputs=[_port(0, item.dtype, shape)])


def _operator(number: int, call: Call, data: str) -> str:
    name = call.operator.partition(".")[2].rpartition("-")[0]
    facts = {key: _attribute(value) for key, value in call.attributes.items()}
    inputs = [_port(port, item.dtype, item.dims) for port, item in enumerate(call.inputs)]
    outputs = [_port(len(inputs) + index, data) for index in range(call.declared_outputs)]
    return _layer(number, name, name, facts, inputs=inputs, outputs=outputs, opset=opset_of(call.operator))


def _content(item: Input) -> bytes:
    """A constant as stored in the weights: packed elements; strings after their count and the offsets of their ends."""
    assert item.constant is not None
    if item.dtype != "string":
        bits = item.constant.element_type.bits
        return packed(item.array, bits).tobytes() if bits < 8 else bytes(item.constant.data)
    items = unpack_strings(item.constant)
    ends = [sum(map(len, items[:count])) for count in range(len(items) + 1)]
    return struct.pack(f"<{len(ends) + 1}I", len(items), *ends) + b"".join(items)


def _attribute(value: Attribute) -> str:
    """The value as IR writes it: as text.

    Raises:
        NotExpressible: OpenVINO would read the text as a value of another type.
    """
    if isinstance(value, str) and NUMBER.fullmatch(value):
        raise NotExpressible(f"IR cannot tell the string {value!r} from a number")
    if isinstance(value, list) and len(value) == 1:
        raise NotExpressible(f"IR cannot tell the list {value!r} from its element")
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _layer(  # noqa: PLR0913 - an XML element has that many parts
    number: int,
    name: str,
    kind: str,
    facts: dict[str, str] | None = None,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    opset: str = "opset1",
) -> str:
    data = f"<data{_attributes(facts.items())}/>" if facts else ""
    inward = f"<input>{''.join(inputs)}</input>" if inputs else ""
    outward = f"<output>{''.join(outputs)}</output>" if outputs else ""
    head = _attributes((("id", str(number)), ("name", name), ("type", kind), ("version", opset)))
    return f"<layer{head}>{data}{inward}{outward}</layer>"


def _port(number: int, dtype: str, dims: Sequence[int | None] | None = (), name: str = "") -> str:
    names = [("names", name)] if name else []
    head = _attributes((("id", str(number)), ("precision", type_name(dtype)), *names))
    return f"<port{head}>{''.join(f'<dim>{-1 if dim is None else dim}</dim>' for dim in dims or ())}</port>"


def _edge(from_layer: int, from_port: int, to_layer: int, to_port: int) -> str:
    ends = (("from-layer", from_layer), ("from-port", from_port), ("to-layer", to_layer), ("to-port", to_port))
    return f"<edge{_attributes((key, str(value)) for key, value in ends)}/>"


def _attributes(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f" {key}={quoteattr(value)}" for key, value in pairs)
