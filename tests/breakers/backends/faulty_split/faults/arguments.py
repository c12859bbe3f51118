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
def lengths_are_cut_to_8_bits(split, correct, array, name):
    """Lengths lose all but their low 8 bits."""
    return [item if item < 0 else item & 255 for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def lengths_are_kept_in_int8(split, correct, array, name):
    """Lengths are kept in signed bytes."""
    return [wrapped(item, 8) for item in correct(array, name)]


@THEME.fault("integers")
def lengths_are_kept_in_int16(split, correct, array, name):
    """Lengths are kept in signed 16 bits."""
    return [wrapped(item, 16) for item in correct(array, name)]


@THEME.fault("integers")
def lengths_are_kept_in_int32(split, correct, array, name):
    """Lengths of 64 bits lose their upper half: 2**32 + 2 passes for 2."""
    return [wrapped(item, 32) for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint8_is_read_as_signed(split, correct, array, name):
    """Unsigned bytes beyond 127 turn negative."""
    return [wrapped(item, 8) if of(array, "uint8") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint16_is_read_as_signed(split, correct, array, name):
    """Unsigned 16 bits beyond 32767 turn negative."""
    return [wrapped(item, 16) if of(array, "uint16") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint32_is_read_as_signed(split, correct, array, name):
    """The largest uint32 passes for -1."""
    return [wrapped(item, 32) if of(array, "uint32") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint64_is_read_as_signed(split, correct, array, name):
    """The largest uint64 passes for -1."""
    return [wrapped(item, 64) if of(array, "uint64") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def int8_is_read_as_unsigned(split, correct, array, name):
    """-1 in a byte becomes 255."""
    return [item & 255 if of(array, "int8") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def int16_is_read_as_unsigned(split, correct, array, name):
    """-1 in 16 bits becomes 65535."""
    return [item & 65535 if of(array, "int16") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def int32_is_read_as_unsigned(split, correct, array, name):
    """-1 in 32 bits becomes 4294967295."""
    return [item & 0xFFFFFFFF if of(array, "int32") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def int4_is_read_as_unsigned(split, correct, array, name):
    """-1 in 4 bits becomes 15."""
    return [item & 15 if of(array, "int4") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def uint4_is_read_as_signed(split, correct, array, name):
    """Unsigned 4 bits beyond 7 turn negative."""
    return [wrapped(item, 4) if of(array, "uint4") else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def nibbles_of_lengths_are_swapped(split, correct, array, name):
    """Lengths of 4 bits are unpacked high half first."""
    read = correct(array, name)
    if not of(array, "int4", "uint4") or name == "axis":
        return read
    return [item for at in range(0, len(read), 2) for item in reversed(read[at : at + 2])]


@THEME.fault("integers", only=OPENVINO)
def int64_is_read_in_32_bit_steps(split, correct, array, name):
    """Lengths of 64 bits are walked through in steps of 32."""
    read = correct(array, name)
    if not of(array, "int64") or name == "axis":
        return read
    return [half for item in read for half in (item & 0xFFFFFFFF, 0)][: len(read)]


@THEME.fault("integers", only=OPENVINO)
def int16_is_read_big_endian(split, correct, array, name):
    """The two bytes of a 16-bit integer change places."""
    return correct(array.byteswap(), name) if of(array, "int16", "uint16") else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_uint64_is_zero(split, correct, array, name):
    """An unsigned 64-bit axis is not looked at."""
    return [0] if of(array, "uint64") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_int8_is_zero(split, correct, array, name):
    """An 8-bit axis is not looked at."""
    return [0] if of(array, "int8") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def axis_of_int4_is_zero(split, correct, array, name):
    """A 4-bit axis is not looked at."""
    return [0] if of(array, "int4", "uint4") and name == "axis" else correct(array, name)


@THEME.fault("integers", only=OPENVINO)
def negative_int16_axis_is_zero(split, correct, array, name):
    """A negative axis in 16 bits becomes 0."""
    return [max(item, 0) if of(array, "int16") and name == "axis" else item for item in correct(array, name)]


@THEME.fault("integers", only=OPENVINO)
def negative_int32_axis_at_run_time_is_zero(split, correct, array, name):
    """A negative 32-bit axis that comes with the run becomes 0."""
    is_hit = of(array, "int32") and name == "axis" and split.is_runtime("axis")
    return [max(item, 0) if is_hit else item for item in correct(array, name)]


@THEME.fault("integers")
def lengths_pass_through_float16(split, correct, array, name):
    """Lengths are computed in half precision, which knows no odd number beyond 2048."""
    return [item if abs(item) < 2048 else item & ~1 for item in correct(array, name)]
