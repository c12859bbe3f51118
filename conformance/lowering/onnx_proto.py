"""The numbers of onnx.proto that a one-node model needs, under their names there.

Plain numbers instead of enums, because a run writes thousands of models.

The file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations


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
