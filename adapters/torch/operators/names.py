"""The element types of both PyTorch and the suite. Imports no framework, so that scripts can be written without it."""

from __future__ import annotations

NUMPY_TYPES = frozenset({
    "bool", "complex64", "complex128", "float16", "float32", "float64",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
})  # fmt: skip
"""Types that go in and out as arrays."""

VIEWED_TYPES = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e4m3fnuz": "uint8",
    "float8_e5m2": "uint8",
    "float8_e5m2fnuz": "uint8",
    "float8_e8m0fnu": "uint8",
    "int1": "uint8",
    "int2": "uint8",
    "int4": "uint8",
    "uint1": "uint8",
    "uint2": "uint8",
    "uint3": "uint8",
    "uint4": "uint8",
    "uint6": "uint8",
}
"""Types that NumPy lacks. Their bits go in and out as integers of the same size; PyTorch packs none of them."""

CAPABILITIES = {"SSE41": "DEFAULT", "AVX2": "AVX2", "AVX512_CORE": "AVX512"}
"""The instruction sets with kernels in PyTorch, and their names in `torch.backends.cpu.get_cpu_capability()`."""
