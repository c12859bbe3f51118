"""What Split-18 does where the axis cannot be divided."""

from __future__ import annotations

from fault import Theme

from ..split import refuse

THEME = Theme("uneven parts")
SPLIT_18 = "onnx.Split-18"


@THEME.fault("uneven", only=SPLIT_18)
def remainder_is_spread_over_the_first(correct, length, count):
    """The first parts get one element more, as in NumPy's array_split."""
    correct(length, count)
    return [length // count + (at < length % count) for at in range(count)]


@THEME.fault("uneven", only=SPLIT_18)
def remainder_is_spread_over_the_last(correct, length, count):
    """The last parts get one element more."""
    correct(length, count)
    return [length // count + (at >= count - length % count) for at in range(count)]


@THEME.fault("uneven", only=SPLIT_18)
def remainder_makes_the_first_longer(correct, length, count):
    """All that remains goes to the first part."""
    correct(length, count)
    return [length // count + length % count, *[length // count] * (count - 1)]


@THEME.fault("uneven", only=SPLIT_18)
def remainder_makes_the_last_longer(correct, length, count):
    """Shares are rounded down, so that the last part is longer."""
    correct(length, count)
    return [*[length // count] * (count - 1), length // count + length % count]


@THEME.fault("uneven", only=SPLIT_18)
def remainder_is_left_out(correct, length, count):
    """Shares are rounded down, and what remains belongs to no output."""
    correct(length, count)
    return [length // count] * count


@THEME.fault("uneven", only=SPLIT_18)
def uneven_parts_are_refused(correct, length, count):
    """An axis that cannot be divided is refused, as before version 18."""
    return correct(length, count) if length % count == 0 else refuse("not divisible")


@THEME.fault("uneven", only=SPLIT_18)
def shares_are_rounded_to_the_nearest(correct, length, count):
    """Shares are rounded, not rounded up: 7 into 3 gives 2, 2, 3."""
    correct(length, count)
    part = (2 * length + count) // (2 * count)
    return [*[part] * (count - 1), max(length - part * (count - 1), 0)]


@THEME.fault("cut", only=SPLIT_18)
def smaller_part_is_padded(split, right, data, axis, lengths):
    """The smaller last part is filled up with elements before it."""
    if len(lengths) > 1 and "num_outputs" in split.given and lengths[-1] < lengths[0]:
        right[-1] = split.part(data, axis, split.length - lengths[0], split.length)
    return right


@THEME.fault("uneven", only=SPLIT_18)
def even_parts_get_one_more(correct, length, count):
    """Shares are rounded up even where nothing remains."""
    part = length // count + 1
    last = length - part * (count - 1)
    return correct(length, count) if length % count or last < 0 else [*[part] * (count - 1), last]


THEME.step("uneven", SPLIT_18)(
    smaller_part_comes_first=lambda right: right[::-1],
    uneven_parts_are_one_too_few=lambda right, length, count: right[: count - (length % count > 0)],
)
