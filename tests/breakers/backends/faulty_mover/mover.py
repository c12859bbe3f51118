"""A correct operator that moves data, of every family, in steps small enough that each can be got wrong alone.

The reference says from where each element of the output comes; the mover reads the arguments before it, and carries
the elements behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.adapter import Call, NotExpressible, Rejected
from conformance.protocol.call import Attribute
from conformance.protocol.form import Graph
from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.reference import evaluate
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    rectified,
    tensor_from_array,
    type_name,
    unpack_integers,
)

Array = np.ndarray[Any, Any]
Integers = list[int]

ZERO = -1
"""The number of an element that comes from no tensor, and is 0."""
_ROLES = {
    "perm": "order", "input_order": "order",
    "starts": "start", "start": "start", "begin": "start",
    "ends": "stop", "stop": "stop", "end": "stop",
    "steps": "step", "step": "step", "stride": "step",
}  # fmt: skip
"""What an argument is called here, where the operators of a family call it differently."""


class Mover:
    """One prepared call, with what its present run has found out so far.

    `model` outlives a run and `process` outlives the call: room for what faulty backends keep.
    """

    def __init__(self, call: Call, process: dict[str, Any]) -> None:
        names = [item.name for item in call.inputs]
        if len({*names, *call.attributes}) < len(names) + len(call.attributes):
            raise NotExpressible("an argument is an input or an attribute, not both")
        self.call = call
        self.process = process
        self.model: dict[str, Any] = {}
        self.runs = 0
        self.given: dict[str, Tensor | Attribute] = {}

    @property
    def version(self) -> int:
        """The version of the operator."""
        return int(self.call.operator.rpartition("-")[2])

    @property
    def sources(self) -> list[Tensor]:
        """The tensors whose elements are moved."""
        return [item for name, item in self.given.items() if is_data(name) and isinstance(item, Tensor)]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the data, or of its first tensor."""
        return self.sources[0].shape if self.sources else ()

    @property
    def dtype(self) -> str:
        """The type of the data."""
        return self.sources[0].dtype if self.sources else ""

    def role(self, role: str) -> Integers | None:
        """The integers of an argument; None if it is not given."""
        found = [integers(value) for name, value in self.given.items() if role_of(name) == role]
        return found[0] if found else None

    def tensor(self, role: str) -> Tensor | None:
        """An argument, if it is a tensor."""
        found = [value for name, value in self.given.items() if role_of(name) == role]
        return found[0] if found and isinstance(found[0], Tensor) else None

    @property
    def has_unknown_rank(self) -> bool:
        """Whether the model did not know how many dims the data has."""
        return any(item.dims is None for item in self.call.inputs if is_data(item.name))

    @property
    def has_unknown_dims(self) -> bool:
        """Whether the model did not know the shape of the data."""
        return any(item.dims is None or None in item.dims for item in self.call.inputs if is_data(item.name))

    @property
    def is_folded(self) -> bool:
        """Whether the data is a part of the model, so that all can be computed ahead."""
        return all(item.constant is not None for item in self.call.inputs)

    @property
    def has_runtime_arguments(self) -> bool:
        """Whether an argument other than the data comes with each run."""
        return any(item.constant is None for item in self.call.inputs if not is_data(item.name))

    # The steps, in their order. A fault replaces one of them.

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs of one run."""
        self.runs += 1
        constants = {item.name: item.constant for item in self.call.inputs if item.constant is not None}
        given = {name: tensor_from_array(self.load(array)) for name, array in inputs.items()}
        in_order = {item.name: {**constants, **given}[item.name] for item in self.call.inputs}
        if self.call.graph is Graph.AFTER_RELU:
            first = self.call.inputs[0].name
            in_order[first] = self.relu(in_order[first])
        self.given = self.complete({**in_order, **self.call.attributes})
        for name in [name for name in self.given if not is_data(name)]:
            self.given[name] = self.read_argument(name, self.given[name])
        outputs = self.answer([self.store(self.fetch(self.find()))])
        if self.call.concat_axis is not None:
            return [np.concatenate(outputs, axis=self.call.concat_axis)]
        return outputs[self.call.graph_outputs]

    def load(self, array: Array) -> Array:
        """A tensor in row-major order."""
        return np.ascontiguousarray(array).reshape(array.shape)

    def relu(self, data: Tensor) -> Tensor:
        """The data as the Relu in front gives it."""
        return rectified(data)

    def complete(self, given: dict[str, Tensor | Attribute]) -> dict[str, Tensor | Attribute]:
        """All arguments."""
        return given

    def read_argument(self, name: str, value: Tensor | Attribute) -> Tensor | Attribute:
        """An argument other than the data, with its integers as they are read."""
        values = integers(value)
        if values is None:
            return value
        read = self.read(role_of(name), list(values))
        return value if read == values else with_integers(value, read)

    def read(self, role: str, values: Integers) -> Integers:
        """The integers of one argument."""
        del role
        return values

    def find(self) -> Array:
        """For each place of the output, the number of the element that belongs there, counted through all sources."""
        try:
            evaluate(self.law(), self.given, self.call.declared_outputs)
        except BrokenClauseError as error:
            return self.broken(error.clause)
        return numbers_found(self.law(), self.given)

    def law(self) -> str:
        """The operator version whose page holds."""
        return self.call.operator

    def broken(self, clause: str) -> Array:
        """What comes of a call that breaks a clause."""
        raise Rejected(f"breaks: {clause}")

    def fetch(self, numbers: Array) -> Array:
        """The elements with these numbers."""
        arrays = [array_from_tensor(source).reshape(-1) for source in self.sources] or [np.zeros(0)]
        elements = np.concatenate([*arrays, zeros((1,), arrays[0].dtype)])
        return elements[numbers.reshape(-1)].reshape(numbers.shape)

    def store(self, array: Array) -> Array:
        """The elements as they are written to the output."""
        return array

    def answer(self, outputs: list[Array]) -> list[Array]:
        """The outputs as they are handed over."""
        return outputs


def numbers_found(operator: str, given: Arguments) -> Array:
    """Where the elements of a valid call come from: what the reference makes of numbers in the place of the data.

    Numbers start at 1, because the reference fills up with 0; float64 is a type of every version.
    """
    replaced, start = dict(given), 1
    for name, value in given.items():
        if is_data(name) and isinstance(value, Tensor):
            numbers = np.arange(start, start + value.size, dtype=np.float64).reshape(value.shape)
            replaced[name], start = tensor_from_array(numbers), start + value.size
    (moved,) = evaluate(operator, replaced, 1)
    return array_from_tensor(moved).astype(np.int64) - 1


def is_data(name: str) -> bool:
    """Whether an argument holds elements that are moved."""
    return name in ("data", "arg", "input", "updates") or name.startswith("inputs_")


def role_of(name: str) -> str:
    """What an argument is called here."""
    return _ROLES.get(name, name)


def integers(value: Tensor | Attribute) -> Integers | None:
    """The integers of an argument, if it has any."""
    if isinstance(value, Tensor):
        return unpack_integers(value) if value.element_type.category in (Category.SIGNED, Category.UNSIGNED) else None
    if isinstance(value, int):
        return [value]
    if isinstance(value, (list, tuple)):
        whole = [item for item in value if isinstance(item, int)]
        return whole if len(whole) == len(value) else None
    return None


def with_integers(value: Tensor | Attribute, values: Sequence[int]) -> Tensor | Attribute:
    """The argument with other integers: in 64 bits if they do not fit its type, and without what is beyond."""
    if isinstance(value, Tensor):
        kind = value.element_type if all(item in value.element_type.integers for item in values) else DTYPES["int64"]
        data = b"".join((item % (1 << kind.bits)).to_bytes(kind.itemsize, "little") for item in values)
        return Tensor(kind.name, value.shape if len(values) == value.size else (len(values),), data)
    return values[0] if isinstance(value, int) else list(values)


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Memory that was never written to: zeros, or empty texts."""
    return np.full(shape, "", object) if dtype.hasobject else np.zeros(shape, dtype)


def name_of_type(array: Array) -> str:
    """The type of the elements."""
    return type_name(array.dtype) if array.dtype != object else "string"


def refuse(why: str) -> None:
    """Refuse a call."""
    raise Rejected(why)
