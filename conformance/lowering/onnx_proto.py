"""The numbers of onnx.proto that a one-node model needs, under their names there.

Plain numbers instead of enums, because a run writes thousands of models.

The file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations


class ModelField:
    """Fields of `ModelProto`."""

    IR_VERSION = 1
    PRODUCER_NAME = 2
    GRAPH = 7
    OPSET_IMPORT = 8


class OperatorSetIdField:
    """Fields of `OperatorSetIdProto`."""

    DOMAIN = 1
    VERSION = 2


class GraphField:
    """Fields of `GraphProto`."""

    NODE = 1
    NAME = 2
    INITIALIZER = 5
    INPUT = 11
    OUTPUT = 12


class NodeField:
    """Fields of `NodeProto`."""

    INPUT = 1
    OUTPUT = 2
    OP_TYPE = 4
    ATTRIBUTE = 5


class AttributeField:
    """Fields of `AttributeProto`."""

    NAME = 1
    F = 2
    I = 3  # noqa: E741 - its name in onnx.proto
    S = 4
    FLOATS = 7
    INTS = 8
    STRINGS = 9
    TYPE = 20


class AttributeType:
    """Values of `AttributeProto.AttributeType`."""

    FLOAT = 1
    INT = 2
    STRING = 3
    FLOATS = 6
    INTS = 7
    STRINGS = 8


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


class TensorField:
    """Fields of `TensorProto`."""

    DIMS = 1
    DATA_TYPE = 2
    STRING_DATA = 6
    NAME = 8
    RAW_DATA = 9
    EXTERNAL_DATA = 13
    DATA_LOCATION = 14


class DataLocation:
    """Values of `TensorProto.DataLocation`."""

    EXTERNAL = 1


class StringStringEntryField:
    """Fields of `StringStringEntryProto`."""

    KEY = 1
    VALUE = 2


ELEMENT_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "string": 8,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "complex64": 14,
    "complex128": 15,
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
    "uint4": 21,
    "int4": 22,
    "float4_e2m1fn": 23,
    "float8_e8m0fnu": 24,
    "uint2": 25,
    "int2": 26,
    "float6_e2m3fn": 27,
    "float6_e3m2fn": 28,
}
"""`TensorProto.DataType` of every type that has one."""
