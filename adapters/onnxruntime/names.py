"""ONNX Runtime's names. Imports no framework, so that scripts can be written without it."""

from __future__ import annotations

LEVELS = {
    "all": "ORT_ENABLE_ALL",
    "extended": "ORT_ENABLE_EXTENDED",
    "basic": "ORT_ENABLE_BASIC",
    "disabled": "ORT_DISABLE_ALL",
}
"""Names of `GraphOptimizationLevel`."""

RAW_TYPES = {
    "bfloat16": (16, "tensor(bfloat16)"),
    "float8_e4m3fn": (17, "tensor(float8e4m3fn)"),
    "float8_e4m3fnuz": (18, "tensor(float8e4m3fnuz)"),
    "float8_e5m2": (19, "tensor(float8e5m2)"),
    "float8_e5m2fnuz": (20, "tensor(float8e5m2fnuz)"),
    "float8_e8m0fnu": (24, "tensor(float8e8m0)"),
    "uint4": (21, "tensor(uint4)"),
    "int4": (22, "tensor(int4)"),
    "float4_e2m1fn": (23, "tensor(float4e2m1)"),
    "uint2": (25, "tensor(uint2)"),
    "int2": (26, "tensor(int2)"),
}
"""`TensorProto.DataType` and ONNX Runtime's own name for types that NumPy lacks: they go in and out as raw bytes."""

REJECTIONS = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "RuntimeException")
"""Statuses with which ONNX Runtime rejects a model or its inputs.

The binding raises Python's own errors for what it cannot pass on; those are not rejections, and propagate."""

MISSING = ("is not currently registered or supported",)
"""ONNX Runtime's words, with a status of a rejection, for a type that it does not know."""

TOO_NEW = ("Unsupported model IR version", "for models stamped with official released onnx opset versions")
"""ONNX Runtime's words for a version of the format, or an opset, that is newer than the release."""
