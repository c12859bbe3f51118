"""Number of parts."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse, zeros_like

THEME = Theme("number of parts")


@THEME.fault("answer")
def outputs_beyond_8_are_dropped(split, correct, outputs):
    """Eight outputs are the most."""
    return outputs[:8]


@THEME.fault("answer")
def outputs_beyond_16_are_dropped(split, correct, outputs):
    """Sixteen outputs are the most."""
    return outputs[:16]


@THEME.fault("answer")
def outputs_beyond_32_are_dropped(split, correct, outputs):
    """32 outputs are the most."""
    return outputs[:32]


@THEME.fault("answer")
def outputs_beyond_64_are_dropped(split, correct, outputs):
    """64 outputs are the most."""
    return outputs[:64]


@THEME.fault("answer")
def outputs_beyond_128_are_empty(split, correct, outputs):
    """Outputs after the 128th stay without their elements."""
    return [item if at < 128 else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("answer")
def outputs_beyond_256_start_again(split, correct, outputs):
    """The number of an output is kept in a byte."""
    return [outputs[at & 255] for at in range(len(outputs))]


@THEME.fault("answer")
def outputs_beyond_512_are_dropped(split, correct, outputs):
    """512 outputs are the most."""
    return outputs[:512]


@THEME.fault("answer")
def outputs_beyond_1024_are_dropped(split, correct, outputs):
    """1,024 outputs are the most."""
    return outputs[:1024]


@THEME.fault("answer")
def outputs_beyond_4096_start_again(split, correct, outputs):
    """The number of an output is kept in twelve bits."""
    return [outputs[at & 4095] for at in range(len(outputs))]


@THEME.fault("cut")
def rows_times_outputs_are_counted_in_31_bits(split, correct, data, axis, lengths):
    """The copies to make, one for each row and output, are counted in 31 bits: there are none where it overflows."""
    parts = correct(data, axis, lengths)
    return parts if split.outer * len(parts) < 1 << 31 else [zeros_like(part) for part in parts]


@THEME.fault("find_lengths", only="openvino.Split-*")
def rows_times_equal_parts_are_counted_in_31_bits(split, correct):
    """The copies to make are counted in 31 bits, even where they are of nothing."""
    lengths = correct()
    return lengths if split.outer * len(lengths) < 1 << 31 else refuse("too many copies")


@THEME.fault("part")
def start_is_kept_in_float32(split, correct, data, axis, start, stop):
    """Where a part starts is computed in float32."""
    rounded = int(np.float32(start))
    return correct(data, axis, rounded, rounded + stop - start)


@THEME.fault("cut")
def more_than_100_parts_are_refused(split, correct, data, axis, lengths):
    """Only 100 parts are taken."""
    return correct(data, axis, lengths) if len(lengths) <= 100 else refuse("too many parts")


@THEME.fault("cut")
def more_than_4_parts_are_refused(split, correct, data, axis, lengths):
    """Only four parts are taken."""
    return correct(data, axis, lengths) if len(lengths) <= 4 else refuse("too many parts")


@THEME.fault("answer")
def outputs_are_sorted_by_name(split, correct, outputs):
    """output_10 comes before output_2."""
    return [outputs[at] for at in sorted(range(len(outputs)), key=str)]


@THEME.fault("answer")
def last_of_many_is_not_written(split, correct, outputs):
    """Of more than ten outputs, the last stays zero."""
    return outputs if len(outputs) <= 10 else [*outputs[:-1], zeros_like(outputs[-1])]


@THEME.fault("answer")
def seventeenth_output_repeats_the_first(split, correct, outputs):
    """A table of 16 pointers overflows by one."""
    return [outputs[0] if at == 16 else item for at, item in enumerate(outputs)]


@THEME.fault("part")
def start_is_kept_in_8_bits(split, correct, data, axis, start, stop):
    """Where a part starts is kept in a byte."""
    return correct(data, axis, start & 255, (start & 255) + stop - start)


@THEME.fault("part")
def start_is_kept_in_16_bits(split, correct, data, axis, start, stop):
    """Where a part starts is kept in 16 bits."""
    return correct(data, axis, start & 65535, (start & 65535) + stop - start)


@THEME.fault("find_lengths")
def single_part_is_refused(split, correct):
    """One part, which copies the data, is refused."""
    lengths = correct()
    return lengths if len(lengths) != 1 else refuse("one part")


@THEME.fault("cut")
def single_part_is_halved(split, correct, data, axis, lengths):
    """One part is taken for a wish to cut in two."""
    half = split.length // 2
    return correct(data, axis, [half, split.length - half] if len(lengths) == 1 and half else lengths)


@THEME.fault("answer")
def parts_of_length_one_lose_the_last(split, correct, outputs):
    """Where every part has length 1, the last output is left out."""
    return outputs[:-1] if len(outputs) > 2 and set(split.lengths) == {1} else outputs


@THEME.fault("find_lengths")
def three_parts_share_equally(split, correct):
    """Three unequal lengths become equal where the axis can be divided by three."""
    lengths = correct()
    return [split.length // 3] * 3 if len(lengths) == 3 and split.length % 3 == 0 else lengths
