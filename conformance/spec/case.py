"""A case: arguments plus what must come of them. Never holds code, never knows a framework.

A case here is one product of a case file's matrix for one operator version, with tensors described and not yet
allocated: `Value.tensor` makes them when a check needs them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from conformance.spec.call import Attribute
from conformance.spec.form import Form
from conformance.spec.operator import Operator, Role
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.fill import Fill, filled
from conformance.values.tensor import Tensor, slices_along, unpack_integers


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
    """One request to a framework. `id` is stable: operator version, the id in the file, the matrix product.

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
    def expectations(self) -> tuple[Parts | Literals | Rejection, ...]:
        """What may come of the case: its expectation, or each of those that are disputed."""
        if isinstance(self.expectation, Disputed):
            return tuple(interpretation.expectation for interpretation in self.expectation.interpretations)
        return (self.expectation,)

    @property
    def may_be_refused(self) -> bool:
        """Whether a refusal is demanded, under one interpretation of the page at least."""
        return any(isinstance(expected, Rejection) for expected in self.expectations)

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


def expected_outputs(expectation: Expectation, step: Case) -> tuple[Tensor, ...]:
    """The outputs that an expectation asks of one call, bit for bit.

    Raises:
        ValueError: stretches are asked of a call whose axis addresses no dimension of its data, or no outputs at all.
    """
    if isinstance(expectation, Literals):
        return tuple(value.tensor() for value in expectation.outputs)
    if not isinstance(expectation, Parts):
        raise ValueError(f"{step.id}: no outputs are expected")
    data, axis = step.data, step.axis_from_front
    if data is None or axis is None:
        raise ValueError(f"{step.id}: outputs given as stretches need data and an axis that addresses it")
    return slices_along(data.tensor(), axis, expectation.stretches)


def due_outputs(step: Case) -> tuple[Tensor, ...]:
    """The outputs that must come of a call whose page is clear; none of one that is to be refused."""
    return () if isinstance(step.expectation, Rejection) else expected_outputs(step.expectation, step)


def challenged(case: Case, seed: str) -> Case:
    """The case over other data, which nobody knows who does not know the seed.

    One whose data is written out keeps it, and so does one whose outputs are: they are right for its own data alone.
    """
    if any(isinstance(expected, Literals) for expected in case.expectations):
        return case
    number = int.from_bytes(hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()[:8], "little") or 1
    data = case.data
    return (
        case
        if data is None or data.data is not None
        else case.with_value(case.operator.data, replace(data, challenge=number))
    )


def only_integer(value: Value) -> int | None:
    """The value of an integer tensor with one element; None for any other tensor."""
    if math.prod(value.shape) != 1 or DTYPES[value.dtype].kind not in (Kind.SIGNED, Kind.UNSIGNED):
        return None
    return unpack_integers(value.tensor())[0]


def call_arguments(step: Case) -> Mapping[str, Tensor | Attribute]:
    """Every argument of a call as a tensor or attribute, under its name."""
    return {
        argument.name: argument.value.tensor() if isinstance(argument.value, Value) else argument.value
        for argument in step.arguments
    }
