from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.suite.literals import data_from_bits
from conformance.tensors.dtypes import DTYPES, Kind
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    has_same_bits,
    pack_integers,
    pack_strings,
    tensor_from_array,
    unpack_integers,
    unpack_strings,
)

pytestmark = pytest.mark.slow

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
WIDE = [name for name, dtype in DTYPES.items() if dtype.itemsize]
WHOLE = [name for name, dtype in DTYPES.items() if dtype.kind in (Kind.SIGNED, Kind.UNSIGNED)]


@given(st.data(), st.sampled_from(WIDE), SHAPES)
def test_any_bits_survive_the_way_through_an_array(data: st.DataObject, dtype: str, shape: tuple[int, ...]) -> None:
    size = prod(shape) * DTYPES[dtype].itemsize
    tensor = Tensor(dtype, shape, data.draw(st.binary(min_size=size, max_size=size)))
    back = tensor_from_array(array_from_tensor(tensor))
    assert (back.dtype, back.shape, bytes(back.data)) == (dtype, shape, tensor.data)
    assert has_same_bits(tensor, back)


@given(st.data(), SHAPES)
def test_any_text_survives_the_way_through_an_array(data: st.DataObject, shape: tuple[int, ...]) -> None:
    count = prod(shape)
    items = data.draw(st.lists(st.text(max_size=8).map(str.encode), min_size=count, max_size=count))
    tensor = pack_strings(items, shape)
    back = tensor_from_array(array_from_tensor(tensor))
    assert (back.shape, bytes(back.data)) == (shape, bytes(tensor.data))
    assert unpack_strings(back) == items


@given(st.data(), st.sampled_from(WHOLE))
def test_any_integer_survives_packing(data: st.DataObject, dtype: str) -> None:
    kind = DTYPES[dtype]
    low = -(1 << (kind.bits - 1)) if kind.kind is Kind.SIGNED else 0
    values = data.draw(st.lists(st.integers(low, low + (1 << kind.bits) - 1), max_size=6))
    assert unpack_integers(pack_integers(values, dtype, (len(values),))) == values


@given(st.data(), st.sampled_from(WIDE))
def test_any_pattern_of_a_type_is_kept(data: st.DataObject, dtype: str) -> None:
    kind = DTYPES[dtype]
    patterns = data.draw(st.lists(st.integers(0, (1 << kind.bits) - 1), max_size=6))
    encoded = data_from_bits(list(patterns), dtype)
    read = [int.from_bytes(encoded[at : at + kind.itemsize], "little") for at in range(0, len(encoded), kind.itemsize)]
    assert read == patterns
