"""Forms with a second call: other data or arguments, taken from the case or computed.

The reference needs NumPy, so it is loaded when a call is computed. A case gives the model: its attributes, and the
types and ranks of its inputs. Another call is taken only if the page allows it and its outputs have the ranks of the
case's outputs, so that one model can run both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import (
    Case,
    Elements,
    Expectation,
    ExpectedOutputs,
    Literals,
    Parts,
    Rejection,
    Value,
    call_arguments,
    due_outputs,
)
from conformance.spec.elements import Permuted
from conformance.spec.form_rules.rule import (
    FormRule,
    integers_like,
    lengths_in_order,
    moves_data,
    other_data,
    with_other_elements,
)
from conformance.tensors.dtypes import DTYPES, INTEGERS
from conformance.tensors.tensor import Tensor, unpack_integers

_MAX_COMPUTED_BYTES = 1 << 16
"""Most data of a case for which other calls are computed: forms are chosen for every case of a plan."""
_MAX_LENGTH = 1 << 20

_Shape = tuple[int, ...]
_Values = Mapping[str, Value]


def with_computed_data(case: Case) -> Case | None:
    """The call with other elements in data of another shape; None if none was found."""
    if not _is_computable(case):
        return None
    known, ranks = [value.shape for value in case.data_inputs.values()], _ranks(due_outputs(case))
    shapes = [*_grown(known), *_permuted(known)]
    calls = (_computed(case, ranks, _other_data(case, other)) for other in shapes if other != known)
    return next(filter(None, calls), None)


def with_computed_arguments(case: Case) -> tuple[Case, ...]:
    """For each input besides the data, a call in which it is another, with data to match, if one was found.

    With the input of the case, the same data has other outputs or none, so that a kept input shows.
    """
    if not _is_computable(case):
        return ()
    known, ranks = [value.shape for value in case.data_inputs.values()], _ranks(due_outputs(case))
    data = [_other_data(case, shapes) for shapes in (known, *_permuted(known))]
    others = [argument.name for argument in case.arguments if not case.operator.is_data(argument.name)]
    return tuple(filter(None, (_with_another(case, ranks, name, data) for name in others)))


def _with_another(case: Case, ranks: list[int], name: str, data: Iterable[_Values]) -> Case | None:
    """The call in which one input is another, with the first data that shows it."""
    for values in data:
        kept = _computed(case, ranks, values)
        for other in _other_numbers(case.value(name)):
            call = _computed(case, ranks, {**values, name: other})
            if call is not None and (kept is None or call.expectation != kept.expectation):
                return call
    return None


def _is_computable(case: Case) -> bool:
    """Whether the case is valid and small enough, and its outputs are not parts: other calls follow from those.

    A long output without elements is not small: with other data it may have more than any memory holds.
    """
    is_small = bool(case.data_inputs) and _has_little_data(case)
    if not is_small or case.operator.splits or not isinstance(case.expectation, ExpectedOutputs):
        return False
    return max((dim for output in due_outputs(case) for dim in output.shape), default=0) <= _MAX_LENGTH


def _has_little_data(case: Case) -> bool:
    """Whether the data is small, and so are its dims: without elements, one may be longer than any memory."""
    data = case.data_inputs.values()
    longest = max((dim for value in data for dim in value.shape), default=0)
    return longest <= _MAX_COMPUTED_BYTES and sum(value.nbytes for value in data) <= _MAX_COMPUTED_BYTES


def _grown(shapes: list[_Shape]) -> Iterator[list[_Shape]]:
    """The shapes with every dim longer, and with one longer."""
    ranks = range(max(map(len, shapes)))
    for growing in (ranks, *((at,) for at in ranks)):
        yield [tuple(dim + 1 + at if at in growing else dim for at, dim in enumerate(shape)) for shape in shapes]


def _permuted(shapes: list[_Shape]) -> list[list[_Shape]]:
    """The shapes with their dims in reverse, and with the last dim first."""
    return [[shape[::-1] for shape in shapes], [(*shape[-1:], *shape[:-1]) for shape in shapes]]


def _other_data(case: Case, shapes: list[_Shape]) -> _Values:
    """The data inputs with other elements in these shapes, all distinct as far as the type has enough values."""
    made, shift = {}, 0
    for (name, value), shape in zip(case.data_inputs.items(), shapes, strict=True):
        other = other_data(value, shape)
        made[name] = replace(other, start=other.start + shift)
        shift += math.prod(shape) - math.prod(value.shape)
    return made


def _other_numbers(value: Value | Attribute | None) -> Iterator[Value]:
    """An integer input with its numbers in reverse, and with each increased by one.

    Smaller numbers are left out: below a negative one, pages leave more open.
    """
    if isinstance(value, Value) and value.dtype in INTEGERS:
        numbers = unpack_integers(value.tensor())
        for others in (numbers[::-1], [number + 1 for number in numbers]):
            if others != numbers and all(number in DTYPES[value.dtype].integers for number in others):
                yield integers_like(value, others)


def _ranks(outputs: Iterable[Tensor]) -> list[int]:
    return [len(output.shape) for output in outputs]


def _computed(case: Case, ranks: list[int], values: _Values) -> Case | None:
    """The call with these values and the outputs that the page requires; None if their ranks are not those of the case,
    whose model then cannot run it.

    Also None if the page forbids the call or leaves it open, or if its data is not small.
    """
    from conformance.spec.reference import OPERATORS, evaluate

    call = case.with_values(values)
    if not _has_little_data(call) or case.operator.id not in OPERATORS:
        return None
    try:
        outputs = evaluate(case.operator.id, call_arguments(call), case.declared_outputs)
    except (BrokenClauseError, UncoveredCallError):
        return None
    if _ranks(outputs) != ranks:
        return None
    return replace(call, expectation=Literals(tuple(map(Value.of, outputs))))


_MAX_FITTING_LENGTH = 1 << 16
_MAX_RANK = 8
_MAX_BYTES = 1 << 28
_Calls = tuple[Case, ...]


def _data_of_another_shape(case: Case) -> _Calls:
    return _found(_with_fitting_data(case) or _with_other_data(case) or with_computed_data(case))


def _other_arguments(case: Case) -> _Calls:
    """The calls with other arguments, and then with more data for both if all data has outputs."""
    fitting = _with_fitting_arguments(case)
    if fitting is not None:
        return (fitting,)
    other = _with_other_arguments(case)
    calls = with_computed_arguments(case) if other is None else (other, *_found(_with_more_data(other)))
    return (*calls, *_found(_with_other_data(case))) if calls else ()


def _found(call: Case | None) -> _Calls:
    return () if call is None else (call,)


def _between(others: Callable[[Case], _Calls], needs: str) -> FormRule:
    """The rule of a form with other calls: between two calls of a valid case, or before an invalid one.

    Data without elements can grow beyond any memory; a call with it is left out.
    """

    def held(case: Case) -> _Calls:
        return tuple(call for call in others(case) if call.data is None or call.data.nbytes <= _MAX_BYTES)

    def steps(case: Case) -> _Calls:
        if isinstance(case.expectation, Rejection):
            return (*held(case), case)
        return (case, *held(case), case)

    return FormRule(fits=lambda case: bool(held(case)), steps=steps, needs=needs)


def _with_other_data(case: Case) -> Case | None:
    """The call with other elements in another shape: two other dims grow, and the axis if the lengths of the parts
    follow from it. None if the outputs are neither parts of the data nor the data with its dims in another order.
    """
    case, axis = _with_grown_axis(case), case.split_dim
    data = case.data
    if not (isinstance(case.expectation, Parts) or _is_permuted(case.expectation)) or data is None:
        return None
    growing = [index for index in range(len(data.shape)) if index != axis][:2]
    shape = tuple(dim + 1 + index if index in growing else dim for index, dim in enumerate(data.shape))
    return case.with_data(other_data(data, shape))


def _is_permuted(expectation: Expectation) -> bool:
    """Whether the outputs follow from data of every shape with the same rank."""
    return isinstance(expectation, Elements) and all(isinstance(output, Permuted) for output in expectation.outputs)


def _with_grown_axis(case: Case) -> Case:
    """The call with a longer axis, if the parts grow with it."""
    data, axis, grown = case.data, case.split_dim, _grown_parts(case)
    if data is None or axis is None or grown is None:
        return case
    return _cut_into(case, data.shape, axis, grown)


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


def _with_other_rank(case: Case) -> Case | None:
    """The call with data of a higher rank, if the same axis is split, and other lengths as in `_with_other_data`. None
    if the rank cannot grow.
    """
    case, axis = _with_grown_axis(case), case.split_axis
    data = case.data
    if not isinstance(case.expectation, Parts) or data is None or axis is None or not 0 < len(data.shape) < _MAX_RANK:
        return None
    shape = (2, *data.shape) if axis < 0 else (*data.shape, 2)
    return case.with_data(other_data(data, shape))


def _with_other_arguments(case: Case) -> Case | None:
    """The call with another axis and other lengths, each only if it is an input, and with data to match. The data keeps
    its number of elements if the lengths are only reordered.

    None if the outputs do not use all of the data in order. Also None if nothing can change: the lengths are not an
    input, and the axis is not one either or the rank is 1.
    """
    data, axis, lengths, names = case.data, case.split_dim, lengths_in_order(case), case.operator
    if data is None or axis is None or lengths is None:
        return None
    written_axis, written_lengths = _whole_numbers(case, names.split_axis), _whole_numbers(case, names.lengths)
    other_axis, rank = axis, len(data.shape)
    if written_axis is not None and rank > 1:
        other_axis = (axis + 1) % rank
        number = other_axis - rank if (case.split_axis or 0) < 0 else other_axis
        case = case.with_value(names.split_axis, integers_like(written_axis, [number]))
    if written_lengths is not None:
        lengths = lengths[::-1] if lengths[::-1] != lengths else _with_another_first(lengths, written_lengths.dtype)
        case = case.with_value(names.lengths, integers_like(written_lengths, lengths))
    elif other_axis == axis:
        return None
    shape = list(data.shape)
    shape[axis], shape[other_axis] = shape[other_axis], shape[axis]
    return _cut_into(case, shape, other_axis, lengths)


def _with_more_data(case: Case) -> Case | None:
    """As `_with_other_data`, with another first length if the lengths are an input. None if the outputs are not parts
    of the data.
    """
    data, axis, lengths, names = case.data, case.split_dim, lengths_in_order(case), case.operator
    written = _whole_numbers(case, names.lengths)
    if data is not None and axis is not None and lengths is not None and written is not None:
        lengths = _with_another_first(lengths, written.dtype)
        case = case.with_value(names.lengths, integers_like(written, lengths))
        case = _cut_into(case, data.shape, axis, lengths)
    return _with_other_data(case)


def _with_another_first(lengths: list[int], dtype: str) -> list[int]:
    """The first length plus one, or minus one if the type has no greater value."""
    first, *others = lengths
    return [first + 1 if first + 1 in DTYPES[dtype].integers else first - 1, *others]


def _with_fitting_data(case: Case) -> Case | None:
    """A valid call of an invalid case's model: with data that fits the lengths. None if the case is not invalid, or if
    no data fits.
    """
    if not isinstance(case.expectation, Rejection):
        return None
    return _over_fitting_data(case, case.split_dim, _lengths_as_written(case))


def _with_fitting_arguments(case: Case) -> Case | None:
    """A valid call of an invalid case's model: along the first axis if the axis is an input, and into parts of one
    element if the lengths are an input.

    None if the case is not invalid, if neither is an input, or if no data fits.
    """
    axis, lengths, names = case.split_dim, _lengths_as_written(case), case.operator
    axis_value, lengths_value = _whole_numbers(case, names.split_axis), _whole_numbers(case, names.lengths)
    if not isinstance(case.expectation, Rejection) or (axis_value is None and lengths_value is None):
        return None
    if axis_value is not None:
        axis, case = 0, case.with_value(names.split_axis, integers_like(axis_value, [0]))
    if lengths_value is not None:
        lengths = [1] * len(lengths)
        case = case.with_value(names.lengths, integers_like(lengths_value, lengths))
    return _over_fitting_data(case, axis, lengths)


def _over_fitting_data(case: Case, axis: int | None, lengths: list[int]) -> Case | None:
    """The call with data that fits the lengths; -1 stands for one element. None if no data fits."""
    data, lengths = case.data, [1 if length == -1 else length for length in lengths]
    if data is None or not data.shape or axis is None or not 0 <= sum(lengths) <= _MAX_FITTING_LENGTH:
        return None
    return _cut_into(case, data.shape, axis, lengths)


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
    data = other_data(case.data, (*shape[:axis], sum(lengths), *shape[axis + 1 :]))
    parts = Parts(tuple(pairwise([0, *accumulate(lengths)])))
    return replace(case.with_data(data), expectation=parts)


def _whole_numbers(case: Case, name: str | None) -> Value | None:
    """The argument with that name if it is an integer tensor."""
    value = case.value(name)
    return value if isinstance(value, Value) and value.dtype in INTEGERS else None


SECOND_CALL_RULES = {
    Form.SECOND_CALL: _between(_data_of_another_shape, "a model that runs data of another shape"),
    Form.SECOND_RANK: _between(lambda case: _found(_with_other_rank(case)), "parts of data that can have another dim"),
    Form.SECOND_ARGUMENTS: _between(_other_arguments, "an input besides the data that can have another value"),
    # Cases with parts may name this form although their elements stay.
    Form.SAME_CALL_TWICE: FormRule(
        fits=lambda case: case.operator.splits or moves_data(case),
        steps=lambda case: (case, with_other_elements(case), case),
        needs="outputs that follow from the data",
    ),
}
