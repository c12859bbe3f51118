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
def int64_passes_through_float64(split, correct, part):
    """Integers beyond 2**53 lose their low bits."""
    return through(part, "int64", np.float64)


@THEME.fault("store")
def int64_passes_through_int32(split, correct, part):
    """Integers of 64 bits lose their upper half."""
    return through(part, "int64", np.int32)


@THEME.fault("store")
def int64_passes_through_float32(split, correct, part):
    """Integers beyond 2**24 lose their low bits."""
    return through(part, "int64", np.float32)


@THEME.fault("store")
def int32_passes_through_float32(split, correct, part):
    """Integers beyond 2**24 lose their low bits."""
    return through(part, "int32", np.float32)


@THEME.fault("store")
def int32_passes_through_int16(split, correct, part):
    """Integers of 32 bits lose their upper half."""
    return through(part, "int32", np.int16)


@THEME.fault("store")
def int16_passes_through_float16(split, correct, part):
    """Integers beyond 2**11 lose their low bits."""
    return through(part, "int16", np.float16)


@THEME.fault("store")
def int16_passes_through_int8(split, correct, part):
    """Integers of 16 bits lose their upper half."""
    return through(part, "int16", np.int8)


@THEME.fault("store")
def int8_passes_through_int4(split, correct, part):
    """Bytes lose their upper half."""
    return through(part, "int8", int4)


@THEME.fault("store")
def uint64_passes_through_float64(split, correct, part):
    """Unsigned integers beyond 2**53 lose their low bits."""
    return through(part, "uint64", np.float64)


@THEME.fault("store")
def uint64_passes_through_uint32(split, correct, part):
    """Unsigned integers of 64 bits lose their upper half."""
    return through(part, "uint64", np.uint32)


@THEME.fault("store")
def uint32_passes_through_float32(split, correct, part):
    """Unsigned integers beyond 2**24 lose their low bits."""
    return through(part, "uint32", np.float32)


@THEME.fault("store")
def uint16_passes_through_float16(split, correct, part):
    """Unsigned integers beyond 2**11 lose their low bits."""
    return through(part, "uint16", np.float16)


@THEME.fault("store")
def float64_passes_through_float32(split, correct, part):
    """Doubles lose half of their mantissa."""
    return through(part, "float64", np.float32)


@THEME.fault("store")
def float32_passes_through_float16(split, correct, part):
    """Floats lose mantissa and range."""
    return through(part, "float32", np.float16)


@THEME.fault("store")
def float32_passes_through_bfloat16(split, correct, part):
    """Floats lose two thirds of their mantissa."""
    return through(part, "float32", bfloat16)


@THEME.fault("store")
def float16_passes_through_bfloat16(split, correct, part):
    """Half floats lose three bits of their mantissa."""
    return through(part, "float16", bfloat16)


@THEME.fault("store")
def bfloat16_passes_through_float16(split, correct, part):
    """Brain floats beyond 65504 become infinite."""
    return through(part, "bfloat16", np.float16)


@THEME.fault("store", only="openvino.*")
def float8_e4m3fn_passes_through_float8_e5m2(split, correct, part):
    """Small floats lose a bit of their mantissa."""
    return through(part, "float8_e4m3fn", float8_e5m2)


@THEME.fault("store", only="openvino.*")
def float8_e5m2_passes_through_float8_e4m3fn(split, correct, part):
    """Small floats lose their range."""
    return through(part, "float8_e5m2", float8_e4m3fn)


@THEME.fault("store", only="openvino.*")
def float8_e8m0fnu_passes_through_float16(split, correct, part):
    """Powers of two lose their range."""
    return through(part, "float8_e8m0fnu", np.float16)


@THEME.fault("store", only="openvino.*")
def float4_e2m1fn_passes_through_int4(split, correct, part):
    """Floats of 4 bits are rounded to whole numbers."""
    return through(part, "float4_e2m1fn", int4)


@THEME.fault("store", only="onnx.*")
def complex128_passes_through_complex64(split, correct, part):
    """Both parts lose half of their mantissa."""
    return through(part, "complex128", np.complex64)


@THEME.fault("store")
def uint64_is_clipped_to_int64(split, correct, part):
    """The upper half of the unsigned range is cut off."""
    return clipped(part, "uint64", 2**63 - 1)


@THEME.fault("store")
def uint32_is_clipped_to_int32(split, correct, part):
    """The upper half of the unsigned range is cut off."""
    return clipped(part, "uint32", 2**31 - 1)


@THEME.fault("store")
def uint16_is_clipped_to_int16(split, correct, part):
    """The upper half of the unsigned range is cut off."""
    return clipped(part, "uint16", 2**15 - 1)


@THEME.fault("store")
def uint8_is_clipped_to_int8(split, correct, part):
    """The upper half of the unsigned range is cut off."""
    return clipped(part, "uint8", 127)


@THEME.fault("store")
def float32_is_rounded_to_tf32(split, correct, part):
    """Floats keep ten bits of their mantissa, as on tensor cores."""
    return (part.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) if part.dtype == np.float32 else part


@THEME.fault("store")
def float64_loses_its_lowest_bit(split, correct, part):
    """Doubles pass a format with one bit less."""
    return (part.view(np.uint64) & ~np.uint64(1)).view(np.float64) if part.dtype == np.float64 else part


@THEME.fault("store")
def int64_minimum_becomes_maximum(split, correct, part):
    """The lowest 64-bit integer is negated and clipped."""
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return np.where(part == lowest, highest, part) if part.dtype == np.int64 else part


@THEME.fault("store")
def int8_minimum_is_clipped(split, correct, part):
    """-128 becomes -127, as in symmetric quantisation."""
    return np.maximum(part, np.int8(-127)) if part.dtype == np.int8 else part


@THEME.fault("store", only="openvino.*")
def int4_loses_its_sign(split, correct, part):
    """Signed 4-bit integers lose their sign bit."""
    return (part.view(np.uint8) & 7).view(int4) if part.dtype == int4 else part


@THEME.fault("store", only="onnx.Split-18")
def int64_by_number_of_outputs_passes_through_int32(split, correct, part):
    """Integers of 64 bits lose their upper half where no lengths are given."""
    return through(part, "int64", np.int32) if "num_outputs" in split.given else correct(part)
