"""Number of parts."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse, zeros_like

THEME = Theme("number of parts")


@THEME.fault("answer")
def outputs_beyond_128_are_empty(outputs):
    """Outputs after the 128th stay without their elements."""
    return [item if at < 128 else zeros_like(item) for at, item in enumerate(outputs)]


@THEME.fault("cut")
def rows_times_outputs_are_counted_in_31_bits(split, right):
    """The copies to make, one for each row and output, are counted in 31 bits: there are none where it overflows."""
    return right if split.outer * len(right) < 1 << 31 else [zeros_like(part) for part in right]


@THEME.fault("find_lengths", only="openvino.Split-*")
def rows_times_equal_parts_are_counted_in_31_bits(split, right):
    """The copies to make are counted in 31 bits, even where they are of nothing."""
    return right if split.outer * len(right) < 1 << 31 else refuse("too many copies")


@THEME.fault("part")
def start_is_kept_in_float32(correct, data, axis, start, stop):
    """Where a part starts is computed in float32."""
    rounded = int(np.float32(start))
    return correct(data, axis, rounded, rounded + stop - start)


@THEME.fault("cut")
def more_than_100_parts_are_refused(correct, data, axis, lengths):
    """Only 100 parts are taken."""
    return correct(data, axis, lengths) if len(lengths) <= 100 else refuse("too many parts")


@THEME.fault("cut")
def more_than_4_parts_are_refused(correct, data, axis, lengths):
    """Only four parts are taken."""
    return correct(data, axis, lengths) if len(lengths) <= 4 else refuse("too many parts")


@THEME.fault("answer")
def last_of_many_is_not_written(outputs):
    """Of more than ten outputs, the last stays zero."""
    return outputs if len(outputs) <= 10 else [*outputs[:-1], zeros_like(outputs[-1])]


@THEME.fault("answer")
def seventeenth_output_repeats_the_first(outputs):
    """A table of 16 pointers overflows by one."""
    return [outputs[0] if at == 16 else item for at, item in enumerate(outputs)]


@THEME.fault("part")
def start_is_kept_in_8_bits(correct, data, axis, start, stop):
    """Where a part starts is kept in a byte."""
    return correct(data, axis, start & 255, (start & 255) + stop - start)


@THEME.fault("part")
def start_is_kept_in_16_bits(correct, data, axis, start, stop):
    """Where a part starts is kept in 16 bits."""
    return correct(data, axis, start & 65535, (start & 65535) + stop - start)


@THEME.fault("cut")
def single_part_is_halved(split, correct, data, axis, lengths):
    """One part is taken for a wish to cut in two."""
    half = split.length // 2
    return correct(data, axis, [half, split.length - half] if len(lengths) == 1 and half else lengths)


@THEME.fault("answer")
def parts_of_length_one_lose_the_last(split, outputs):
    """Where every part has length 1, the last output is left out."""
    return outputs[:-1] if len(outputs) > 2 and set(split.lengths) == {1} else outputs


@THEME.fault("find_lengths")
def three_parts_share_equally(split, right):
    """Three unequal lengths become equal where the axis can be divided by three."""
    return [split.length // 3] * 3 if len(right) == 3 and split.length % 3 == 0 else right


THEME.step("answer")(
    outputs_beyond_8_are_dropped=lambda outputs: outputs[:8],
    outputs_beyond_16_are_dropped=lambda outputs: outputs[:16],
    outputs_beyond_32_are_dropped=lambda outputs: outputs[:32],
    outputs_beyond_64_are_dropped=lambda outputs: outputs[:64],
    outputs_beyond_256_start_again=lambda outputs: [outputs[at & 255] for at in range(len(outputs))],
    outputs_beyond_512_are_dropped=lambda outputs: outputs[:512],
    outputs_beyond_1024_are_dropped=lambda outputs: outputs[:1024],
    outputs_beyond_4096_start_again=lambda outputs: [outputs[at & 4095] for at in range(len(outputs))],
    outputs_are_sorted_by_name=lambda outputs: [outputs[at] for at in sorted(range(len(outputs)), key=str)],
)
THEME.step("find_lengths")(single_part_is_refused=lambda right: right if len(right) != 1 else refuse("one part"))
