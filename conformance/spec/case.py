"""A case: arguments plus an expectation. It holds no code and knows no framework.

A case here is one product of a case file's matrix for one operator version. Its tensors are descriptions:
`Value.tensor` allocates them when a check needs them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from conformance.protocol.call import Attribute
from conformance.protocol.form import Form
from conformance.spec.elements import Arrangement, arranged
from conformance.spec.law import lawful_outputs
from conformance.spec.operator import Operator, Role
from conformance.tensors.dtypes import DTYPES, INTEGERS
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import KnownShape, Tensor, slices_along, unpack_integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A tensor as a case describes it: a fill, or the exact elements in `data`.

    `start` is the number of the fill's first element. Two calls of a check use different ones, so that an answer kept
    from the first shows in the second. `challenge`, from a reviewer's seed, changes the fill's elements; 0 leaves them.
    """

    dtype: str
    shape: tuple[int, ...]
    fill: Fill = Fill.DISTINCT
    data: bytes | None = None
    start: int = 0
    challenge: int = 0

    @property
    def nbytes(self) -> int:
        """Size of the tensor in bytes; a string counts 8 bytes."""
        return math.prod(self.shape) * (DTYPES[self.dtype].itemsize or 8)

    @classmethod
    def of(cls, tensor: Tensor) -> Value:
        """The value that holds this tensor."""
        return cls(dtype=tensor.dtype, shape=tensor.shape, data=bytes(tensor.data))

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
    """Each output is a part of the data along the axis: `(start, stop)`, both counted from the front."""

    bounds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """Each output is written out."""

    outputs: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Elements:
    """Each output has elements of the data at its places, or of the `constants`."""

    outputs: tuple[Arrangement, ...]
    constants: Value | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """The arguments break this clause; a framework must reject them."""

    clause: str


@dataclass(frozen=True, slots=True)
class Lawful:
    """Each output is what the law of the operator says. With `every` 2, the graph has every second output alone."""

    every: int = 1


MovedData = Parts | Elements | Lawful
"""Outputs that follow from the data, whatever its elements are."""
ExpectedOutputs = MovedData | Literals
"""An expectation of outputs."""
Settled = ExpectedOutputs | Rejection
"""What one reading of the page requires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """One way to read what the page leaves open, with its reason and the upstream thread, if there is one."""

    name: str
    reason: str
    expectation: Settled
    thread: str = ""
    nan_payloads_may_differ: bool = False


@dataclass(frozen=True, slots=True)
class Disputed:
    """The page allows several interpretations; following any of them is not a fault."""

    interpretations: tuple[Interpretation, ...]


Expectation = Settled | Disputed


@dataclass(frozen=True, kw_only=True)
class Case:
    """A call with its expectation. `id` is stable: operator version, the id in the file, the matrix product.

    `declared_outputs` is the number of outputs that the node of a model declares. Arguments are in the spec's order.
    `in_model` has the inputs that the model of the case gives at run time, with the dims that it knows: None for an
    unknown one, and as a whole for an unknown rank; `in_model` itself is None if the case comes from no model.
    `forms` are those that the case file names; empty for the usual ones. Of `forms_in_turn`, the default set has one
    for each product, by its `number`. `default_bits` says which of the forms of the default set are in it: bit 0 stands
    for the first one. `twin` is the arguments of the valid call nearest to an invalid case, if the file
    names them.
    """

    id: str
    operator: Operator
    clauses: tuple[str, ...]
    arguments: tuple[Argument, ...]
    declared_outputs: int
    expectation: Expectation
    where: str
    forms: tuple[Form, ...] = ()
    forms_in_turn: tuple[Form, ...] = ()
    number: int = 0
    default_bits: int = -1
    twin: tuple[Argument, ...] = ()
    in_model: Mapping[str, KnownShape] | None = None

    @property
    def expectations(self) -> tuple[Settled, ...]:
        """The expectation of the case, or those of its interpretations."""
        return expectations_of(self.expectation)

    @property
    def may_be_rejected(self) -> bool:
        """Whether at least one interpretation of the page requires a rejection."""
        return any(isinstance(expected, Rejection) for expected in self.expectations)

    @cached_property
    def data_inputs(self) -> Mapping[str, Value]:
        """The descriptions of all data inputs by name, in the order of the operator."""
        return {
            argument.name: argument.value
            for argument in self.arguments
            if isinstance(argument.value, Value) and self.operator.is_data(argument.name)
        }

    @cached_property
    def data(self) -> Value | None:
        """The description of the main data; None if an invalid case has no data."""
        return next(iter(self.data_inputs.values()), None)

    @property
    def split_axis(self) -> int | None:
        """The axis to split along, as written or by default; None without one, or if it is not one integer."""
        value = self.value(self.operator.split_axis)
        return self.operator.default_axis if value is None else whole_number(value)

    @cached_property
    def split_dim(self) -> int | None:
        """The dimension that is split, counted from the front; None if the axis addresses no dimension of the data."""
        axis, data = self.split_axis, self.data
        if axis is None or data is None or not -len(data.shape) <= axis < len(data.shape):
            return None
        return axis % len(data.shape)

    def value(self, name: str | None) -> Value | Attribute | None:
        """The value of the first argument with that name."""
        return next((argument.value for argument in self.arguments if argument.name == name), None)

    def with_value(self, name: str | None, value: Value | Attribute) -> Case:
        """The case with another value for one argument."""
        return self.with_values({} if name is None else {name: value})

    def with_values(self, values: Mapping[str, Value | Attribute]) -> Case:
        """The case with other values for these arguments."""
        return replace(
            self,
            arguments=tuple(
                replace(argument, value=values[argument.name]) if argument.name in values else argument
                for argument in self.arguments
            ),
        )

    def with_data(self, data: Value) -> Case:
        """The case with other main data."""
        return self.with_value(next(iter(self.data_inputs), None), data)


def lawful_call(operator: Operator, arguments: tuple[Argument, ...], declared_outputs: int) -> Case:
    """A call of no file, under the id of its operator version, whose outputs are those of the law."""
    return Case(
        id=operator.id,
        operator=operator,
        clauses=(),
        arguments=arguments,
        declared_outputs=declared_outputs,
        expectation=Lawful(),
        where="",
    )


def expectations_of(expectation: Expectation) -> tuple[Settled, ...]:
    """The expectation, or those of its interpretations."""
    if isinstance(expectation, Disputed):
        return tuple(interpretation.expectation for interpretation in expectation.interpretations)
    return (expectation,)


def changed(expectation: Expectation, change: Callable[[Settled], Settled]) -> Expectation:
    """The expectation after a change, of all its interpretations if it is disputed."""
    if not isinstance(expectation, Disputed):
        return change(expectation)
    return Disputed(tuple(replace(one, expectation=change(one.expectation)) for one in expectation.interpretations))


def expected_outputs(expectation: Expectation, step: Case) -> tuple[Tensor, ...]:
    """The outputs that an expectation requires of one step, bit for bit.

    Raises:
        ValueError: the expectation has no outputs, its axis addresses no dimension of the data, the data has no such
            elements, or the law does not hold for the call.
    """
    if isinstance(expectation, Literals):
        return tuple(value.tensor() for value in expectation.outputs)
    if isinstance(expectation, Lawful):
        return lawful_outputs_of(step)[:: expectation.every]
    if isinstance(expectation, Elements):
        data = [value.tensor() for value in step.data_inputs.values()]
        constants = None if expectation.constants is None else expectation.constants.tensor()
        return tuple(arranged(output, data, constants) for output in expectation.outputs)
    if not isinstance(expectation, Parts):
        raise ValueError(f"{step.id}: no outputs are expected")
    whole, axis = step.data, step.split_dim
    if whole is None or axis is None:
        raise ValueError(f"{step.id}: outputs given as parts need data and an axis that addresses a dimension")
    return slices_along(whole.tensor(), axis, expectation.bounds)


def due_outputs(step: Case) -> tuple[Tensor, ...]:
    """The outputs that a step must have if its page is clear; none for a step that must be rejected."""
    return () if isinstance(step.expectation, Rejection) else expected_outputs(step.expectation, step)


Runs = tuple[tuple[Tensor, ...], ...]
"""The outputs of each step of a check."""


def due_runs(steps: Sequence[Case]) -> dict[str, Runs]:
    """The expected outputs by interpretation, without those that require a rejection.

    A case that is not disputed has one entry, with an empty name; an invalid call has no outputs there.
    """
    expectation = steps[-1].expectation
    if not isinstance(expectation, Disputed):
        return {"": tuple(map(due_outputs, steps))}
    return {
        interpretation.name: tuple(expected_outputs(interpretation.expectation, step) for step in steps)
        for interpretation in expectation.interpretations
        if not isinstance(interpretation.expectation, Rejection)
    }


def challenged(case: Case, seed: str) -> Case:
    """The case with data derived from `seed`.

    A case keeps its data if the data or the expected outputs are written out: they belong together.
    """
    if any(isinstance(expected, Literals) for expected in case.expectations):
        return case
    number = int.from_bytes(hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()[:8], "little") or 1
    data = case.data_inputs
    if any(value.data is not None for value in data.values()):
        return case
    return case.with_values({name: replace(value, challenge=number) for name, value in data.items()})


def whole_number(value: Value | Attribute) -> int | None:
    """The value of an attribute that is a whole number, or of an integer tensor with one element; None for others."""
    if not isinstance(value, Value):
        return value if type(value) is int else None
    if math.prod(value.shape) != 1 or value.dtype not in INTEGERS:
        return None
    return unpack_integers(value.tensor())[0]


def whole_numbers(value: Value | Attribute) -> Sequence[int] | None:
    """The integers of an argument that is a list; None if it is none."""
    if isinstance(value, Value):
        return unpack_integers(value.tensor()) if value.dtype in INTEGERS else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [item for item in value if isinstance(item, int)]
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _LawfulCall:
    """A call of a case, the same as another only if both have the very same arguments: 1 and 1.0 are equal."""

    step: Case

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _LawfulCall)
            and self.step.arguments is other.step.arguments
            and self.step.operator is other.step.operator
            and self.step.declared_outputs == other.step.declared_outputs
        )

    def __hash__(self) -> int:
        return id(self.step.arguments)


def lawful_outputs_of(step: Case) -> tuple[Tensor, ...]:
    """The outputs of a step by the law of its operator. Those of the last call are kept, if its data is small.

    Raises:
        LawError: the operator has no law, or it holds for no such call.
    """
    is_small = sum(value.nbytes for value in step.data_inputs.values()) <= _MOST_KEPT_BYTES
    return (_kept_outputs if is_small else _lawful_outputs)(_LawfulCall(step))


def _lawful_outputs(call: _LawfulCall) -> tuple[Tensor, ...]:
    return lawful_outputs(call.step.operator, call_arguments(call.step), call.step.declared_outputs)


_MOST_KEPT_BYTES = 1 << 24
_kept_outputs = lru_cache(maxsize=1)(_lawful_outputs)


def call_arguments(step: Case) -> Mapping[str, Tensor | Attribute]:
    """Every argument of a step as a tensor or attribute, by name."""
    return tensors_of(step.arguments)


def tensors_of(arguments: Iterable[Argument]) -> Mapping[str, Tensor | Attribute]:
    """Arguments as tensors or attributes, by name."""
    return {
        argument.name: argument.value.tensor() if isinstance(argument.value, Value) else argument.value
        for argument in arguments
    }
