"""What each form decides: which cases have it, and which calls it makes of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import (
    Case,
    Disputed,
    Elements,
    Expectation,
    ExpectedOutputs,
    Lawful,
    Literals,
    MovedData,
    Parts,
    Rejection,
    Settled,
    Value,
    call_arguments,
    changed,
    due_outputs,
    expected_outputs,
)
from conformance.spec.elements import Permuted
from conformance.spec.operator import Role
from conformance.tensors.dtypes import DTYPES, INTEGERS, Category
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    pack_integers,
    rectified,
    tensor_from_array,
    unpack_integers,
)

# The rule of one form, and what the rules of several forms need of a case.


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


# Forms that change the graph: the nodes next to the operator, its constants, and how a model writes its node.


def _fits_after_relu(case: Case) -> bool:
    first = next((argument.name for argument in case.arguments if argument.role is Role.INPUT), "")
    if case.data is None or not case.operator.is_data(first) or not has_numbers_for_relu(case.data):
        return False
    is_settled = is_settled_by_relu(case.data)
    if moves_data(case) or is_rejected(case):
        return is_settled
    return isinstance(case.expectation, Disputed) and not is_settled


def _after_relu(case: Case) -> tuple[Case, ...]:
    if not isinstance(case.expectation, MovedData):
        return (case,)
    return (_with_elements_below_zero(case), _behind_relu(case))


def _with_elements_below_zero(case: Case) -> Case:
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
    return _behind_relu(case.with_data(Value.of(Tensor(data.dtype, data.shape, below.tobytes()))))


def _behind_relu(case: Case) -> Case:
    """The call with the outputs that it has behind a Relu: parts of the data with 0 for each negative element."""
    data = case.data
    if data is None or not sign_bit(data) or is_kept_by_relu(data):
        return case
    expected = expected_outputs(case.expectation, case.with_data(Value.of(rectified(data.tensor()))))
    return replace(case, expectation=Literals(tuple(map(Value.of, expected))))


def _fits_before_concat(case: Case) -> bool:
    return case.operator.splits and (is_rejected(case) or _joined(case) is not None)


def _before_concat(case: Case) -> tuple[Case, ...]:
    if isinstance(case.expectation, Rejection):
        return (case,)
    whole = _joined(case)
    assert whole is not None
    return (with_other_elements(whole), whole)


def _joined(case: Case) -> Case | None:
    """The call in front of a Concat, which restores the data. None if an interpretation requires anything but all of
    the data in order.
    """
    if not isinstance(case.expectation, Disputed):
        lengths = lengths_in_order(case)
        return None if lengths is None else replace(case, expectation=Parts(((0, sum(lengths)),)))
    interpretations = []
    for interpretation in case.expectation.interpretations:
        whole = _joined(replace(case, expectation=interpretation.expectation))
        if whole is None or not isinstance(whole.expectation, Parts):
            return None
        interpretations.append(replace(interpretation, expectation=whole.expectation))
    return replace(case, expectation=Disputed(tuple(interpretations)))


def _has_data_in_a_file(case: Case) -> bool:
    return case.data is not None and case.data.dtype != "string"


def _twice(case: Case) -> tuple[Case, ...]:
    """A valid call runs twice."""
    return (case,) if isinstance(case.expectation, Rejection) else (case, case)


def _with_every_second_output(case: Case) -> tuple[Case, ...]:
    """The call with only the first, third, ... output as outputs of the graph."""
    return (replace(case, expectation=changed(case.expectation, _every_second_output)),)


def _every_second_output(expected: Settled) -> Settled:
    match expected:
        case Rejection():
            return expected
        case Parts(bounds=bounds):
            return Parts(bounds[::2])
        case Elements(outputs=arrangements):
            return replace(expected, outputs=arrangements[::2])
        case Lawful():
            return Lawful(2)
        case Literals(outputs=outputs):
            return Literals(outputs[::2])


def _leaves_an_input_out(case: Case) -> bool:
    given = [argument.name for argument in case.arguments if argument.role is Role.INPUT]
    return not all(any(map(item.takes, given)) for item in case.operator.inputs)


_OF_SEVERAL_OUTPUTS = FormRule(
    fits=lambda case: case.declared_outputs > 1, steps=_with_every_second_output, needs="two outputs or more"
)

GRAPH_RULES = {
    Form.AFTER_RELU: FormRule(
        fits=_fits_after_relu, steps=_after_relu, needs="floating-point data without NaN and -0.0"
    ),
    Form.BEFORE_CONCAT: FormRule(
        fits=_fits_before_concat, steps=_before_concat, needs="outputs that are parts of the data along an axis"
    ),
    Form.CONSTANT_FOLDED: FormRule(fits=lambda case: case.data is not None, steps=_twice, needs="data"),
    Form.UNUSED_OUTPUTS: _OF_SEVERAL_OUTPUTS,
    Form.UNNAMED_OUTPUTS: _OF_SEVERAL_OUTPUTS,
    Form.EMPTY_INPUT_NAME: FormRule(fits=_leaves_an_input_out, needs="an optional input that is left out"),
    Form.EXTERNAL_DATA: FormRule(fits=_has_data_in_a_file, steps=_twice, needs="a constant that a file can hold"),
}


# Forms that give the data, or all inputs, in another memory layout.

_BYTE = 8


def _has_elements(case: Case, *, more_than: int = 0) -> bool:
    return case.data is not None and math.prod(case.data.shape) > more_than


def _is_table(case: Case) -> bool:
    """A vector has only one memory order, and so does a table with one row."""
    return case.data is not None and all(case.data.shape) and sum(dim > 1 for dim in case.data.shape) > 1


def _has_addresses(case: Case) -> bool:
    """Frameworks copy sub-byte elements and strings, so that their place in memory does not matter."""
    return _has_elements(case) and case.data is not None and DTYPES[case.data.dtype].bits >= _BYTE


def _axis_to_equal(case: Case) -> int | None:
    """The first axis with several elements that is not split, so that data which is constant along it still has
    different parts. None if there is none, or if the outputs do not follow from the data.
    """
    data, axis = case.data, case.split_dim
    if data is None or not all(data.shape):
        return None
    if isinstance(case.expectation, Elements | Lawful):
        longer = [index for index, dim in enumerate(data.shape) if dim > 1]
        return longer[0] if len(longer) > 1 else None
    if not isinstance(case.expectation, Parts) or axis is None:
        return None
    return next((index for index, dim in enumerate(data.shape) if index != axis and dim > 1), None)


def _with_equal_elements(case: Case) -> tuple[Case, ...]:
    """The call with data that is constant along one axis; the case itself if `_axis_to_equal` finds none."""
    import numpy as np

    along = _axis_to_equal(case)
    if along is None or case.data is None:
        return (case,)
    array = array_from_tensor(case.data.tensor())
    equal = np.broadcast_to(array.take([0], axis=along), array.shape)
    return (case.with_data(Value.of(tensor_from_array(equal))),)


def _has_list_as_input(case: Case) -> bool:
    """Whether an input other than the data has several elements, between which there can be a gap."""
    inputs = [a for a in case.arguments if a.role is Role.INPUT and not case.operator.is_data(a.name)]
    return any(isinstance(a.value, Value) and math.prod(a.value.shape) > 1 for a in inputs)


_OF_SEVERAL_ELEMENTS = FormRule(
    fits=lambda case: _has_elements(case, more_than=1), needs="data with more than one element"
)

LAYOUT_RULES = {
    Form.STRIDED: _OF_SEVERAL_ELEMENTS,
    Form.RUNTIME_STRIDED: FormRule(
        fits=_has_list_as_input, needs="an input besides the data with more than one element"
    ),
    Form.TRANSPOSED: FormRule(fits=_is_table, needs="data with two dims above 1"),
    Form.REVERSED: _OF_SEVERAL_ELEMENTS,
    Form.BROADCAST: FormRule(
        fits=lambda case: _axis_to_equal(case) is not None,
        steps=_with_equal_elements,
        needs="data with a dim above 1 beside the axis",
    ),
    Form.OFFSET: FormRule(fits=_has_addresses, needs="data with elements of whole bytes"),
}


# Forms with a second call: other data or arguments, taken from the case or computed. The reference needs NumPy, so it
# is loaded when a call is computed. A case gives the model: its attributes, and the types and ranks of its inputs.
# Another call is taken only if the page allows it and its outputs have the ranks of the case's outputs, so that one
# model can run both.

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
