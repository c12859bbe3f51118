"""A case: arguments plus what must come of them. Never holds code, never knows a framework.

A case here is one product of a case file's matrix for one operator version, with tensors described and not yet
allocated: `Value.tensor` makes them when a check needs them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from conformance.call import Attribute
from conformance.dtypes import DTYPES, Kind
from conformance.fill import Fill, filled
from conformance.form import Form
from conformance.operator import Operator, Role
from conformance.tensor import Tensor, pack_integers, slices_along, unpack_integers

_MAX_FITTING_LENGTH = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A tensor as a case describes it: a fill, or the exact elements in `data`.

    `start` is the number of the fill's first element; the first of two calls uses another one than the second, so that
    an answer kept from it shows. `challenge` exchanges elements of the fill, as a reviewer's seed says; 0 leaves them.
    """

    dtype: str
    shape: tuple[int, ...]
    fill: Fill = Fill.DISTINCT
    data: bytes | None = None
    start: int = 0
    challenge: int = 0

    @property
    def nbytes(self) -> int:
        """Size in bytes of the tensor that this describes; strings are counted with 8 bytes."""
        return math.prod(self.shape) * (DTYPES[self.dtype].itemsize or 8)

    def tensor(self) -> Tensor:
        """The tensor itself."""
        if self.data is not None:
            return Tensor(self.dtype, self.shape, self.data)
        return filled(self.dtype, self.shape, self.fill, self.start, self.challenge)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument under its spec's name, in the role in which this version takes it."""

    name: str
    role: Role
    value: Value | Attribute


@dataclass(frozen=True, slots=True)
class Parts:
    """Each output is a stretch of the data along the axis: `(start, stop)`, both counted from the front."""

    stretches: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """Each output is written down."""

    outputs: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """The arguments break this clause; a framework has to refuse them."""

    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """One way to read what the page leaves open, with the reason and, where there is one, the upstream thread."""

    name: str
    reason: str
    expectation: Parts | Literals | Rejection
    thread: str = ""
    nan_payloads_may_differ: bool = False


@dataclass(frozen=True, slots=True)
class Disputed:
    """The page can be read in these ways; nobody fails by following one of them."""

    interpretations: tuple[Interpretation, ...]


Expectation = Parts | Literals | Rejection | Disputed


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question to a framework. `id` is stable: operator version, the id in the file, the matrix product.

    `declared_outputs` is the number of outputs that a node of a model declares. Arguments stand in the spec's order.
    `forms` are those that the case file asks for; the usual ones, if empty.
    """

    id: str
    operator: Operator
    clauses: tuple[str, ...]
    arguments: tuple[Argument, ...]
    declared_outputs: int
    expectation: Expectation
    where: str
    forms: tuple[Form, ...] = ()

    @property
    def data(self) -> Value | None:
        """The description of the tensor that is cut, or None where an invalid case leaves it out."""
        value = self.value(self.operator.data)
        return value if isinstance(value, Value) else None

    @property
    def axis(self) -> int | None:
        """The axis as written, or the page's default; None where it is missing or not one whole number."""
        value = self.value(self.operator.axis)
        if value is None:
            return self.operator.default_axis
        if isinstance(value, Value):
            return only_integer(value)
        return value if isinstance(value, int) else None

    @property
    def axis_from_front(self) -> int | None:
        """The axis counted from the front, or None where it addresses no dimension of the data."""
        axis, data = self.axis, self.data
        if axis is None or data is None or not -len(data.shape) <= axis < len(data.shape):
            return None
        return axis % len(data.shape)

    def value(self, name: str) -> Value | Attribute | None:
        """The value of the first argument of that name."""
        return next((argument.value for argument in self.arguments if argument.name == name), None)

    def with_value(self, name: str, value: Value | Attribute) -> Case:
        """The same case with another value for an argument."""
        return replace(
            self,
            arguments=tuple(
                replace(argument, value=value) if argument.name == name else argument for argument in self.arguments
            ),
        )


def forms_of(case: Case) -> tuple[Form, ...]:
    """The forms in which a case is asked, whatever the framework can express: those of the case file that fit the case.

    A case file that names none means the usual ones. A model whose ranks nobody knows is one where a framework may miss
    what is wrong with the arguments; of valid ones, only cases that name the form are asked in it. An invalid case is
    asked after a valid call only where it names that form.
    """
    is_valid = isinstance(case.expectation, Parts | Literals)
    unusual = [form for form in Form if (form.has_unknown_ranks if is_valid else form is Form.SECOND_CALL)]
    forms = case.forms or [form for form in Form if form.is_usual and form not in unusual]
    return tuple(form for form in Form if form in forms and _fits(form, case))


def calls_of(case: Case, form: Form) -> tuple[Case, ...]:
    """The case, or cases, whose arguments one form puts to the framework in turn, each with what must come of it."""
    match form:
        case Form.AXIS_FROM_END:
            axis = _restated_axis(case)
            assert axis is not None
            return (case.with_value(case.operator.axis, axis),)
        case Form.SECOND_CALL:
            return (_valid_call_before(case, form) or _with_other_data(case), case)
        case Form.SAME_CALL_TWICE:
            return (case, case)
        case Form.SECOND_ARGUMENTS:
            first = _valid_call_before(case, form) or _with_other_arguments(case)
            assert first is not None
            return (first, case)
        case Form.BEFORE_CONCAT if not isinstance(case.expectation, Rejection):
            lengths = _lengths_in_order(case)
            assert lengths is not None
            return (replace(case, expectation=Parts(((0, sum(lengths)),))),)
        case _:
            return (case,)


def expected_outputs(expectation: Expectation, call: Case) -> tuple[Tensor, ...]:
    """The outputs that an expectation asks of one call, bit for bit.

    Raises:
        ValueError: stretches are asked of a call whose axis addresses no dimension of its data, or no outputs at all.
    """
    if isinstance(expectation, Literals):
        return tuple(value.tensor() for value in expectation.outputs)
    if not isinstance(expectation, Parts):
        raise ValueError(f"{call.id}: no outputs are expected")
    data, axis = call.data, call.axis_from_front
    if data is None or axis is None:
        raise ValueError(f"{call.id}: outputs given as stretches need data and an axis that addresses it")
    return slices_along(data.tensor(), axis, expectation.stretches)


def challenged(case: Case, seed: str) -> Case:
    """The case over other data, which nobody knows who does not know the seed.

    One whose data is written out keeps it, and so does one whose outputs are: they are right for its own data alone.
    """
    readings = case.expectation.interpretations if isinstance(case.expectation, Disputed) else ()
    if any(isinstance(expectation, Literals) for expectation in (case.expectation, *(r.expectation for r in readings))):
        return case
    number = int.from_bytes(hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()[:8], "little") or 1
    data = case.data
    return (
        case
        if data is None or data.data is not None
        else case.with_value(case.operator.data, replace(data, challenge=number))
    )


def _fits(form: Form, case: Case) -> bool:
    """Whether a form asks something of this case that others do not.

    Runtime forms need an input besides the data. Forms that restate a valid case need outputs that are stretches of the
    data, or, as those that change what is asked around it, a refusal; an axis from the end needs a page that allows it.
    """
    has_parts = isinstance(case.expectation, Parts) and case.data is not None
    is_refused = isinstance(case.expectation, Rejection) and case.data is not None and bool(case.data.shape)
    match form:
        case Form.RUNTIME | Form.RUNTIME_DYNAMIC | Form.RUNTIME_DYNAMIC_RANK:
            return any(a.role is Role.INPUT and a.name != case.operator.data for a in case.arguments)
        case Form.AXIS_FROM_END:
            return has_parts and case.operator.takes_negative_axis and _restated_axis(case) is not None
        case Form.SECOND_CALL:
            return has_parts or _valid_call_before(case, form) is not None
        case Form.SECOND_ARGUMENTS:
            return (_valid_call_before(case, form) or _with_other_arguments(case)) is not None
        case Form.STRIDED:
            return case.data is not None and bool(case.data.shape) and math.prod(case.data.shape) > 1
        case Form.TRANSPOSED:
            return case.data is not None and all(case.data.shape) and sum(dim > 1 for dim in case.data.shape) > 1
        case Form.AFTER_RELU:
            return (has_parts or is_refused) and case.data is not None and _is_kept_by_relu(case.data)
        case Form.BEFORE_CONCAT:
            return is_refused or _lengths_in_order(case) is not None
        case Form.CONSTANT_FOLDED:
            return case.data is not None
        case _:
            return True


def _restated_axis(case: Case) -> Value | Attribute | None:
    """`axis - rank` in the same role, type and shape, for an axis that is written and counts from the front."""
    value, data, axis = case.value(case.operator.axis), case.data, case.axis
    if value is None or data is None or axis is None or not 0 <= axis < len(data.shape):
        return None
    restated = axis - len(data.shape)
    if not isinstance(value, Value):
        return restated
    if DTYPES[value.dtype].kind is not Kind.SIGNED:
        return None
    return _integers_like(value, [restated])


def _with_other_data(case: Case) -> Case:
    """The same call over data with other elements and another shape: two dims grow, but not the one that is cut."""
    data, axis = case.data, case.axis_from_front
    assert data is not None
    growing = [index for index in range(len(data.shape)) if index != axis][:2]
    shape = tuple(dim + 1 + index if index in growing else dim for index, dim in enumerate(data.shape))
    return case.with_value(case.operator.data, _other_data(data, shape))


def _other_data(data: Value, shape: tuple[int, ...]) -> Value:
    return Value(dtype=data.dtype, shape=shape, start=7, challenge=data.challenge)


def _with_other_arguments(case: Case) -> Case | None:
    """The same call with another axis and other lengths, as far as both are inputs, and data to suit them.

    None where neither can be another: then the rank is 1, and the lengths are no input.
    """
    data, axis, lengths, names = case.data, case.axis_from_front, _lengths_in_order(case), case.operator
    if data is None or axis is None or lengths is None:
        return None
    written_axis, written_lengths = _whole_numbers(case, names.axis), _whole_numbers(case, names.lengths)
    other_axis, rank = axis, len(data.shape)
    if written_axis is not None and rank > 1:
        other_axis = (axis + 1) % rank
        number = other_axis - rank if (case.axis or 0) < 0 else other_axis
        case = case.with_value(names.axis, _integers_like(written_axis, [number]))
    if written_lengths is not None:
        lengths = lengths[::-1] if lengths[::-1] != lengths else [lengths[0] + 1, *lengths[1:]]
        case = case.with_value(names.lengths or "", _integers_like(written_lengths, lengths))
    elif other_axis == axis:
        return None
    shape = list(data.shape)
    shape[axis], shape[other_axis] = shape[other_axis], sum(lengths)
    bounds = [0, *accumulate(lengths)]
    return replace(
        case.with_value(names.data, _other_data(data, tuple(shape))),
        expectation=Parts(tuple(pairwise(bounds))),
    )


def _valid_call_before(case: Case, form: Form) -> Case | None:
    """A call that the model of an invalid case has to answer before it refuses the case: over data that its lengths
    fit, or, where the arguments may change, along the first axis into parts of one element.

    None for a valid case, and where no such call can be made.
    """
    data, axis, names = case.data, case.axis_from_front, case.operator
    if not isinstance(case.expectation, Rejection) or data is None or not data.shape:
        return None
    lengths = _lengths_as_written(case)
    if form is Form.SECOND_ARGUMENTS:
        axis_value, lengths_value = _whole_numbers(case, names.axis), _whole_numbers(case, names.lengths)
        if axis_value is None and lengths_value is None:
            return None
        if axis_value is not None:
            axis, case = 0, case.with_value(names.axis, _integers_like(axis_value, [0]))
        if lengths_value is not None:
            lengths = [1] * len(lengths)
            case = case.with_value(names.lengths or "", _integers_like(lengths_value, lengths))
    lengths = [1 if length == -1 else length for length in lengths]
    if axis is None or not 0 <= sum(lengths) <= _MAX_FITTING_LENGTH:
        return None
    shape = (*data.shape[:axis], sum(lengths), *data.shape[axis + 1 :])
    bounds = [0, *accumulate(lengths)]
    return replace(case.with_value(names.data, _other_data(data, shape)), expectation=Parts(tuple(pairwise(bounds))))


def _lengths_as_written(case: Case) -> list[int]:
    """The lengths that an invalid case gives, or as many of 1 as there are outputs where it gives none."""
    value = _whole_numbers(case, case.operator.lengths)
    if value is not None:
        return unpack_integers(value.tensor())
    given = case.value(case.operator.lengths or "")
    if isinstance(given, tuple) and all(isinstance(length, int) for length in given):
        return [int(length) for length in given]
    return [1] * case.declared_outputs


def _lengths_in_order(case: Case) -> list[int] | None:
    """The lengths of outputs that follow each other and leave nothing of the data out; None for all others."""
    data, axis = case.data, case.axis_from_front
    if not isinstance(case.expectation, Parts) or data is None or axis is None:
        return None
    bounds = [0, *(stop for _, stop in case.expectation.stretches)]
    if bounds[-1] != data.shape[axis] or case.expectation.stretches != tuple(pairwise(bounds)):
        return None
    return [stop - start for start, stop in case.expectation.stretches]


def _whole_numbers(case: Case, name: str | None) -> Value | None:
    """The argument of that name if it is a tensor of whole numbers."""
    value = case.value(name) if name is not None else None
    if not isinstance(value, Value) or DTYPES[value.dtype].kind not in (Kind.SIGNED, Kind.UNSIGNED):
        return None
    return value


def _integers_like(value: Value, numbers: list[int]) -> Value:
    return replace(value, data=bytes(pack_integers(numbers, value.dtype, value.shape).data))


def _is_kept_by_relu(data: Value) -> bool:
    """Whether Relu changes no bit: all elements are numbers, and none has a sign."""
    kind = DTYPES[data.dtype]
    if kind.layout is None or kind.kind is not Kind.FLOAT:
        return False  # frameworks compute the Relu of integers in floats, which is not what is asked here
    if data.data is None:  # the first distinct elements are the whole numbers from 0 up
        exact = 1 << min(kind.layout.mantissa_bits + 1, 16)
        return data.fill is Fill.DISTINCT and data.start + math.prod(data.shape) <= exact
    top, size = ((1 << kind.layout.exponent_bits) - 1) << kind.layout.mantissa_bits, kind.itemsize
    return all(
        int.from_bytes(data.data[start : start + size], "little") <= top for start in range(0, len(data.data), size)
    )


def only_integer(value: Value) -> int | None:
    """The value of an integer tensor with one element; None for any other tensor."""
    if math.prod(value.shape) != 1 or DTYPES[value.dtype].kind not in (Kind.SIGNED, Kind.UNSIGNED):
        return None
    return unpack_integers(value.tensor())[0]


def call_arguments(call: Case) -> Mapping[str, Tensor | Attribute]:
    """Every argument of a call as a tensor or attribute, under its name."""
    return {
        argument.name: argument.value.tensor() if isinstance(argument.value, Value) else argument.value
        for argument in call.arguments
    }
