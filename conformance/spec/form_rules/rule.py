"""The rule of one form, and what the rules of several forms need of a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.case import Case, MovedData, Parts, Rejection, Value
from conformance.spec.operator import Role
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import pack_integers


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRule:
    """Which cases have a form, and the calls that it makes of one, in order, each with its expectation.

    `needs` is what a case must have for the form, as messages name it.
    """

    fits: Callable[[Case], bool] = lambda _: True
    steps: Callable[[Case], tuple[Case, ...]] = lambda case: (case,)
    needs: str = ""


def moves_data(case: Case) -> bool:
    """Forms that restate a valid case need outputs that follow from the data."""
    return isinstance(case.expectation, MovedData) and case.data is not None


def is_rejected(case: Case) -> bool:
    """An invalid case with data also runs with other nodes around the call."""
    return isinstance(case.expectation, Rejection) and case.data is not None and bool(case.data.shape)


def with_other_elements(case: Case) -> Case:
    """The call with other elements in the same shapes.

    The case itself if its outputs do not follow from the data, or if a Relu keeps its elements but not the others.
    """
    data = case.data
    if not isinstance(case.expectation, MovedData) or data is None:
        return case
    other = {name: other_data(value, value.shape) for name, value in case.data_inputs.items()}
    is_kept = all(map(is_kept_by_relu, other.values()))
    return case.with_values(other) if is_kept or not is_kept_by_relu(data) else case


def other_data(data: Value, shape: tuple[int, ...]) -> Value:
    """Data of the same type with other elements in a shape."""
    return Value(dtype=data.dtype, shape=shape, start=data.start + 7, challenge=data.challenge)


def lengths_in_order(case: Case) -> list[int] | None:
    """The lengths of outputs that follow each other and use all of the data; None for other outputs."""
    data, axis = case.data, case.split_dim
    if not isinstance(case.expectation, Parts) or data is None or axis is None:
        return None
    bounds = [0, *(stop for _, stop in case.expectation.bounds)]
    if bounds[-1] != data.shape[axis] or case.expectation.bounds != tuple(pairwise(bounds)):
        return None
    return [stop - start for start, stop in case.expectation.bounds]


def integers_like(value: Value, numbers: list[int]) -> Value:
    """The value with other integers."""
    return replace(value, data=bytes(pack_integers(numbers, value.dtype, value.shape).data))


def has_numbers_for_relu(data: Value) -> bool:
    """Whether the elements are floating-point numbers. Frameworks compute the Relu of integers in floats, which is not
    under test here.
    """
    return DTYPES[data.dtype].layout is not None and DTYPES[data.dtype].category is Category.FLOAT


def is_kept_by_relu(data: Value) -> bool:
    """Whether Relu changes no bit: all elements are numbers without a sign."""
    return is_settled_by_relu(data) and (data.data is None or not any(p & sign_bit(data) for p in _patterns(data)))


def is_settled_by_relu(data: Value) -> bool:
    """Whether the result of Relu is certain: no element is NaN or -0.0, which no page covers."""
    layout = DTYPES[data.dtype].layout
    if layout is None or not has_numbers_for_relu(data):
        return False
    if data.data is None:  # the first distinct elements are the whole numbers from 0 up
        exact = 1 << min(layout.mantissa_bits + 1, 16)
        return data.fill is Fill.DISTINCT and data.start + math.prod(data.shape) <= exact
    return not any(layout.is_nan(pattern) or pattern == sign_bit(data) != 0 for pattern in _patterns(data))


def sign_bit(data: Value) -> int:
    """The bit of an element's sign; 0 if its type has none."""
    return DTYPES[data.dtype].sign_bit


def _patterns(data: Value) -> Iterator[int]:
    """The bits of each element that is written out."""
    size, written = DTYPES[data.dtype].itemsize, data.data or b""
    return (int.from_bytes(written[start : start + size], "little") for start in range(0, len(written), size))


# Forms that give the arguments in another way.


def _has_runtime_arguments(case: Case) -> bool:
    """Runtime forms need an input besides the data."""
    return any(a.role is Role.INPUT and not case.operator.is_data(a.name) for a in case.arguments)


def _has_two_runtime_arguments(case: Case) -> bool:
    """With one such input, giving it alone at run time is the form `runtime`."""
    return _is_input(case, case.operator.split_axis) and _is_input(case, case.operator.lengths)


def _is_input(case: Case, name: str | None) -> bool:
    """Whether the case gives the argument with that name as an input."""
    return any(a.name == name and a.role is Role.INPUT for a in case.arguments)


def _can_restate_axis(case: Case) -> bool:
    """An axis from the end needs a page that allows it."""
    return moves_data(case) and case.operator.takes_negative_axis and _restated_axis(case) is not None


def _with_restated_axis(case: Case) -> tuple[Case, ...]:
    axis = _restated_axis(case)
    assert axis is not None
    return (case.with_value(case.operator.split_axis, axis),)


def _restated_axis(case: Case) -> Value | Attribute | None:
    """`axis - rank` with the role, type and shape of the axis; None unless a valid axis from the front is written."""
    value, data, axis = case.value(case.operator.split_axis), case.data, case.split_axis
    if value is None or data is None or axis is None or not 0 <= axis < len(data.shape):
        return None
    restated = axis - len(data.shape)
    if not isinstance(value, Value):
        return restated
    if DTYPES[value.dtype].category is not Category.SIGNED:
        return None
    return integers_like(value, [restated])


_OF_INPUTS = FormRule(fits=_has_runtime_arguments, needs="an input besides the data")
_OF_TWO_INPUTS = FormRule(fits=_has_two_runtime_arguments, needs="an axis and lengths that are inputs")

ARGUMENT_RULES = {
    Form.AS_IN_THE_MODEL: FormRule(
        fits=lambda case: case.in_model is not None, needs="`in_model`, which says how the call is in a model"
    ),
    Form.RUNTIME: _OF_INPUTS,
    Form.RUNTIME_LENGTHS: _OF_TWO_INPUTS,
    Form.RUNTIME_AXIS: _OF_TWO_INPUTS,
    Form.SOME_DIMS: FormRule(
        fits=lambda case: case.data is not None and len(case.data.shape) > 1, needs="data with two dims or more"
    ),
    Form.RUNTIME_DYNAMIC: _OF_INPUTS,
    Form.UNCOUNTED_LENGTHS: FormRule(
        fits=lambda case: _is_input(case, case.operator.lengths), needs="lengths that are an input"
    ),
    Form.RUNTIME_DYNAMIC_RANK: _OF_INPUTS,
    Form.AXIS_FROM_END: FormRule(
        fits=_can_restate_axis,
        steps=_with_restated_axis,
        needs="an axis that can be counted from the end",
    ),
}
