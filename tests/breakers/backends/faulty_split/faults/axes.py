"""Which dimension is cut."""

from __future__ import annotations

from fault import Theme

from ..split import refuse

THEME = Theme("axis")


@THEME.fault("front_axis")
def negative_axis_counts_one_too_far(split, correct, axis, rank):
    """A negative axis ends one dimension before the one that it names."""
    return max(correct(axis, rank) - 1, 0) if axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_is_made_positive(split, correct, axis, rank):
    """A negative axis loses its sign: -1 becomes 1."""
    correct(axis, rank)
    return min(abs(axis), rank - 1)


@THEME.fault("front_axis")
def negative_axis_is_the_first(split, correct, axis, rank):
    """Any negative axis becomes 0."""
    return max(axis, 0) if -rank <= axis < rank else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_is_the_last(split, correct, axis, rank):
    """Treats every negative axis as -1."""
    return correct(max(axis, -1), rank)


@THEME.fault("front_axis")
def only_the_last_two_count_from_the_end(split, correct, axis, rank):
    """An axis below -2 becomes 0."""
    return 0 if -rank <= axis < -2 else correct(axis, rank)


@THEME.fault("front_axis")
def negative_axis_assumes_rank_four(split, correct, axis, rank):
    """A negative axis is counted from a fourth dimension, whatever the rank."""
    return (axis + 4) % rank if -rank <= axis < 0 else correct(axis, rank)


@THEME.fault("front_axis")
def minus_rank_is_the_last(split, correct, axis, rank):
    """The lowest negative axis wraps to the last dimension."""
    return rank - 1 if rank and axis == -rank else correct(axis, rank)


@THEME.fault("front_axis")
def axis_counts_from_the_end(split, correct, axis, rank):
    """Dimensions are numbered from the last, as in column-major libraries."""
    return rank - 1 - correct(axis, rank)


@THEME.fault("front_axis")
def last_axis_is_the_one_before(split, correct, axis, rank):
    """The last dimension is mistaken for its neighbour."""
    return rank - 2 if rank > 1 and axis == rank - 1 else correct(axis, rank)


@THEME.fault("front_axis")
def axis_is_ignored_beyond_rank_four(split, correct, axis, rank):
    """Tensors with more than four dimensions are cut along the first."""
    return correct(axis, rank) * (rank <= 4)


@THEME.fault("front_axis")
def axis_is_ignored_beyond_rank_six(split, correct, axis, rank):
    """Tensors with more than six dimensions are cut along the first."""
    return correct(axis, rank) * (rank <= 6)


@THEME.fault("front_axis")
def axis_is_kept_in_three_bits(split, correct, axis, rank):
    """An axis beyond 7 wraps."""
    return correct(axis, rank) & 7


@THEME.fault("front_axis")
def axis_is_kept_in_two_bits(split, correct, axis, rank):
    """An axis beyond 3 wraps."""
    return correct(axis, rank) & 3


@THEME.fault("front_axis")
def rank_four_is_cut_by_channel(split, correct, axis, rank):
    """Images are cut along the channels where the batch was asked for."""
    return 1 if rank == 4 and correct(axis, rank) == 0 else correct(axis, rank)


@THEME.fault("front_axis")
def height_and_width_are_swapped(split, correct, axis, rank):
    """The last two of four dimensions change places."""
    return {2: 3, 3: 2}.get(correct(axis, rank), axis % rank) if rank == 4 else correct(axis, rank)


@THEME.fault("front_axis")
def depth_and_height_are_swapped(split, correct, axis, rank):
    """The third and fourth of five dimensions change places."""
    return {2: 3, 3: 2}.get(correct(axis, rank), axis % rank) if rank == 5 else correct(axis, rank)


@THEME.fault("front_axis")
def ends_of_rank_three_are_swapped(split, correct, axis, rank):
    """The first and last of three dimensions change places."""
    return 2 - correct(axis, rank) if rank == 3 else correct(axis, rank)


@THEME.fault("front_axis")
def inner_axis_becomes_the_first(split, correct, axis, rank):
    """A dimension that is neither first nor last is taken for the first."""
    return 0 if 0 < correct(axis, rank) < rank - 1 else correct(axis, rank)


@THEME.fault("front_axis")
def rank_two_is_cut_by_row(split, correct, axis, rank):
    """Matrices are always cut along their rows."""
    return correct(axis, rank) * (rank != 2)


@THEME.fault("front_axis")
def longest_axis_is_taken(split, correct, axis, rank):
    """Of dimensions, the longest is cut where it comes right after the named one."""
    axis = correct(axis, rank)
    return axis + 1 if axis + 1 < rank and split.data.shape[axis + 1] > split.data.shape[axis] else axis


@THEME.fault("front_axis")
def axis_of_length_one_is_skipped(split, correct, axis, rank):
    """A dimension of length 1 in front of the axis is not counted."""
    axis = correct(axis, rank)
    return axis - 1 if axis and split.data.shape[0] == 1 else axis


@THEME.fault("read_axis", only="openvino.VariadicSplit-1")
def axis_in_a_list_is_read_as_zero(split, correct):
    """An axis of shape [1] is read as 0."""
    return correct() if split.given["axis"].ndim == 0 else 0


@THEME.fault("read_axis", only="openvino.*")
def axis_at_run_time_is_zero(split, correct):
    """An axis that comes with the run is not looked at."""
    return 0 if split.is_runtime("axis") else correct()


@THEME.fault("front_axis", only="openvino.*")
def negative_axis_at_run_time_is_zero(split, correct, axis, rank):
    """A negative axis that comes with the run is not counted from the end."""
    return 0 if -rank <= axis < 0 and split.is_runtime("axis") else correct(axis, rank)


@THEME.fault("front_axis")
def axis_of_unknown_dims_is_zero(split, correct, axis, rank):
    """Where the model does not know the shape, the first dimension is cut."""
    return correct(axis, rank) * (not split.has_unknown_dims)


@THEME.fault("read_axis", only="onnx.Split-2")
def default_axis_of_split_2_is_the_last(split, correct):
    """Without an axis Split-2 cuts the last dimension."""
    return correct() if "axis" in split.given else split.rank - 1


@THEME.fault("read_axis", only="onnx.Split-11")
def default_axis_of_split_11_is_one(split, correct):
    """Without an axis Split-11 cuts the second dimension."""
    return correct() if "axis" in split.given else min(1, split.rank - 1)


@THEME.fault("read_axis", only="onnx.Split-13")
def default_axis_of_split_13_is_the_last(split, correct):
    """Without an axis Split-13 cuts the last dimension."""
    return correct() if "axis" in split.given else -1


@THEME.fault("read_axis", only="onnx.Split-18")
def default_axis_of_split_18_is_one(split, correct):
    """Without an axis Split-18 cuts the second dimension."""
    return correct() if "axis" in split.given else min(1, split.rank - 1)


@THEME.fault("read_axis", only="onnx.Split-18")
def default_axis_of_split_18_is_refused(split, correct):
    """Split-18 demands an axis."""
    return correct() if "axis" in split.given else refuse("axis is missing")


@THEME.fault("read_axis", only="onnx.*")
def written_axis_of_onnx_is_ignored(split, correct):
    """The attribute is not read, the default always holds."""
    correct()
    return 0
