"""Parts and data without elements."""

from __future__ import annotations

import numpy as np
from fault import Theme

from ..split import refuse

THEME = Theme("empty")


@THEME.fault("cut")
def empty_last_part_is_dropped(correct, data, axis, lengths):
    """An empty part at the end is left out."""
    return correct(data, axis, lengths[:-1] if len(lengths) > 1 and not lengths[-1] else lengths)


@THEME.fault("cut")
def empty_first_part_is_dropped(correct, data, axis, lengths):
    """An empty part at the beginning is left out."""
    return correct(data, axis, lengths[1:] if len(lengths) > 1 and not lengths[0] else lengths)


@THEME.fault("cut")
def neighbouring_empty_parts_are_merged(correct, data, axis, lengths):
    """Of two empty parts in a row, one is left out."""
    kept = [item for at, item in enumerate(lengths) if item or not at or lengths[at - 1]]
    return correct(data, axis, kept)


@THEME.fault("part")
def empty_part_gets_one_element(correct, data, axis, start, stop):
    """An empty part is given the element that follows."""
    return correct(data, axis, start, max(stop, start + 1))


@THEME.fault("store")
def empty_output_forgets_other_empty_dims(split, part):
    """Of several dims of 0, only the one that was cut stays; the others become 1."""
    if part.size or part.shape.count(0) < 2:
        return part
    return np.empty([dim or int(at != split.axis) for at, dim in enumerate(part.shape)], part.dtype)


@THEME.fault("cut")
def empty_part_in_the_middle_shifts_the_rest(split, data, axis, lengths):
    """Each part after an empty one in the middle starts an element late."""
    moved = 0
    parts, start = [], 0
    for at, item in enumerate(lengths):
        parts.append(split.part(data, axis, start + moved, start + item + moved))
        moved += at > 0 and not item
        start += item
    return parts


@THEME.fault("check_type")
def empty_data_is_refused(split, correct):
    """Data without elements is refused."""
    correct()
    if not split.data.size:
        refuse("no data")


@THEME.fault("cut")
def data_empty_beside_the_axis_is_not_cut(split, correct, data, axis, lengths):
    """Where a dim beside the axis is 0, every output has the whole shape."""
    return correct(data, axis, lengths) if data.size or not split.length else [data.copy() for _ in lengths]


@THEME.fault("find_lengths")
def lengths_of_zero_only_are_refused(right):
    """Two or more empty parts and no other are refused."""
    return right if any(right) or len(right) < 2 else refuse("all lengths are 0")


@THEME.fault("part")
def empty_part_of_a_long_axis_gets_one_element(split, correct, data, axis, start, stop):
    """Beyond eight elements an empty part is given the element that follows."""
    return correct(data, axis, start, stop + (start == stop and split.length > 8))


THEME.step("answer")(
    empty_outputs_are_dropped=lambda outputs: [item for item in outputs if item.size],
    empty_data_gives_one_output=lambda split, outputs: outputs if split.data.size else [split.data.copy()],
    axis_of_no_length_gives_no_outputs=lambda split, outputs: outputs if split.length else [],
)
THEME.step("store")(
    empty_output_has_rank_one=lambda part: part if part.size else part.reshape(0),
    empty_output_is_empty_everywhere=lambda part: part if part.size else part.reshape((0,) * part.ndim),
    empty_output_is_empty_in_front=lambda part: part if part.size else part.reshape(sorted(part.shape, key=bool)),
    empty_output_is_float32=lambda part: part if part.size else part.astype(np.float32),
    empty_matrix_is_transposed=lambda part: part.T if part.ndim == 2 and not part.size else part,
)
THEME.step("find_lengths")(
    axis_of_no_length_is_refused=lambda split, correct: correct() if split.length else refuse("nothing to cut")
)
