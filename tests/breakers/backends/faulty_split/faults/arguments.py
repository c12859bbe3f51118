"""How axis and lengths are read from their types."""

from __future__ import annotations

from fault import Theme

THEME = Theme("types of arguments")
OPENVINO = "openvino.*"


def of(array, *types):
    return str(array.dtype) in types


def wrapped(value, bits):
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


@THEME.fault("integers", only=OPENVINO)
def uint16_is_read_as_signed(correct, array, name):
    """Unsigned 16 bits beyond 32767 turn negative."""
    return [wrapped(item, 16) if of(array, "uint16") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint32_is_read_as_signed(correct, array, name):
    """The largest uint32 passes for -1."""
    return [wrapped(item, 32) if of(array, "uint32") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint64_is_read_as_signed(correct, array, name):
    """The largest uint64 passes for -1."""
    return [wrapped(item, 64) if of(array, "uint64") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def int32_is_read_as_unsigned(correct, array, name):
    """-1 in 32 bits becomes 4294967295."""
    return [item & 0xFFFFFFFF if of(array, "int32") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def nibbles_of_lengths_are_swapped(right, array, name):
    """Lengths of 4 bits are unpacked high half first."""
    if not of(array, "int4", "uint4") or name == "axis":
        return right
    return [item for at in range(0, len(right), 2) for item in reversed(right[at : at + 2])]


@THEME.fault("integers", only=OPENVINO)
def int64_is_read_in_32_bit_steps(right, array, name):
    """Lengths of 64 bits are walked through in steps of 32."""
    if not of(array, "int64") or name == "axis":
        return right
    return [half for item in right for half in (item & 0xFFFFFFFF, 0)][: len(right)]


@THEME.fault("integers", only=OPENVINO)
def int16_is_read_big_endian(correct, array, name):
    """The two bytes of a 16-bit integer change places."""
    return correct(array.byteswap(), name) if of(array, "int16", "uint16") else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_uint64_is_zero(correct, array, name):
    """An unsigned 64-bit axis is not looked at."""
    return [0] if of(array, "uint64") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_int8_is_zero(correct, array, name):
    """An 8-bit axis is not looked at."""
    return [0] if of(array, "int8") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_int4_is_zero(correct, array, name):
    """A 4-bit axis is not looked at."""
    return [0] if of(array, "int4", "uint4") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def negative_int16_axis_is_zero(correct, array, name):
    """A negative axis in 16 bits becomes 0."""
    return [max(item, 0) if of(array, "int16") and name == "axis" else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def negative_int32_axis_at_run_time_is_zero(split, correct, array, name):
    """A negative 32-bit axis that comes with the run becomes 0."""
    is_hit = of(array, "int32") and name == "axis" and split.is_runtime("axis")
    return [max(item, 0) if is_hit else item for item in correct(array, name)]


THEME.step("integers", OPENVINO)(
    lengths_are_cut_to_8_bits=lambda right: [item if item < 0 else item & 255 for item in right],
    lengths_are_kept_in_int8=lambda right: [wrapped(item, 8) for item in right],
    uint8_is_read_as_signed=lambda right, array: [wrapped(item, 8) if of(array, "uint8") else item for item in right],
    int8_is_read_as_unsigned=lambda right, array: [item & 255 if of(array, "int8") else item for item in right],
    int16_is_read_as_unsigned=lambda right, array: [item & 65535 if of(array, "int16") else item for item in right],
    int4_is_read_as_unsigned=lambda right, array: [item & 15 if of(array, "int4") else item for item in right],
    uint4_is_read_as_signed=lambda right, array: [wrapped(item, 4) if of(array, "uint4") else item for item in right],
)
THEME.step("integers")(
    lengths_are_kept_in_int16=lambda right: [wrapped(item, 16) for item in right],
    lengths_are_kept_in_int32=lambda right: [wrapped(item, 32) for item in right],
    lengths_pass_through_float16=lambda right: [item if abs(item) < 2048 else item & ~1 for item in right],
)
