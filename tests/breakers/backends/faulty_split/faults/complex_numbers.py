"""Complex numbers."""

from __future__ import annotations

import numpy as np
from fault import Theme

THEME = Theme("complex")
ONNX = "onnx.*"


@THEME.fault("store", only=ONNX)
def complex64_loses_its_imaginary_part(part):
    """Only the real part is copied."""
    return part.real.astype(part.dtype) if part.dtype == np.complex64 else part


@THEME.fault("store", only=ONNX)
def complex128_loses_its_imaginary_part(part):
    """Only the real part is copied."""
    return part.real.astype(part.dtype) if part.dtype == np.complex128 else part


@THEME.fault("store", only=ONNX)
def complex_parts_are_swapped(part):
    """Real and imaginary part change places."""
    return part.imag + part.real * part.dtype.type(1j) if part.dtype.kind == "c" else part


@THEME.fault("store", only=ONNX)
def complex128_is_copied_by_half(part):
    """Only the first 8 bytes of each element are copied."""
    is_odd = np.arange(part.size).reshape(part.shape) % 2
    return np.where(is_odd, part.real, part) if part.dtype == np.complex128 else part


THEME.step("store", ONNX)(complex_is_conjugated=lambda part: part.conj() if part.dtype.kind == "c" else part)
