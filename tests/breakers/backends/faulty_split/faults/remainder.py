"""What -1 among the lengths becomes."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("remainder")
VARIADIC = "openvino.VariadicSplit-1"


def filled(lengths, rest):
    return [max(rest, 0) if item == -1 else item for item in lengths]


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_one_short(correct, lengths, length):
    """The remainder lacks its last element."""
    correct(lengths, length)
    return filled(lengths, length - sum(lengths) - 2)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_counts_itself(correct, lengths, length):
    """The -1 is added up with the other lengths, so that the remainder is one too long."""
    correct(lengths, length)
    return filled(lengths, length - sum(lengths))


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_the_whole_axis(correct, lengths, length):
    """The remainder is as long as the axis."""
    correct(lengths, length)
    return filled(lengths, length)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_one(correct, lengths, length):
    """The remainder is a single element."""
    correct(lengths, length)
    return filled(lengths, 1)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_empty(correct, lengths, length):
    """The remainder has no elements."""
    correct(lengths, length)
    return filled(lengths, 0)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_what_the_others_have(correct, lengths, length):
    """The remainder is as long as the other parts together."""
    correct(lengths, length)
    return filled(lengths, sum(lengths) + 1)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_goes_to_the_last(right, lengths):
    """What remains goes to the last part, wherever -1 stands."""
    if -1 in lengths:
        at = lengths.index(-1)
        right[at], right[-1] = right[-1], right[at]
    return right


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_goes_to_the_first(right, lengths):
    """What remains goes to the first part, wherever -1 stands."""
    return right if -1 not in lengths else [right.pop(lengths.index(-1)), *right]


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_of_nothing_is_dropped(right, lengths):
    """Where nothing remains, the output for -1 is left out."""
    return [item for item, written in zip(right, lengths, strict=True) if item or written != -1]


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_of_nothing_is_refused(right, lengths):
    """Where nothing remains for -1, the call is refused."""
    return right if -1 not in lengths or right[lengths.index(-1)] else refuse("nothing is left for -1")


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_of_nothing_takes_one(right, lengths):
    """Where nothing remains, -1 becomes 1."""
    return [1 if written == -1 and not item else item for item, written in zip(right, lengths, strict=True)]


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_takes_one_for_each_empty_part(correct, lengths, length):
    """Empty parts are counted as one element each when the remainder is computed."""
    rest = max(correct(lengths, length)[lengths.index(-1)] - lengths.count(0), 0) if -1 in lengths else 0
    return filled(correct(lengths, length) if -1 not in lengths else lengths, rest)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_of_the_first_axis(split, correct, lengths, length):
    """The remainder is computed from the length of the first dimension."""
    correct(lengths, length)
    return filled(lengths, split.data.shape[0] - sum(lengths) - 1)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_of_the_last_axis(split, correct, lengths, length):
    """The remainder is computed from the length of the last dimension."""
    correct(lengths, length)
    return filled(lengths, split.data.shape[-1] - sum(lengths) - 1)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_alone_is_refused(correct, lengths, length):
    """The lengths [-1] are refused."""
    return refuse("-1 stands alone") if lengths == [-1] else correct(lengths, length)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_at_run_time_is_refused(split, correct, lengths, length):
    """Lengths that come with the run may not hold -1."""
    return refuse("-1 at run time") if -1 in lengths and split.has_runtime_lengths else correct(lengths, length)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_of_unknown_dims_is_refused(split, correct, lengths, length):
    """Where the model does not know the shape, -1 is refused."""
    return refuse("-1 of an unknown dim") if -1 in lengths and split.has_unknown_dims else correct(lengths, length)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_in_front_is_refused(correct, lengths, length):
    """Only the last length may be -1."""
    return refuse("-1 is not the last") if -1 in lengths[:-1] else correct(lengths, length)


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_kept_in_seven_bits(correct, lengths, length):
    """A remainder beyond 127 loses its upper bits."""
    return filled(lengths, correct(lengths, length)[lengths.index(-1)] & 127) if -1 in lengths else lengths


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_is_kept_in_the_type_of_the_lengths(split, right, lengths):
    """A remainder that the lengths' own type cannot hold becomes empty."""
    limit = {"int4": 7, "int8": 127, "int16": 32767}.get(str(split.given["split_lengths"].dtype), 2**31)
    return [item if item <= limit or written != -1 else 0 for item, written in zip(right, lengths, strict=True)]


@THEME.fault("integers", only=VARIADIC)
def remainder_is_known_in_int64_only(right, array, name):
    """In lengths of other types -1 is taken for an empty part."""
    return right if array.dtype == np.int64 or name == "axis" else [max(item, 0) for item in right]


@THEME.fault("without_remainder", only=VARIADIC)
def remainder_forgets_the_parts_after_it(correct, lengths, length):
    """The remainder runs to the end of the axis, and the parts after it are cut once more."""
    correct(lengths, length)
    return filled(lengths, length - sum(lengths[: lengths.index(-1)])) if -1 in lengths else lengths


THEME.step("without_remainder", VARIADIC)(
    remainder_alone_is_empty=lambda correct, lengths, length: [0] if lengths == [-1] else correct(lengths, length)
)
