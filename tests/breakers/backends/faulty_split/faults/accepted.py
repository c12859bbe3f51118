"""Calls that must be refused, and are answered: one fault for each demand of each operator."""

from __future__ import annotations

from functools import partial

import numpy as np
from fault import Theme

from ..split import is_integer

THEME = Theme("accepted an invalid call")
VARIADIC, SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"


def lax(*clauses, when=None):
    """A demand of these clauses is not made of some calls, or of none."""

    def demand(split, correct, clause, holds):
        correct(clause, holds or (clause in clauses and (when is None or when(split))))

    return demand


@THEME.fault("check_arguments", only="onnx.Split-13")
def split_13_ignores_lengths_in_an_attribute(split, correct):
    """Split-13 does not see lengths where earlier versions have them, and makes equal parts."""
    if not isinstance(split.given.get("split"), np.ndarray):
        split.given.pop("split", None)
    correct()


def ignores_num_outputs(split, correct, clause, holds):
    """The attribute that came with version 18 is ignored."""
    is_surplus = clause in ("surplus", "role") and "num_outputs" in split.given
    correct(clause, holds or is_surplus)


@THEME.fault("requirement", only="*")
def constant_lengths_of_unknown_dims_may_leave_something(split, correct, clause, holds):
    """Constant lengths that leave something of an unknown dim are taken."""
    is_unknown = split.has_unknown_dims and not split.has_runtime_lengths
    correct(clause, holds or (clause == "sum" and is_unknown and sum(split.lengths) < split.length))


def wraps(correct, axis, rank):
    """An axis beyond the last dimension is taken modulo the rank."""
    return correct(axis % rank if rank and axis >= rank else axis, rank)


@THEME.fault("front_axis")
def axis_below_minus_rank_wraps(correct, axis, rank):
    """An axis below -rank is taken modulo the rank."""
    return correct(axis % rank if rank and axis < -rank else axis, rank)


@THEME.fault("front_axis", only="openvino.*")
def invalid_axis_at_run_time_is_clamped(split, correct, axis, rank):
    """An axis that comes with the run is clamped."""
    return correct(max(-rank, min(axis, rank - 1)) if split.is_runtime("axis") else axis, rank)


def adds_up_modulo(correct, lengths, length, bits):
    """The sum of the lengths is kept in some bits."""
    total = sum(lengths)
    if -1 not in lengths and total != length and total % 2**bits == length:
        return [min(item, length) for item in lengths]
    return correct(lengths, length)


@THEME.fault("of_onnx", only="onnx.*")
def lengths_of_onnx_add_up_modulo_64_bits(split, correct, lengths):
    """The sum of the lengths is kept in 64 bits."""
    total = sum(lengths or [])
    if lengths and total != split.length and total % 2**64 == split.length:
        return [min(max(item, 0), split.length) for item in lengths]
    return correct(lengths)


@THEME.fault("of_onnx", only="onnx.*")
def minus_one_is_a_remainder_in_onnx(split, correct, lengths):
    """ONNX's Split takes -1 for what remains, as VariadicSplit does."""
    if not lengths or lengths.count(-1) != 1:
        return correct(lengths)
    rest = split.length - sum(lengths) - 1
    return correct([rest if item == -1 else item for item in lengths])


def takes_rank_zero(split, correct, axis, rank):
    """A scalar is taken for a vector of one element."""
    if rank:
        return correct(axis, rank)
    split.data = split.data.reshape(1)
    return correct(axis, 1)


@THEME.fault("requirement", only=VARIADIC)
def lengths_may_be_the_one_number_of_one_output(split, correct, clause, holds):
    """One number is taken for a list of it where the node declares one output."""
    is_only = clause == "lengths rank" and split.given["split_lengths"].ndim == 0 and split.call.declared_outputs == 1
    correct(clause, holds or is_only)


@THEME.fault("requirement", only="onnx.Split-1[38]")
def scalar_lengths_of_onnx_may_leave_something(split, correct, clause, holds):
    """One number is taken for a list of it, and not compared with the axis."""
    is_scalar = isinstance(split.given.get("split"), np.ndarray) and split.given["split"].ndim == 0
    correct(clause, holds or (is_scalar and clause in ("lengths rank", "sum", "negative length", "declared")))


THEME.step("requirement", VARIADIC)(
    lengths_may_leave_something=lax(
        "sum", when=lambda split: -1 not in split.lengths and sum(split.lengths) < split.length
    ),
    lengths_may_be_too_long=lax(
        "sum", when=lambda split: -1 not in split.lengths and sum(split.lengths) > split.length
    ),
    lengths_beside_a_remainder_may_be_too_long=lax("sum", when=lambda split: -1 in split.lengths),
    two_remainders_are_taken=lax("two remainders"),
    lengths_below_minus_one_are_taken=lax("below -1"),
    lengths_may_be_a_scalar=lax("lengths rank", when=lambda split: split.given["split_lengths"].ndim == 0),
    lengths_may_be_a_matrix=lax("lengths rank", when=lambda split: split.given["split_lengths"].ndim == 2),
    axis_may_be_a_matrix=lax("axis shape", when=lambda split: split.given["axis"].shape == (1, 1)),
    axis_may_have_several_elements=lax("axis shape", when=lambda split: split.given["axis"].size > 1),
    float_axis_is_taken_by_variadic_split=lax("axis type"),
    float_lengths_are_taken_by_variadic_split=lax("lengths type"),
    variadic_split_takes_surplus_attributes=lax("surplus", "role"),
)
THEME.step("requirement", SPLIT)(
    split_axis_may_have_one_element=lax("axis shape", when=lambda split: split.given["axis"].shape == (1,)),
    split_axis_may_have_several_elements=lax("axis shape", when=lambda split: split.given["axis"].size > 1),
    float_axis_is_taken_by_split=lax("axis type"),
    number_of_splits_need_not_divide=lax("divides"),
    number_of_splits_may_be_zero=lax("count range", when=lambda split: split.given["num_splits"] == 0),
    number_of_splits_may_be_negative=lax("count range", when=lambda split: split.given["num_splits"] < 0),
    number_of_splits_may_exceed_the_axis=lax(
        "count range", "divides", when=lambda split: split.given["num_splits"] > split.length
    ),
    split_takes_surplus_attributes=lax("surplus", "role"),
)
THEME.step("requirement", "onnx.Split-1")(
    split_1_takes_lengths_of_another_type=lax(
        "lengths type", when=lambda split: is_integer(np.asarray(split.given.get("split")))
    ),
    split_1_rounds_fractions=lax(
        "lengths type", when=lambda split: np.asarray(split.given.get("split")).dtype.kind == "f"
    ),
)
THEME.step("requirement", "onnx.Split-18")(
    split_18_takes_both=lax("exclusive", when=lambda split: split.given.get("split") is not None),
    split_18_takes_neither=lax("exclusive", when=lambda split: split.given.get("split") is None),
    split_18_ignores_its_outputs=lax("declared", when=lambda split: not split.lengths),
    split_18_may_make_no_outputs=lax("count range", "declared", when=lambda split: split.given.get("num_outputs") == 0),
    split_18_takes_a_negative_number=lax(
        "count range", "declared", when=lambda split: split.given.get("num_outputs", 0) < 0
    ),
)
_OF_VERSIONS = {
    "lengths_may_be_too_long": ((1, 2, 11, 13, 18), lax("sum", when=lambda split: sum(split.lengths) > split.length)),
    "lengths_may_leave_something": ((13, 18), lax("sum", when=lambda split: sum(split.lengths) < split.length)),
    "need_not_divide": ((1, 2, 11, 13), lax("divides")),
    "takes_any_type": ((1, 13, 18), lax("type")),
    "takes_bfloat16": ((2, 11), lax("type")),
    "takes_lengths_as_an_input": ((2, 11), lax("role")),
    "takes_lengths_as_an_attribute": (
        (13, 18),
        lax("role", when=lambda split: isinstance(split.given.get("split"), (list, tuple))),
    ),
    "takes_negative_lengths": ((11, 13, 18), lax("negative length")),
    "takes_another_number_of_lengths": ((11, 13, 18), lax("declared", when=lambda split: bool(split.lengths))),
    "takes_int32_lengths": ((13, 18), lax("lengths type", when=lambda split: split.given["split"].dtype == np.int32)),
    "ignores_num_outputs": ((11, 13), ignores_num_outputs),
}
"""Demands that several versions of ONNX's Split make: each is a fault of each."""
for _name, (_versions, _fault) in _OF_VERSIONS.items():
    for _version in _versions:
        THEME.step("requirement", f"onnx.Split-{_version}")(**{f"split_{_version}_{_name}": _fault})
for _version in (1, 2, 11, 13, 18):
    THEME.step("front_axis", f"onnx.Split-{_version}")(**{f"axis_of_split_{_version}_wraps": wraps})
THEME.step("front_axis", SPLIT)(axis_of_openvino_split_wraps=wraps)
THEME.step("front_axis", "onnx.Split-18")(rank_zero_is_taken_by_split_18=takes_rank_zero)
THEME.step("without_remainder", VARIADIC)(
    lengths_add_up_modulo_32_bits=partial(adds_up_modulo, bits=32),
    lengths_add_up_modulo_64_bits=partial(adds_up_modulo, bits=64),
)
THEME.step("requirement")(
    invalid_lengths_at_run_time_are_taken=lax("sum", when=lambda split: split.has_runtime_lengths),
    invalid_lengths_of_unknown_dims_are_taken=lax("sum", when=lambda split: split.has_unknown_dims),
    equal_parts_of_unknown_dims_need_not_divide=lax("divides", when=lambda split: split.has_unknown_dims),
)
THEME.step("front_axis", VARIADIC)(
    axis_of_variadic_split_is_clamped=lambda correct, axis, rank: correct(max(-rank, min(axis, rank - 1)), rank),
    rank_zero_is_taken_by_variadic_split=takes_rank_zero,
)
THEME.step("front_axis")(
    axis_of_rank_is_the_last=lambda correct, axis, rank: correct(axis - (axis == rank), rank),
    axis_below_minus_rank_by_one_is_the_first=lambda correct, axis, rank: correct(axis + (axis == -rank - 1), rank),
)
