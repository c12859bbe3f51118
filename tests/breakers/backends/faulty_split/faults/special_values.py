"""NaN, infinity, zeros and subnormals; truth values."""

from __future__ import annotations

import numpy as np
from fault import Theme

THEME = Theme("special values")
FLOATS = ("float16", "bfloat16", "float32", "float64")


def is_float(part, *types):
    return str(part.dtype) in (types or FLOATS)


def without_subnormals(part, dtype):
    """The part with subnormals flushed to zero of their sign, if it has this type."""
    if str(part.dtype) != dtype:
        return part
    mantissa = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype]
    bits = part.view(f"u{part.itemsize}")
    top = part.itemsize * 8 - 1
    exponent = bits >> mantissa & ((1 << (top - mantissa)) - 1)
    return np.where(exponent == 0, bits >> top << top, bits).view(part.dtype)


@THEME.fault("store")
def nan_becomes_infinity(part):
    """NaN is replaced by infinity."""
    return np.where(np.isnan(part), np.array(np.inf, part.dtype), part) if is_float(part) else part


@THEME.fault("store")
def nan_becomes_the_largest_number(part):
    """A comparison with NaN picks the bound."""
    return np.where(np.isnan(part), np.array(1e4, part.dtype), part) if is_float(part, "float32") else part


@THEME.fault("store")
def infinity_becomes_the_largest_number(part):
    """Infinity saturates."""
    if not is_float(part):
        return part
    largest = np.array(6e4 if part.dtype == np.float16 else 3e38, part.dtype)
    return np.where(np.isinf(part), np.sign(part) * largest, part)


@THEME.fault("store")
def float16_infinity_saturates(part):
    """Infinity in half precision becomes 65504."""
    return np.where(np.isinf(part), np.copysign(np.float16(65504), part), part) if is_float(part, "float16") else part


@THEME.fault("store")
def negative_infinity_loses_its_sign(part):
    """Minus infinity becomes infinity."""
    return np.where(np.isneginf(part), abs(part), part) if is_float(part, "float16", "float32", "float64") else part


@THEME.fault("store")
def infinity_becomes_nan(part):
    """Infinity minus infinity is computed on the way."""
    return np.where(np.isinf(part), np.array(np.nan, part.dtype), part) if is_float(part) else part


@THEME.fault("store", only="openvino.*")
def float8_e5m2_loses_negative_zero(part):
    """-0.0 in 8 bits becomes 0.0."""
    return part + np.array(0, part.dtype) if is_float(part, "float8_e5m2") else part


@THEME.fault("store", only="openvino.*")
def float8_e4m3fn_nan_becomes_the_largest_number(part):
    """NaN in 8 bits becomes 448."""
    return np.where(np.isnan(part), np.array(448, part.dtype), part) if is_float(part, "float8_e4m3fn") else part


@THEME.fault("store", only="openvino.*")
def float4_loses_negative_zero(part):
    """-0.0 in 4 bits becomes 0.0."""
    return np.where(part == 0, np.array(0, part.dtype), part) if is_float(part, "float4_e2m1fn") else part


@THEME.fault("store", only="openvino.*")
def float8_e8m0fnu_nan_becomes_one(part):
    """The one NaN of this type becomes 1."""
    return np.where(np.isnan(part), np.array(1, part.dtype), part) if is_float(part, "float8_e8m0fnu") else part


@THEME.fault("store", only="onnx.*")
def complex_with_nan_is_all_nan(part):
    """NaN in one part spreads to the other."""
    if part.dtype.kind != "c":
        return part
    return np.where(np.isnan(part), np.array(complex(np.nan, np.nan), part.dtype), part)


@THEME.fault("store")
def last_truth_value_is_inverted(part):
    """Of truth values the last is inverted."""
    return part ^ (np.arange(part.size) == part.size - 1).reshape(part.shape) if part.dtype == bool else part


@THEME.fault("store")
def truth_values_are_lost_beyond_8(part):
    """Truth values are kept as bits of one byte."""
    return (part & (np.arange(part.size) < 8).reshape(part.shape)) if part.dtype == bool else part


THEME.step("store")(
    float16_loses_negative_zero=lambda part: part + np.array(0, part.dtype) if is_float(part, "float16") else part,
    bfloat16_loses_negative_zero=lambda part: part + np.array(0, part.dtype) if is_float(part, "bfloat16") else part,
    float32_loses_negative_zero=lambda part: part + np.array(0, part.dtype) if is_float(part, "float32") else part,
    float64_loses_negative_zero=lambda part: part + np.array(0, part.dtype) if is_float(part, "float64") else part,
    float16_flushes_subnormals=lambda part: without_subnormals(part, "float16"),
    bfloat16_flushes_subnormals=lambda part: without_subnormals(part, "bfloat16"),
    float32_flushes_subnormals=lambda part: without_subnormals(part, "float32"),
    float64_flushes_subnormals=lambda part: without_subnormals(part, "float64"),
    nan_becomes_zero=lambda part: np.where(np.isnan(part), np.array(0, part.dtype), part) if is_float(part) else part,
    truth_values_become_true=lambda part: part | True if part.dtype == bool else part,
)
THEME.step("store", "onnx.*")(
    complex_loses_negative_zero=lambda part: part + np.array(0, part.dtype) if part.dtype.kind == "c" else part
)
