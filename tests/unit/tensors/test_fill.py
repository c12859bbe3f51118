from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.fill import Fill, filled, special_patterns
from conformance.tensors.tensor import array_from_tensor, numpy_dtype, unpack_strings

ALL = sorted(DTYPES)
FLOATS = [name for name, dtype in DTYPES.items() if dtype.category is Category.FLOAT]


def elements(dtype: str, count: int, fill: Fill = Fill.DISTINCT, start: int = 0) -> list[bytes]:
    tensor = filled(dtype, (count,), fill, start)
    if dtype == "string":
        return unpack_strings(tensor)
    width = DTYPES[dtype].itemsize
    return [bytes(tensor.data[at : at + width]) for at in range(0, len(tensor.data), width)]


@pytest.mark.parametrize("dtype", ALL)
def test_elements_differ_as_far_as_the_type_has_values(dtype: str) -> None:
    kind = DTYPES[dtype]
    values = 2 if kind.category is Category.BOOL else 1 << kind.bits if kind.bits else 1 << 30
    if kind.category is Category.FLOAT and kind.bits <= 8:
        patterns = np.arange(values).astype(np.uint8).view(numpy_dtype(dtype)).astype(np.float64)
        values = len(set(patterns[np.isfinite(patterns)].tolist()))
    count = min(values, 1000)
    assert len(set(elements(dtype, count))) >= (count if values > 2 else 1)


@pytest.mark.parametrize("dtype", [name for name in ALL if DTYPES[name].bits in range(1, 9)])
def test_narrow_types_have_no_period_that_a_shift_could_hide_in(dtype: str) -> None:
    sequence = elements(dtype, 600)
    assert all(sequence[period:] != sequence[:-period] for period in range(1, 300))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("fill", list(Fill))
def test_fill_starts_at_its_start_value(dtype: str, fill: Fill) -> None:
    assert elements(dtype, 40, fill)[7:] == elements(dtype, 33, fill, start=7)


@pytest.mark.parametrize("fill", list(Fill))
def test_large_fill_goes_on_where_its_chunks_meet(fill: Fill) -> None:
    seam = 1 << 22
    whole = filled("uint8", (seam + 9,), fill)
    assert whole.data[seam - 5 :] == filled("uint8", (14,), fill, start=seam - 5).data


@pytest.mark.parametrize("dtype", FLOATS)
def test_distinct_floats_are_finite_and_have_no_negative_zero(dtype: str) -> None:
    values = array_from_tensor(filled(dtype, (500,), Fill.DISTINCT)).astype(np.float64)
    assert np.isfinite(values).all()
    assert not (np.signbit(values) & (values == 0)).any()


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("fill", list(Fill))
def test_unused_bits_are_clear(dtype: str, fill: Fill) -> None:
    kind = DTYPES[dtype]
    if 0 < kind.bits < 8:
        assert all(element[0] < 1 << kind.bits for element in elements(dtype, 300, fill))


def test_special_float32_holds_what_implementations_get_wrong() -> None:
    layout = DTYPES["float32"].layout
    assert layout is not None
    positive = {
        0x00000000,  # zero
        0x00000001,  # smallest subnormal
        0x00400000,  # a subnormal with the highest bit of the mantissa alone
        0x007FFFFF,  # largest subnormal
        0x00800000,  # smallest normal
        0x7F7FFFFF,  # largest finite
        0x7F800000,  # infinity
        0x7FC00000,  # quiet NaN
        0x7FC00001,  # quiet NaN with a payload
        0x7F800001,  # signalling NaN
        0x7FBFFFFF,  # signalling NaN with all of its payload
        0x7FFFFFFF,  # NaN with all bits
    }
    assert set(special_patterns(layout)) == positive | {pattern | 0x80000000 for pattern in positive}


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_patterns_fit_the_type_and_come_once(dtype: str) -> None:
    layout = DTYPES[dtype].layout
    assert layout is not None
    patterns = special_patterns(layout)
    assert len(set(patterns)) == len(patterns)
    assert all(0 <= pattern < 1 << DTYPES[dtype].bits for pattern in patterns)


@pytest.mark.parametrize(("dtype", "bits"), [("int64", 64), ("uint64", 64), ("int32", 32), ("int8", 8)])
def test_special_integers_hold_both_extremes(dtype: str, bits: int) -> None:
    patterns = {int.from_bytes(element, "little") for element in elements(dtype, 12, Fill.SPECIAL)}
    assert {0, 1, (1 << bits) - 1, (1 << (bits - 1)) - 1, 1 << (bits - 1)} <= patterns


def test_special_64_bit_integers_hold_what_32_bits_and_a_double_lose() -> None:
    patterns = {int.from_bytes(element, "little") for element in elements("int64", 12, Fill.SPECIAL)}
    assert {(1 << 32) + 1, (1 << 53) + 1} <= patterns


@pytest.mark.parametrize("dtype", ["nf4", "uint3", "uint6"])
def test_special_raw_bits_walk_every_pattern(dtype: str) -> None:
    count = 1 << DTYPES[dtype].bits
    assert elements(dtype, count + 1, Fill.SPECIAL) == [bytes([pattern % count]) for pattern in range(count + 1)]


def test_special_strings_change_where_texts_are_normalised_cased_or_cut() -> None:
    strings = elements("string", 14, Fill.SPECIAL)
    texts = [string.decode() for string in strings]
    for form in ("NFC", "NFD"):
        assert any(unicodedata.normalize(form, text) != text for text in texts)
    assert any(text.lower() != text and text.upper().lower() != text.lower() for text in texts)
    assert {15, 16, 22, 23} <= {len(string) for string in strings}


def test_special_strings_hold_empty_long_and_non_ascii_ones() -> None:
    strings = elements("string", 19, Fill.SPECIAL)
    assert b"" in strings
    assert any(b"\r\n" in string for string in strings)
    assert any(b"\0" in string for string in strings)
    assert "😀".encode() in strings
    assert max(map(len, strings)) > 1 << 16


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    tensor = filled("int16", shape, Fill.DISTINCT)
    assert (tensor.shape, len(tensor.data)) == (shape, 2 * tensor.size)
