"""Derives calls from a case: calls to run before or after it, and equivalent ones.

Each has its own expectation. `form_steps` decides which form uses which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import assert_never

from conformance.spec.call import Attribute
from conformance.spec.case import (
    Argument,
    Case,
    Disputed,
    Elements,
    Expectation,
    Interpretation,
    Literals,
    Parts,
    Rejection,
    Value,
    expected_outputs,
)
from conformance.spec.elements import Permuted
from conformance.values.dtypes import DTYPES, INTEGERS, Kind
from conformance.values.fill import Fill
from conformance.values.tensor import (
    Tensor,
    array_from_tensor,
    pack_integers,
    rectified,
    tensor_from_array,
    unpack_integers,
)

_MAX_FITTING_LENGTH = 1 << 16
_MAX_RANK = 8


def restated_axis(case: Case) -> Value | Attribute | None:
    """`axis - rank` with the role, type and shape of the axis; None unless a valid axis from the front is written."""
    value, data, axis = case.value(case.operator.axis), case.data, case.axis
    if value is None or data is None or axis is None or not 0 <= axis < len(data.shape):
        return None
    restated = axis - len(data.shape)
    if not isinstance(value, Value):
        return restated
    if DTYPES[value.dtype].kind is not Kind.SIGNED:
        return None
    return _integers_like(value, [restated])


def with_other_elements(case: Case) -> Case:
    """The call with other elements in the same shapes.

    The case itself if its outputs do not follow from the data, or if a Relu keeps its elements but not the others.
    """
    data = case.data
    if not isinstance(case.expectation, Parts | Elements) or data is None:
        return case
    other = {name: _other_data(value, value.shape) for name, value in case.data_inputs.items()}
    is_kept = all(map(is_kept_by_relu, other.values()))
    return case.with_values(other) if is_kept or not is_kept_by_relu(data) else case


def with_elements_below_zero(case: Case) -> Case:
    """The call with other elements in front of a Relu: every second one is negative and becomes 0. If the type has no
    sign, none is negative.
    """
    import numpy as np

    case = with_other_elements(case)
    data = case.data
    if data is None or not DTYPES[data.dtype].sign_bit:
        return case
    given = np.frombuffer(data.tensor().data, f"<u{DTYPES[data.dtype].itemsize}")
    is_below = (np.arange(given.size) % 2 == 1) & (given != 0)
    below = np.where(is_below, given | given.dtype.type(DTYPES[data.dtype].sign_bit), given)
    return behind_relu(case.with_data(Value.of(Tensor(data.dtype, data.shape, below.tobytes()))))


def with_equal_elements(case: Case) -> Case | None:
    """The call with data that is constant along one axis; None if `axis_to_equal` finds none."""
    import numpy as np

    along = axis_to_equal(case)
    if along is None or case.data is None:
        return None
    array = array_from_tensor(case.data.tensor())
    equal = np.broadcast_to(array.take([0], axis=along), array.shape)
    return case.with_data(Value.of(tensor_from_array(equal)))


def axis_to_equal(case: Case) -> int | None:
    """The first axis with several elements that is not split, so that data which is constant along it still has
    different parts. None if there is none, or if the outputs do not follow from the data.
    """
    data, axis = case.data, case.axis_from_front
    if data is None or not all(data.shape):
        return None
    if isinstance(case.expectation, Elements):
        longer = [index for index, dim in enumerate(data.shape) if dim > 1]
        return longer[0] if len(longer) > 1 else None
    if not isinstance(case.expectation, Parts) or axis is None:
        return None
    return next((index for index, dim in enumerate(data.shape) if index != axis and dim > 1), None)


def with_every_second_output(case: Case) -> Case:
    """The call with only the first, third, ... output as outputs of the graph."""
    return replace(case, expectation=_every_second_output(case.expectation))


def _every_second_output(expectation: Expectation) -> Expectation:
    match expectation:
        case Parts(bounds=bounds):
            return Parts(bounds[::2])
        case Elements(outputs=arrangements):
            return replace(expectation, outputs=arrangements[::2])
        case Literals(outputs=outputs):
            return Literals(outputs[::2])
        case Rejection():
            return expectation
        case Disputed(interpretations=interpretations):
            return Disputed(tuple(_with_every_second_output(interpretation) for interpretation in interpretations))
        case _:
            assert_never(expectation)


def _with_every_second_output(interpretation: Interpretation) -> Interpretation:
    left = _every_second_output(interpretation.expectation)
    assert not isinstance(left, Disputed)
    return replace(interpretation, expectation=left)


def with_other_data(case: Case) -> Case | None:
    """The call with other elements in another shape: two other dims grow, and the axis if the lengths of the parts
    follow from it. None if the outputs are neither parts of the data nor the data with its dims in another order.
    """
    case, axis = _with_grown_axis(case), case.axis_from_front
    data = case.data
    if not (isinstance(case.expectation, Parts) or _is_permuted(case.expectation)) or data is None:
        return None
    growing = [index for index in range(len(data.shape)) if index != axis][:2]
    shape = tuple(dim + 1 + index if index in growing else dim for index, dim in enumerate(data.shape))
    return case.with_data(_other_data(data, shape))


def _is_permuted(expectation: Expectation) -> bool:
    """Whether the outputs follow from data of every shape with the same rank."""
    return isinstance(expectation, Elements) and all(isinstance(output, Permuted) for output in expectation.outputs)


def _with_grown_axis(case: Case) -> Case:
    """The call with a longer axis, if the parts grow with it."""
    data, axis, grown = case.data, case.axis_from_front, _grown_parts(case)
    if data is None or axis is None or grown is None:
        return case
    return _cut_into(case, data.shape, axis, grown)


def with_other_rank(case: Case) -> Case | None:
    """The call with data of a higher rank, if the same axis is split, and other lengths as in `with_other_data`. None
    if the rank cannot grow.
    """
    case, axis = _with_grown_axis(case), case.axis
    data = case.data
    if not isinstance(case.expectation, Parts) or data is None or axis is None or not 0 < len(data.shape) < _MAX_RANK:
        return None
    shape = (2, *data.shape) if axis < 0 else (*data.shape, 2)
    return case.with_data(_other_data(data, shape))


def with_other_arguments(case: Case) -> Case | None:
    """The call with another axis and other lengths, each only if it is an input, and with data to match. The data keeps
    its number of elements if the lengths are only reordered.

    None if the outputs do not use all of the data in order. Also None if nothing can change: the lengths are not an
    input, and the axis is not one either or the rank is 1.
    """
    data, axis, lengths, names = case.data, case.axis_from_front, lengths_in_order(case), case.operator
    if data is None or axis is None or lengths is None:
        return None
    written_axis, written_lengths = _whole_numbers(case, names.axis), _whole_numbers(case, names.lengths)
    other_axis, rank = axis, len(data.shape)
    if written_axis is not None and rank > 1:
        other_axis = (axis + 1) % rank
        number = other_axis - rank if (case.axis or 0) < 0 else other_axis
        case = case.with_value(names.axis, _integers_like(written_axis, [number]))
    if written_lengths is not None:
        lengths = lengths[::-1] if lengths[::-1] != lengths else _with_another_first(lengths, written_lengths.dtype)
        case = case.with_value(names.lengths, _integers_like(written_lengths, lengths))
    elif other_axis == axis:
        return None
    shape = list(data.shape)
    shape[axis], shape[other_axis] = shape[other_axis], shape[axis]
    return _cut_into(case, shape, other_axis, lengths)


def sibling_with_other_data(case: Case) -> Case | None:
    """The call of the sibling, if its constants are those of the case and its data has another shape."""
    if case.sibling is None or _others(case.sibling) != _others(case):
        return None
    shapes = [[value.shape for value in item.data_inputs.values()] for item in (case, case.sibling)]
    return None if shapes[0] == shapes[1] else with_other_elements(case.sibling)


def sibling_with_other_arguments(case: Case) -> Case | None:
    """The call of the sibling, if one of its inputs besides the data differs."""
    if case.sibling is None or _others(case.sibling) == _others(case):
        return None
    return with_other_elements(case.sibling)


def _others(case: Case) -> list[Argument]:
    """The inputs besides the data."""
    return [a for a in case.arguments if isinstance(a.value, Value) and not case.operator.is_data(a.name)]


def with_more_data(case: Case) -> Case | None:
    """As `with_other_data`, with another first length if the lengths are an input. None if the outputs are not parts of
    the data.
    """
    data, axis, lengths, names = case.data, case.axis_from_front, lengths_in_order(case), case.operator
    written = _whole_numbers(case, names.lengths)
    if data is not None and axis is not None and lengths is not None and written is not None:
        lengths = _with_another_first(lengths, written.dtype)
        case = case.with_value(names.lengths, _integers_like(written, lengths))
        case = _cut_into(case, data.shape, axis, lengths)
    return with_other_data(case)


def _with_another_first(lengths: list[int], dtype: str) -> list[int]:
    """The first length plus one, or minus one if the type has no greater value."""
    first, *others = lengths
    return [first + 1 if first + 1 in DTYPES[dtype].integers else first - 1, *others]


def with_fitting_data(case: Case) -> Case | None:
    """A valid call of an invalid case's model: with data that fits the lengths. None if the case is not invalid, or if
    no data fits.
    """
    if not isinstance(case.expectation, Rejection):
        return None
    return _over_fitting_data(case, case.axis_from_front, _lengths_as_written(case))


def with_fitting_arguments(case: Case) -> Case | None:
    """A valid call of an invalid case's model: along the first axis if the axis is an input, and into parts of one
    element if the lengths are an input.

    None if the case is not invalid, if neither is an input, or if no data fits.
    """
    axis, lengths, names = case.axis_from_front, _lengths_as_written(case), case.operator
    axis_value, lengths_value = _whole_numbers(case, names.axis), _whole_numbers(case, names.lengths)
    if not isinstance(case.expectation, Rejection) or (axis_value is None and lengths_value is None):
        return None
    if axis_value is not None:
        axis, case = 0, case.with_value(names.axis, _integers_like(axis_value, [0]))
    if lengths_value is not None:
        lengths = [1] * len(lengths)
        case = case.with_value(names.lengths, _integers_like(lengths_value, lengths))
    return _over_fitting_data(case, axis, lengths)


def _over_fitting_data(case: Case, axis: int | None, lengths: list[int]) -> Case | None:
    """The call with data that fits the lengths; -1 stands for one element. None if no data fits."""
    data, lengths = case.data, [1 if length == -1 else length for length in lengths]
    if data is None or not data.shape or axis is None or not 0 <= sum(lengths) <= _MAX_FITTING_LENGTH:
        return None
    return _cut_into(case, data.shape, axis, lengths)


def lengths_in_order(case: Case) -> list[int] | None:
    """The lengths of outputs that follow each other and use all of the data; None for other outputs."""
    data, axis = case.data, case.axis_from_front
    if not isinstance(case.expectation, Parts) or data is None or axis is None:
        return None
    bounds = [0, *(stop for _, stop in case.expectation.bounds)]
    if bounds[-1] != data.shape[axis] or case.expectation.bounds != tuple(pairwise(bounds)):
        return None
    return [stop - start for start, stop in case.expectation.bounds]


def has_numbers_for_relu(data: Value) -> bool:
    """Whether the elements are floating-point numbers. Frameworks compute the Relu of integers in floats, which is not
    under test here.
    """
    return DTYPES[data.dtype].layout is not None and DTYPES[data.dtype].kind is Kind.FLOAT


def is_kept_by_relu(data: Value) -> bool:
    """Whether Relu changes no bit: all elements are numbers without a sign."""
    return is_settled_by_relu(data) and (data.data is None or not any(p & _sign_bit(data) for p in _patterns(data)))


def is_settled_by_relu(data: Value) -> bool:
    """Whether the result of Relu is certain: no element is NaN or -0.0, which no page covers."""
    layout = DTYPES[data.dtype].layout
    if layout is None or not has_numbers_for_relu(data):
        return False
    if data.data is None:  # the first distinct elements are the whole numbers from 0 up
        exact = 1 << min(layout.mantissa_bits + 1, 16)
        return data.fill is Fill.DISTINCT and data.start + math.prod(data.shape) <= exact
    return not any(layout.is_nan(pattern) or pattern == _sign_bit(data) != 0 for pattern in _patterns(data))


def behind_relu(case: Case) -> Case:
    """The call with the outputs that it has behind a Relu: parts of the data with 0 for each negative element."""
    data = case.data
    if data is None or not _sign_bit(data) or is_kept_by_relu(data):
        return case
    expected = expected_outputs(case.expectation, case.with_data(Value.of(rectified(data.tensor()))))
    return replace(case, expectation=Literals(tuple(map(Value.of, expected))))


def joined(case: Case) -> Case | None:
    """The call in front of a Concat, which restores the data. None if an interpretation requires anything but all of
    the data in order.
    """
    if not isinstance(case.expectation, Disputed):
        lengths = lengths_in_order(case)
        return None if lengths is None else replace(case, expectation=Parts(((0, sum(lengths)),)))
    interpretations = []
    for interpretation in case.expectation.interpretations:
        whole = joined(replace(case, expectation=interpretation.expectation))
        if whole is None or not isinstance(whole.expectation, Parts):
            return None
        interpretations.append(replace(interpretation, expectation=whole.expectation))
    return replace(case, expectation=Disputed(tuple(interpretations)))


def _patterns(data: Value) -> Iterator[int]:
    """The bits of each element that is written out."""
    size, written = DTYPES[data.dtype].itemsize, data.data or b""
    return (int.from_bytes(written[start : start + size], "little") for start in range(0, len(written), size))


def _sign_bit(data: Value) -> int:
    return DTYPES[data.dtype].sign_bit


def _grown_parts(case: Case) -> list[int] | None:
    """The lengths of the parts of a longer axis: one more element in each part, or only in the part for -1 if the
    lengths are given. None if the outputs do not use all of the data in order, or if the given lengths are not an
    integer tensor.
    """
    lengths, names = lengths_in_order(case), case.operator
    if lengths is None:
        return None
    if case.value(names.lengths) is None:
        return [length + 1 for length in lengths]
    written = _whole_numbers(case, names.lengths)
    if written is None:
        return None
    return [length + (given == -1) for length, given in zip(lengths, unpack_integers(written.tensor()), strict=True)]


def _lengths_as_written(case: Case) -> list[int]:
    """The lengths of an invalid case, or as many ones as there are outputs if it has no lengths."""
    value = _whole_numbers(case, case.operator.lengths)
    if value is not None:
        return unpack_integers(value.tensor())
    given = case.value(case.operator.lengths)
    if isinstance(given, tuple) and all(isinstance(length, int) for length in given):
        return [int(length) for length in given]
    return [1] * case.declared_outputs


def _cut_into(case: Case, shape: Sequence[int], axis: int, lengths: list[int]) -> Case:
    """The call with other data of a shape whose axis is as long as the parts together."""
    assert case.data is not None
    data = _other_data(case.data, (*shape[:axis], sum(lengths), *shape[axis + 1 :]))
    parts = Parts(tuple(pairwise([0, *accumulate(lengths)])))
    return replace(case.with_data(data), expectation=parts)


def _other_data(data: Value, shape: tuple[int, ...]) -> Value:
    return Value(dtype=data.dtype, shape=shape, start=data.start + 7, challenge=data.challenge)


def _whole_numbers(case: Case, name: str | None) -> Value | None:
    """The argument with that name if it is an integer tensor."""
    value = case.value(name)
    return value if isinstance(value, Value) and value.dtype in INTEGERS else None


def _integers_like(value: Value, numbers: list[int]) -> Value:
    return replace(value, data=bytes(pack_integers(numbers, value.dtype, value.shape).data))
