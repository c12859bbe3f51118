from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from conformance.tensors.dtypes import _OTHER_NAMES, DTYPES, Category, Specials, dtype_meant
from conformance.tensors.tensor import numpy_dtype

NUMERIC = [dtype for dtype in DTYPES.values() if dtype.category not in (Category.STRING, Category.RAW)]
RAW = [dtype for dtype in DTYPES.values() if dtype.category is Category.RAW]
SUB_BYTE_INTEGERS = {"int1", "uint1", "int2", "uint2", "int4", "uint4"}


@pytest.mark.parametrize("name", [dtype.name for dtype in NUMERIC])
def test_storage_is_as_wide_as_in_numpy(name: str) -> None:
    assert numpy_dtype(name).itemsize == DTYPES[name].itemsize


@pytest.mark.parametrize("name", [dtype.name for dtype in NUMERIC])
def test_name_is_the_one_of_numpy_or_ml_dtypes(name: str) -> None:
    assert numpy_dtype(name).name == name


@pytest.mark.parametrize("name", [dtype.name for dtype in RAW])
def test_raw_bits_have_no_name_in_numpy_or_ml_dtypes(name: str) -> None:
    assert not hasattr(np, name)
    assert not hasattr(ml_dtypes, name)
    assert numpy_dtype(name) == np.dtype([(name, np.uint8)])


@pytest.mark.parametrize(
    "name", [dtype.name for dtype in NUMERIC if dtype.category is Category.FLOAT and dtype.name != "float8_e8m0fnu"]
)
def test_layout_is_that_of_the_format(name: str) -> None:
    layout, described = DTYPES[name].layout, ml_dtypes.finfo(numpy_dtype(name))
    assert layout is not None
    assert layout.mantissa_bits == described.nmant
    assert layout.exponent_bits == described.bits - 1 - described.nmant


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("int1", 1),
        ("uint2", 2),
        ("int4", 4),
        ("float4_e2m1fn", 4),
        ("float6_e3m2fn", 6),
        ("bool", 8),
        ("nf4", 4),
        ("uint3", 3),
        ("uint6", 6),
    ],
)
def test_meaningful_bits_of_narrow_types(name: str, bits: int) -> None:
    assert (DTYPES[name].bits, DTYPES[name].itemsize) == (bits, 1)


@pytest.mark.parametrize(
    "name", [dtype.name for dtype in NUMERIC if dtype.category is Category.FLOAT and dtype.bits <= 16]
)
def test_patterns_that_are_nan_are_those_of_the_table(name: str) -> None:
    dtype = DTYPES[name]
    layout = dtype.layout
    assert layout is not None
    patterns = np.arange(1 << dtype.bits).astype(f"u{dtype.itemsize}")
    with np.errstate(invalid="ignore"):  # signalling NaNs, which some casts complain about
        nans = int(np.isnan(patterns.view(numpy_dtype(name))).sum())
    signs = 1 + layout.sign_bits
    assert (
        nans
        == {
            Specials.IEEE: signs * ((1 << layout.mantissa_bits) - 1),
            Specials.TOP_NAN: signs,
            Specials.ONE_NAN: 1,
            Specials.NONE: 0,
        }[layout.specials]
    )


def test_strings_have_no_width() -> None:
    assert (DTYPES["string"].bits, DTYPES["string"].itemsize, DTYPES["string"].layout) == (0, 0, None)


def test_every_integer_that_numpy_or_ml_dtypes_has_is_in_the_table() -> None:
    plain = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
    assert {dtype.name for dtype in NUMERIC if "int" in dtype.name} == plain | SUB_BYTE_INTEGERS


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("half", "did you mean 'float16'?"),
        ("fp32", "did you mean 'float32'?"),
        ("double", "did you mean 'float64'?"),
        ("long", "did you mean 'int64'?"),
        ("bool_", "did you mean 'bool'?"),
        ("torch.bfloat16", "did you mean 'bfloat16'?"),
        ("tensor(int64)", "did you mean 'int64'?"),
        ("uint8_t", "did you mean 'uint8'?"),
        ("FP16", "did you mean 'float16'?"),
        ("u8", "did you mean 'uint8'?"),
        ("bf16", "did you mean 'bfloat16'?"),
        ("f8e5m2", "did you mean 'float8_e5m2' or 'float8_e5m2fnuz'?"),
        ("float", "did you mean 'float32' or 'float64'?"),
        ("flaot32", "did you mean 'float32'?"),
        ("wide", "write a NumPy or ml_dtypes name, as float32 or int64"),
    ],
)
def test_word_of_another_library_leads_to_the_types_that_it_means(word: str, fix: str) -> None:
    assert dtype_meant(word) == fix


def test_every_type_that_another_word_means_exists() -> None:
    assert {name for names in _OTHER_NAMES.values() for name in names} <= set(DTYPES)
