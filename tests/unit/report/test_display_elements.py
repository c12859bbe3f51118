from __future__ import annotations

import base64
import math

import numpy as np
import pytest
from report_records import entry, entry_of_bits

from conformance.log.record import TensorEntry
from conformance.report.tensors import elements
from conformance.tensors.dtypes import DTYPES, Kind
from conformance.tensors.tensor import numpy_dtype


def test_floats_are_written_by_their_shortest_text() -> None:
    assert [e.text for e in elements(entry([0.1, 1e20, 3.4028235e38, 1.5]))] == ["0.1", "1e+20", "3.4028235e+38", "1.5"]


def test_look_alikes_are_distinguished() -> None:
    found = elements(entry_of_bits([0x7FC00000, 0x7FC00001, 0x7F800001, 0xFFC00000, 0x80000000], "float32", "uint32"))
    assert [e.text for e in found] == ["NaN", "NaN", "sNaN", "-NaN", "-0.0"]
    assert [e.bits for e in found] == ["0x7fc00000", "0x7fc00001", "0x7f800001", "0xffc00000", "0x80000000"]
    assert all(e.is_special for e in found)


def test_sub_byte_integers_ignore_unused_bits() -> None:
    data = base64.b64encode(bytes([0xF7, 0xF8, 0x0F])).decode()
    found = elements(TensorEntry(dtype="int4", shape=[3], count=3, data=data))
    assert [(e.text, e.bits) for e in found] == [("7", "0x7"), ("-8", "0x8"), ("-1", "0xf")]


def test_raw_bits_are_shown_as_bits() -> None:
    data = base64.b64encode(bytes([0xC1, 0x3F])).decode()
    found = elements(TensorEntry(dtype="uint6", shape=[2], count=2, data=data))
    assert [(e.text, e.bits) for e in found] == [("0x01", "0x01"), ("0x3f", "0x3f")]


def test_complex_numbers_show_both_parts() -> None:
    (found,) = elements(entry([complex(-0.0, -1.5)], "complex64"))
    assert (found.text, found.bits) == ("-0.0-1.5j", "0x80000000 0xbfc00000")


def test_strings_are_quoted_and_their_hidden_characters_written_out() -> None:
    found = elements(entry(["a", 'q"\n', "x\u202ey", ""], "object"))
    assert [e.text for e in found] == ['"a"', r'"q\"\n"', r'"x\u202ey"', '""']


def test_a_bool_that_is_neither_0_nor_1_shows_its_bits() -> None:
    data = base64.b64encode(bytes([0, 1, 2])).decode()
    found = elements(TensorEntry(dtype="bool", shape=[3], count=3, data=data))
    assert [e.text for e in found] == ["false", "true", "bool(0x02)"]


@pytest.mark.parametrize("name", [name for name, dtype in DTYPES.items() if dtype.kind is Kind.FLOAT])
def test_the_text_of_a_float_gives_its_bits_back(name: str) -> None:
    dtype = DTYPES[name]
    step = max(1, (1 << dtype.bits) // 4096 | 1)
    patterns = range(0, 1 << dtype.bits, step)
    data = b"".join(pattern.to_bytes(dtype.itemsize, "little") for pattern in patterns)
    found = elements(TensorEntry(dtype=name, shape=[], count=len(patterns), data=base64.b64encode(data).decode()))
    values = np.frombuffer(data, numpy_dtype(name))
    for element, value in zip(found, values, strict=True):
        with np.errstate(all="ignore"):
            plain = float(value)
            if math.isnan(plain):
                assert element.text.endswith("NaN")
            elif name == "float8_e8m0fnu":
                assert float(element.text) == plain
            else:
                assert np.array(float(element.text)).astype(numpy_dtype(name)).tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "broken",
    [
        TensorEntry(dtype="float33", shape=[1], count=1, data="AAAA"),
        TensorEntry(dtype="int32", shape=[2], count=2, data="AAAA"),
        TensorEntry(dtype="int8", shape=[1], count=1, data="%%"),
        TensorEntry(dtype="string", shape=[1], count=1, data="/////w=="),
    ],
)
def test_what_cannot_be_read_is_an_error_and_no_value(broken: TensorEntry) -> None:
    with pytest.raises(ValueError, match=r"."):
        elements(broken)
