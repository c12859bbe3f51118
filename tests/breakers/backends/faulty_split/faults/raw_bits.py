"""Types that neither NumPy nor ml_dtypes can name, whose bits are moved and mean nothing."""

from __future__ import annotations

import numpy as np
from fault import Theme

from conformance.tensors.tensor import type_name

from ..split import refuse

THEME = Theme("raw bits")
OPENVINO = "openvino.*"


def per_group(array):
    """How many elements of the type share three bytes."""
    return {"uint3": 8, "uint6": 4}.get(type_name(array.dtype), 1)


def with_bits(part, change):
    """The elements with other bits."""
    return change(part.view(np.uint8)).astype(np.uint8).view(part.dtype)


def rounded_part(split, data, axis, start, stop, count):
    """The part as it is when it has to start at a multiple of `count` elements."""
    rows = data.reshape(split.outer, split.length * split.inner)
    begin = start * split.inner // count * count
    shape = (*data.shape[:axis], stop - start, *data.shape[axis + 1 :])
    return rows[:, begin : begin + (stop - start) * split.inner].copy().reshape(shape)


@THEME.fault("store", only=OPENVINO)
def high_bit_of_u3_is_lost(part):
    """The highest bit of uint3, which lies in a byte of its own, is lost."""
    return with_bits(part, lambda bits: bits & 0b011) if type_name(part.dtype) == "uint3" else part


@THEME.fault("store", only=OPENVINO)
def high_bits_of_u6_are_lost(part):
    """The two highest bits of uint6, which lie in a byte of their own, are lost."""
    return with_bits(part, lambda bits: bits & 0b001111) if type_name(part.dtype) == "uint6" else part


@THEME.fault("store", only=OPENVINO)
def zero_of_nf4_is_its_first_code(part):
    """nf4 goes through its table and back, and the code of 0.0, which is 7, becomes 0."""
    return with_bits(part, lambda bits: np.where(bits == 7, 0, bits)) if type_name(part.dtype) == "nf4" else part


@THEME.fault("store", only=OPENVINO)
def elements_after_whole_groups_are_lost(part):
    """Of uint3 and uint6 the elements after the last whole group of three bytes stay zero."""
    if per_group(part) == 1:
        return part
    flat = part.reshape(-1).copy()
    flat.view(np.uint8)[flat.size - flat.size % per_group(part) :] = 0
    return flat.reshape(part.shape)


@THEME.fault("part", only=OPENVINO)
def cut_is_rounded_to_three_bytes(split, data, axis, start, stop):
    """A part of uint3 or uint6 that starts inside a group of three bytes starts where the group does."""
    return rounded_part(split, data, axis, start, stop, per_group(data))


@THEME.fault("part", only=OPENVINO)
def cut_of_nf4_is_rounded_to_a_byte(split, data, axis, start, stop):
    """A part of nf4 that starts at an odd element starts at the one before."""
    return rounded_part(split, data, axis, start, stop, 2 if type_name(data.dtype) == "nf4" else 1)


@THEME.fault("check_type", only=OPENVINO)
def types_without_a_name_are_refused(split, correct):
    """Types that NumPy cannot name are refused."""
    return refuse("type") if split.dtype in ("nf4", "uint3", "uint6") else correct()


THEME.step("store", OPENVINO)(
    nf4_comes_back_as_bytes=lambda part: part.view(np.uint8) if type_name(part.dtype) == "nf4" else part
)
