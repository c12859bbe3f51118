from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from drawn import ANY_TYPE, SUB_BYTE, tensors
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.suite.literals import data_from_bits
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    gathered,
    has_same_bits,
    mask_unused_bits,
    outputs_digest,
    pack_integers,
    pack_strings,
    packed,
    rectified,
    slices_along,
    tensor_from_array,
    unpack_integers,
    unpack_strings,
    unpacked,
)

pytestmark = pytest.mark.slow

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
WIDE = [name for name, dtype in DTYPES.items() if dtype.itemsize]
WHOLE = [name for name, dtype in DTYPES.items() if dtype.category in (Category.SIGNED, Category.UNSIGNED)]


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
    low = -(1 << (kind.bits - 1)) if kind.category is Category.SIGNED else 0
    values = data.draw(st.lists(st.integers(low, low + (1 << kind.bits) - 1), max_size=6))
    assert unpack_integers(pack_integers(values, dtype, (len(values),))) == values


@given(st.data(), st.sampled_from(WIDE))
def test_any_pattern_of_a_type_is_kept(data: st.DataObject, dtype: str) -> None:
    kind = DTYPES[dtype]
    patterns = data.draw(st.lists(st.integers(0, (1 << kind.bits) - 1), max_size=6))
    encoded = data_from_bits(list(patterns), dtype)
    read = [int.from_bytes(encoded[at : at + kind.itemsize], "little") for at in range(0, len(encoded), kind.itemsize)]
    assert read == patterns


@given(st.data(), st.sampled_from([1, 2, 4]))
def test_packed_elements_come_out_as_they_went_in(data: st.DataObject, bits: int) -> None:
    values = data.draw(st.lists(st.integers(0, (1 << bits) - 1), max_size=40))
    raw = packed(np.array(values, np.uint8), bits)
    assert raw.size == -(-len(values) * bits // 8)
    assert unpacked(raw, bits, len(values)).tolist() == values


@given(st.lists(st.integers(0, 255), max_size=40), st.sampled_from([1, 2, 4]))
def test_packing_reads_no_bit_beyond_an_element(values: list[int], bits: int) -> None:
    low = [value % (1 << bits) for value in values]
    assert packed(np.array(values, np.uint8), bits).tobytes() == packed(np.array(low, np.uint8), bits).tobytes()


@given(tensors(st.sampled_from(SUB_BYTE)), st.data())
def test_unused_bits_are_no_part_of_a_tensor(tensor: Tensor, data: st.DataObject) -> None:
    size, unused = len(tensor.data), 0xFF & ~((1 << tensor.element_type.bits) - 1)
    noise = data.draw(st.binary(min_size=size, max_size=size))
    noisy = replace(tensor, data=bytes(byte ^ other & unused for byte, other in zip(tensor.data, noise, strict=True)))
    assert has_same_bits(tensor, noisy)
    assert outputs_digest([[tensor]]) == outputs_digest([[noisy]])
    assert mask_unused_bits(tensor) == mask_unused_bits(noisy)
    assert mask_unused_bits(replace(tensor, data=mask_unused_bits(tensor))) == mask_unused_bits(tensor)


@given(tensors(), tensors())
def test_tensors_have_one_digest_if_and_only_if_they_are_the_same(one: Tensor, other: Tensor) -> None:
    is_same = (one.dtype, one.shape) == (other.dtype, other.shape) and has_same_bits(one, other)
    assert (outputs_digest([[one]]) == outputs_digest([[other]])) is is_same


@given(st.lists(st.lists(tensors(), max_size=3), max_size=3))
def test_a_digest_tells_runs_apart_from_outputs(runs: list[list[Tensor]]) -> None:
    joined = [[tensor for run in runs for tensor in run]]
    assert (outputs_digest(runs) == outputs_digest(joined)) is (runs == joined)


@given(tensors(), st.data())
def test_slices_of_a_tensor_are_the_whole(tensor: Tensor, data: st.DataObject) -> None:
    assume(tensor.shape)
    axis = data.draw(st.integers(0, len(tensor.shape) - 1))
    at = data.draw(st.integers(0, tensor.shape[axis]))
    before, behind, whole = slices_along(tensor, axis, [(0, at), (at, tensor.shape[axis]), (0, tensor.shape[axis])])
    assert has_same_bits(whole, tensor)
    assert before.size + behind.size == tensor.size
    if axis == 0 and tensor.dtype != "string":
        assert bytes(before.data) + bytes(behind.data) == bytes(tensor.data)


@given(st.lists(tensors(st.just("int16")) | tensors(st.just("int16")), min_size=1, max_size=3))
def test_gathering_every_element_in_order_gives_the_sources(sources: list[Tensor]) -> None:
    whole = gathered(sources, np.arange(sum(source.size for source in sources)))
    assert bytes(whole.data) == b"".join(bytes(source.data) for source in sources)


@given(tensors())
def test_a_relu_is_done_once_and_leaves_no_sign(tensor: Tensor) -> None:
    once = rectified(tensor)
    assert has_same_bits(rectified(once), once)
    assert tensor.element_type.sign_bit or once == tensor


@given(st.lists(st.binary(max_size=5), max_size=6))
def test_texts_of_any_bytes_survive_packing(items: list[bytes]) -> None:
    assert unpack_strings(pack_strings(items, (len(items),))) == items


@given(ANY_TYPE, st.sampled_from(Fill), st.integers(0, 60), st.integers(0, 60), st.integers(0, 40))
def test_a_fill_is_one_sequence_of_which_each_value_has_a_stretch(
    dtype: str, fill: Fill, start: int, count: int, behind: int
) -> None:
    whole = filled(dtype, (count + behind,), fill, start)
    parts = [filled(dtype, (count,), fill, start), filled(dtype, (behind,), fill, start + count)]
    assert has_same_bits(gathered(parts, np.arange(count + behind)), whole)


@given(ANY_TYPE, st.lists(st.integers(0, 4), max_size=3).map(tuple), st.sampled_from(Fill), st.integers(0, 9))
def test_a_challenge_changes_elements_and_never_their_number(
    dtype: str, shape: tuple[int, ...], fill: Fill, challenge: int
) -> None:
    usual, challenged = filled(dtype, shape, fill), filled(dtype, shape, fill, challenge=challenge)
    assert (usual.dtype, usual.shape, usual.size) == (challenged.dtype, challenged.shape, challenged.size)
    assert challenge or usual == challenged
    assert filled(dtype, shape, fill, challenge=challenge) == challenged
