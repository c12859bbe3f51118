"""Elements that change on their way through another type."""

from __future__ import annotations

import numpy as np
from fault import Theme
from ml_dtypes import bfloat16, float8_e4m3fn, float8_e5m2, int4

THEME = Theme("precision")


def through(part, dtype, *narrower):
    """The part cast there and back, if it has this type."""
    if str(part.dtype) != dtype:
        return part
    for other in narrower:
        part = part.astype(other)
    return part.astype(dtype)


def clipped(part, dtype, bound):
    """The part with no element beyond a bound, if it has this type."""
    return np.minimum(part, np.array(bound, part.dtype)) if str(part.dtype) == dtype else part


@THEME.fault("store")
def float32_is_rounded_to_tf32(part):
    """Floats keep ten bits of their mantissa, as on tensor cores."""
    return (part.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) if part.dtype == np.float32 else part


@THEME.fault("store")
def float64_loses_its_lowest_bit(part):
    """Doubles pass a format with one bit less."""
    return (part.view(np.uint64) & ~np.uint64(1)).view(np.float64) if part.dtype == np.float64 else part


@THEME.fault("store")
def int64_minimum_becomes_maximum(part):
    """The lowest 64-bit integer is negated and clipped."""
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return np.where(part == lowest, highest, part) if part.dtype == np.int64 else part


@THEME.fault("store", only="onnx.Split-18")
def int64_by_number_of_outputs_passes_through_int32(split, correct, part):
    """Integers of 64 bits lose their upper half where no lengths are given."""
    return through(part, "int64", np.int32) if "num_outputs" in split.given else correct(part)


THEME.step("store")(
    int64_passes_through_float64=lambda part: through(part, "int64", np.float64),
    int64_passes_through_int32=lambda part: through(part, "int64", np.int32),
    int64_passes_through_float32=lambda part: through(part, "int64", np.float32),
    int32_passes_through_float32=lambda part: through(part, "int32", np.float32),
    int32_passes_through_int16=lambda part: through(part, "int32", np.int16),
    int16_passes_through_float16=lambda part: through(part, "int16", np.float16),
    int16_passes_through_int8=lambda part: through(part, "int16", np.int8),
    int8_passes_through_int4=lambda part: through(part, "int8", int4),
    uint64_passes_through_float64=lambda part: through(part, "uint64", np.float64),
    uint64_passes_through_uint32=lambda part: through(part, "uint64", np.uint32),
    uint32_passes_through_float32=lambda part: through(part, "uint32", np.float32),
    uint16_passes_through_float16=lambda part: through(part, "uint16", np.float16),
    float64_passes_through_float32=lambda part: through(part, "float64", np.float32),
    float32_passes_through_float16=lambda part: through(part, "float32", np.float16),
    float32_passes_through_bfloat16=lambda part: through(part, "float32", bfloat16),
    float16_passes_through_bfloat16=lambda part: through(part, "float16", bfloat16),
    bfloat16_passes_through_float16=lambda part: through(part, "bfloat16", np.float16),
    uint64_is_clipped_to_int64=lambda part: clipped(part, "uint64", 2**63 - 1),
    uint32_is_clipped_to_int32=lambda part: clipped(part, "uint32", 2**31 - 1),
    uint16_is_clipped_to_int16=lambda part: clipped(part, "uint16", 2**15 - 1),
    uint8_is_clipped_to_int8=lambda part: clipped(part, "uint8", 127),
    int8_minimum_is_clipped=lambda part: np.maximum(part, np.int8(-127)) if part.dtype == np.int8 else part,
)
THEME.step("store", "openvino.*")(
    float8_e4m3fn_passes_through_float8_e5m2=lambda part: through(part, "float8_e4m3fn", float8_e5m2),
    float8_e5m2_passes_through_float8_e4m3fn=lambda part: through(part, "float8_e5m2", float8_e4m3fn),
    float8_e8m0fnu_passes_through_float16=lambda part: through(part, "float8_e8m0fnu", np.float16),
    float4_e2m1fn_passes_through_int4=lambda part: through(part, "float4_e2m1fn", int4),
    int4_loses_its_sign=lambda part: (part.view(np.uint8) & 7).view(int4) if part.dtype == int4 else part,
)
THEME.step("store", "onnx.*")(
    complex128_passes_through_complex64=lambda part: through(part, "complex128", np.complex64)
)
