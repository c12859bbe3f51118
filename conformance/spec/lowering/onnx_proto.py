"""The numbers of onnx.proto that a one-node model needs, under their names there.

Plain numbers instead of enums, because a run writes thousands of models.

The file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from conformance.protocol.call import Attribute, Input
from conformance.tensors.tensor import Bytes


class ModelField:
    """Fields of `ModelProto`."""

    IR_VERSION, PRODUCER_NAME, GRAPH, OPSET_IMPORT = 1, 2, 7, 8


class OperatorSetIdField:
    """Fields of `OperatorSetIdProto`."""

    DOMAIN = 1
    VERSION = 2


class GraphField:
    """Fields of `GraphProto`."""

    NODE, NAME, INITIALIZER, INPUT, OUTPUT = 1, 2, 5, 11, 12


class NodeField:
    """Fields of `NodeProto`."""

    INPUT, OUTPUT, OP_TYPE, ATTRIBUTE = 1, 2, 4, 5


class AttributeField:
    """Fields of `AttributeProto`."""

    NAME, F, I, S, FLOATS, INTS, STRINGS, TYPE = 1, 2, 3, 4, 7, 8, 9, 20  # noqa: E741 - `I` is its name in onnx.proto


class AttributeType:
    """Values of `AttributeProto.AttributeType`."""

    FLOAT, INT, STRING, FLOATS, INTS, STRINGS = 1, 2, 3, 6, 7, 8


class ValueInfoField:
    """Fields of `ValueInfoProto`."""

    NAME = 1
    TYPE = 2


class TypeField:
    """Fields of `TypeProto`."""

    TENSOR_TYPE = 1


class TensorTypeField:
    """Fields of `TypeProto.Tensor`."""

    ELEM_TYPE = 1
    SHAPE = 2


class TensorShapeField:
    """Fields of `TensorShapeProto`."""

    DIM = 1


class DimensionField:
    """Fields of `TensorShapeProto.Dimension`."""

    DIM_VALUE = 1
    DIM_PARAM = 2


class TensorField:
    """Fields of `TensorProto`."""

    DIMS, DATA_TYPE, STRING_DATA, NAME, RAW_DATA, EXTERNAL_DATA, DATA_LOCATION = 1, 2, 6, 8, 9, 13, 14


class DataLocation:
    """Values of `TensorProto.DataLocation`."""

    EXTERNAL = 1


class StringStringEntryField:
    """Fields of `StringStringEntryProto`."""

    KEY = 1
    VALUE = 2


ELEMENT_TYPES = {
    name: number
    for number, name in enumerate(
        (
            "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64",
            "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz",
            "float8_e5m2", "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn", "float8_e8m0fnu", "uint2", "int2",
            "float6_e2m3fn", "float6_e3m2fn",
        ),
        start=1,
    )
}  # fmt: skip
"""`TensorProto.DataType` of every type that has one."""


# The wire format of Protocol Buffers, as far as an ONNX model needs it.
#
# Knows wire types and no messages. The parent process encodes a model for every check, so it avoids the protobuf
# package and the time to build its objects. The format: https://protobuf.dev/programming-guides/encoding/

_VARINT, _LENGTH_DELIMITED, _FIXED_32 = 0, 2, 5
_CONTINUES = 0x80
_ONE_BYTE = tuple(bytes((value,)) for value in range(_CONTINUES))
_64_BITS = (1 << 64) - 1


def varint(value: int) -> bytes:
    """An integer in groups of seven bits, lowest first; a negative one as 64 bits of two's complement."""
    if 0 <= value < _CONTINUES:
        return _ONE_BYTE[value]
    value &= _64_BITS
    groups = bytearray()
    while value >= _CONTINUES:
        groups.append(value & 0x7F | _CONTINUES)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def integer(field: int, value: int) -> bytes:
    """A field of type int32, int64 or enum."""
    return _tag(field, _VARINT) + varint(value)


def integers(field: int, values: Iterable[int]) -> bytes:
    """A repeated integer field, unpacked as in proto2."""
    tag = _tag(field, _VARINT)
    return b"".join([tag + varint(value) for value in values])


def floating_point(field: int, value: float) -> bytes:
    """A field of type float.

    Raises:
        OverflowError: the value is finite and beyond 32 bits.
    """
    return _tag(field, _FIXED_32) + struct.pack("<f", value)


def message(field: int, data: Bytes) -> bytes:
    """A field of type bytes, or a message that is already encoded."""
    return b"".join((_tag(field, _LENGTH_DELIMITED), varint(len(data)), data))


@lru_cache(maxsize=4096)
def text(field: int, value: str) -> bytes:
    """A field of type string, in UTF-8."""
    return message(field, value.encode())


@cache
def _tag(field: int, wire_type: int) -> bytes:
    return varint(field << 3 | wire_type)


# One node of an ONNX graph before serialization.


class NoLoweringError(Exception):
    """ONNX has no model for the call; the message is a reason for a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One node with the names of its inputs and outputs; an empty name marks a missing one."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Nodes that convert the lengths to what the operator takes, their constants, and the name of the result."""

    nodes: tuple[GraphNode, ...]
    constants: tuple[Input, ...]
    lengths: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operator of the ONNX domain at an opset version, with its inputs by position; None for a missing one.

    `last_opset` is the last in which the version holds; None for the newest.

    With a `resolution`, the operator takes its result in place of its second input.
    """

    op_type: str
    version: int
    inputs: tuple[Input | None, ...]
    attributes: Mapping[str, Attribute]
    declared_outputs: int
    last_opset: int | None
    resolution: Resolution | None = None
