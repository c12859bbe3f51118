from __future__ import annotations

import struct
from typing import Any

import pytest

from conformance.suite.literals import data_from_bits, data_from_values, shape_of
from conformance.suite.yaml_file import SchemaError


@pytest.mark.parametrize(
    ("values", "shape"),
    [(5, ()), ([], (0,)), ([1, 2], (2,)), ([[1, 2], [3, 4], [5, 6]], (3, 2)), ([[], []], (2, 0)), ([[[]]], (1, 1, 0))],
)
def test_shape_is_that_of_the_nested_lists(values: Any, shape: tuple[int, ...]) -> None:
    assert shape_of(values) == shape


@pytest.mark.parametrize(
    ("values", "keys", "what"),
    [
        ([[1], [2, 3]], (1,), "a list of shape [2] stands next to a list of shape [1]"),
        ([[1], 2], (1,), "a single value stands next to a list of shape [1]"),
        ([1, 2, []], (2,), "a list of shape [0] stands next to a single value"),
        ([[[1], [2]], [[3], [4, 5]]], (1, 1), "a list of shape [2] stands next to a list of shape [1]"),
    ],
)
def test_list_that_differs_from_those_beside_it_is_refused_at_its_place(
    values: Any, keys: tuple[int, ...], what: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        shape_of(values)
    assert (caught.value.keys, caught.value.what) == (keys, what)


@pytest.mark.parametrize(
    ("values", "dtype", "data"),
    [
        ([1, -1], "int8", "01ff"),
        ([1, -1], "int4", "010f"),
        ([True, False], "bool", "0100"),
        ([1, 0.5, -0.0], "float32", "0000803f 0000003f 00000080"),
        ([float("inf"), float("-inf")], "float16", "007c 00fc"),
        (1.5, "bfloat16", "c03f"),
        (6, "float4_e2m1fn", "07"),
        ("1-2j", "complex64", "0000803f 000000c0"),
        ([18446744073709551615], "uint64", "ffffffffffffffff"),
        ([9007199254740993], "int64", "01000000 00002000"),
        (["é", ""], "string", "02000000 00000000 c3a9"),
        ([], "float64", ""),
    ],
)
def test_values_become_exact_elements(values: Any, dtype: str, data: str) -> None:
    assert data_from_values(values, dtype) == bytes.fromhex(data)


def test_nan_by_value_is_some_nan() -> None:
    (value,) = struct.unpack("<f", data_from_values([float("nan")], "float32"))
    assert value != value  # noqa: PLR0124


@pytest.mark.parametrize(
    ("bits", "dtype", "data"),
    [
        ([0x7FA00001, 0x80000000], "float32", "0100a07f 00000080"),
        (0xFFF0000000000001, "float64", "010000000000f0ff"),
        ([0x8, 0xF], "int4", "080f"),
        ([0x3F, 0x01], "uint6", "3f01"),
        ((1 << 128) - 1, "complex128", "ff" * 16),
    ],
)
def test_bits_become_exact_elements(bits: Any, dtype: str, data: str) -> None:
    assert data_from_bits(bits if isinstance(bits, list) else [bits], dtype) == bytes.fromhex(data)


@pytest.mark.parametrize(
    ("values", "dtype", "what", "fix"),
    [
        ([1, 256], "uint8", "256 does not fit uint8", "write a number from 0 to 255"),
        ([-1], "uint4", "-1 does not fit uint4", "write a number from 0 to 15"),
        ([True], "int8", "True is a bool, and int8 needs a whole number", "write a whole number"),
        (["1"], "int8", "'1' is a text, and int8 needs a whole number", "write 1 without quotes"),
        ([1.0], "int8", "1.0 is a number, and int8 needs a whole number", "write 1"),
        ([1], "bool", "1 is a whole number, and bool needs true or false", "write true or false"),
        ([True], "float32", "True is a bool, and float32 needs a number", "write a number"),
        ([None], "float32", "None is no value, and float32 needs a number", "write a number"),
        ([1], "string", "1 is a whole number, and string needs a text", 'write "1" in quotes'),
        ([1], "nf4", "nf4 has no numbers", "write `bits`"),
        ([True], "complex64", "True is not a complex number", 'write one such as "1-2j"'),
        ([2049], "float16", "float16 cannot hold 2049.0 exactly", "write a number that it has, or use `bits`"),
        ([70000], "float16", "float16 cannot hold 70000.0 exactly", "write a number that it has, or use `bits`"),
        ([5e-324], "float32", "float32 cannot hold 5e-324 exactly", "write a number that it has, or use `bits`"),
        (
            [9007199254740993],
            "float64",
            "float64 cannot hold 9007199254740993 exactly",
            "write a number that it has, or use `bits`",
        ),
        (
            [float("nan")],
            "float4_e2m1fn",
            "float4_e2m1fn cannot hold nan exactly",
            "write a number that it has, or use `bits`",
        ),
        (
            [-1],
            "float8_e8m0fnu",
            "float8_e8m0fnu cannot hold -1.0 exactly",
            "write a number that it has, or use `bits`",
        ),
    ],
)
def test_value_that_the_type_does_not_have_is_refused(values: Any, dtype: str, what: str, fix: str) -> None:
    with pytest.raises(SchemaError) as caught:
        data_from_values(values, dtype)
    assert (caught.value.what, caught.value.fix) == (what, fix)


def test_refused_value_is_named_by_its_place_in_the_lists() -> None:
    with pytest.raises(SchemaError) as caught:
        data_from_values([[1, 2, 3], [4, 5, 300]], "uint8")
    assert caught.value.keys == (1, 2)


@pytest.mark.parametrize(
    ("bits", "dtype", "message"),
    [
        ([0x10000], "float16", "65536 is not a pattern of 16 bits, the width of float16"),
        ([-1], "float16", "-1 is not a pattern of 16 bits, the width of float16"),
        ([1.0], "float16", "1.0 is not a pattern of 16 bits, the width of float16"),
        ([True], "bool", "True is not a pattern of 8 bits, the width of bool"),
        ([1], "string", "strings have no bit patterns"),
    ],
)
def test_pattern_that_the_type_does_not_have_is_refused(bits: Any, dtype: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        data_from_bits(bits, dtype)
    assert caught.value.what == message
