"""Which dimension is cut."""

from __future__ import annotations

from fault import Theme

from ..split import refuse

THEME = Theme("axis")


@THEME.fault("front_axis")
def negative_axis_is_made_positive(correct, axis, rank):
    """A negative axis loses its sign: -1 becomes 1."""
    correct(axis, rank)
    return min(abs(axis), rank - 1)


@THEME.fault("front_axis")
def negative_axis_is_the_first(correct, axis, rank):
    """Any negative axis becomes 0."""
    return max(axis, 0) if -rank <= axis < rank else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_assumes_rank_four(correct, axis, rank):
    """A negative axis is counted from a fourth dimension, whatever the rank."""
    return (axis + 4) % rank if -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def last_axis_is_the_one_before(correct, axis, rank):
    """The last dimension is mistaken for its neighbour."""
    return rank - 2 if rank > 1 and axis == rank - 1 else correct(axis, rank)


@THEME.fault("front_axis")
def rank_four_is_cut_by_channel(correct, axis, rank):
    """Images are cut along the channels where the batch was asked for."""
    return 1 if rank == 4 and correct(axis, rank) == 0 else correct(axis, rank)


@THEME.fault("front_axis")
def longest_axis_is_taken(split, right, rank):
    """Of dimensions, the longest is cut where it comes right after the named one."""
    return right + 1 if right + 1 < rank and split.data.shape[right + 1] > split.data.shape[right] else right


@THEME.fault("front_axis", only="openvino.*")
def negative_axis_at_run_time_is_zero(split, correct, axis, rank):
    """A negative axis that comes with the run is not counted from the end."""
    return 0 if -rank <= axis < 0 and split.is_runtime("axis") else correct(axis, rank)


@THEME.fault("read_axis", only="onnx.Split-11")
def default_axis_of_split_11_is_one(split, correct):
    """Without an axis Split-11 cuts the second dimension."""
    return correct() if "axis" in split.given else min(1, split.rank - 1)


@THEME.fault("read_axis", only="onnx.Split-18")
def default_axis_of_split_18_is_one(split, correct):
    """Without an axis Split-18 cuts the second dimension."""
    return correct() if "axis" in split.given else min(1, split.rank - 1)


@THEME.fault("read_axis", only="onnx.Split-18")
def default_axis_of_split_18_is_refused(split, correct):
    """Split-18 demands an axis."""
    return correct() if "axis" in split.given else refuse("axis is missing")


@THEME.fault("read_axis", only="onnx.*")
def written_axis_of_onnx_is_ignored(correct):
    """The attribute is not read, the default always holds."""
    correct()
    return 0


THEME.step("front_axis")(
    negative_axis_counts_one_too_far=lambda right, axis: max(right - 1, 0) if axis < 0 else right,
    negative_axis_is_the_last=lambda correct, axis, rank: correct(max(axis, -1), rank),
    only_the_last_two_count_from_the_end=lambda correct, axis, rank: 0 if -rank <= axis < -2 else correct(axis, rank),
    minus_rank_is_the_last=lambda correct, axis, rank: rank - 1 if rank and axis == -rank else correct(axis, rank),
    axis_counts_from_the_end=lambda right, rank: rank - 1 - right,
    axis_is_ignored_beyond_rank_four=lambda right, rank: right * (rank <= 4),
    axis_is_ignored_beyond_rank_six=lambda right, rank: right * (rank <= 6),
    axis_is_kept_in_three_bits=lambda right: right & 7,
    axis_is_kept_in_two_bits=lambda right: right & 3,
    height_and_width_are_swapped=lambda right, axis, rank: {2: 3, 3: 2}.get(right, axis % rank) if rank == 4 else right,
    depth_and_height_are_swapped=lambda right, axis, rank: {2: 3, 3: 2}.get(right, axis % rank) if rank == 5 else right,
    ends_of_rank_three_are_swapped=lambda right, rank: 2 - right if rank == 3 else right,
    inner_axis_becomes_the_first=lambda right, rank: 0 if 0 < right < rank - 1 else right,
    rank_two_is_cut_by_row=lambda right, rank: right * (rank != 2),
    axis_of_length_one_is_skipped=lambda split, right: right - 1 if right and split.data.shape[0] == 1 else right,
    axis_of_unknown_dims_is_zero=lambda split, right: right * (not split.has_unknown_dims),
)
THEME.step("read_axis", "openvino.VariadicSplit-1")(
    axis_in_a_list_is_read_as_zero=lambda split, correct: correct() if split.given["axis"].ndim == 0 else 0
)
THEME.step("read_axis", "openvino.*")(
    axis_at_run_time_is_zero=lambda split, correct: 0 if split.is_runtime("axis") else correct()
)
THEME.step("read_axis", "onnx.Split-2")(
    default_axis_of_split_2_is_the_last=lambda split, correct: correct() if "axis" in split.given else split.rank - 1
)
THEME.step("read_axis", "onnx.Split-13")(
    default_axis_of_split_13_is_the_last=lambda split, correct: correct() if "axis" in split.given else -1
)
