"""The classes of each kind of argument: what may go wrong with an axis, a list of axes or indices, in any operator.

A class is a predicate over what was given, so that each call, written or made, has its classes. A check that expects
outputs counts; an invalid call has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.border.call import Attribute
from conformance.language.case import Case, Value, whole_numbers
from conformance.language.kinds import ArgumentKind
from conformance.language.operator import Operator
from conformance.values.dtypes import DTYPES, INTEGERS
from conformance.values.fill import Fill


@dataclass(frozen=True, slots=True)
class _GivenNumbers:
    """The numbers of an argument besides the data, their dims and type, and the shape of the main data."""

    numbers: Sequence[int]
    dims: tuple[int, ...]
    dtype: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of dims; 0 of one number."""
        return len(self.dims)

    @property
    def from_end(self) -> Sequence[int]:
        """The numbers below 0."""
        return [number for number in self.numbers if number < 0]

    @property
    def dim(self) -> int:
        """The dim of the data that the first number addresses, counted from the front."""
        return self.numbers[0] % max(1, len(self.shape))


BESIDE_TILES = (15, 16, 17, 31, 32, 33, 63, 64, 65)
"""Lengths at which kernels go from whole vectors or tiles to what is left."""
_Class = Callable[[_GivenNumbers], bool]
_DataClass = Callable[[Value], bool]


def _size(value: Value) -> int:
    return math.prod(value.shape)


def _has_equal_dims(value: Value) -> bool:
    return len(value.shape) > 1 and len(set(value.shape)) == 1 and _size(value) > 1


_DATA: Mapping[str, _DataClass] = {
    "scalar": lambda value: not value.shape,
    "rank 1": lambda value: len(value.shape) == 1,
    "rank 2 to 4": lambda value: 2 <= len(value.shape) <= 4,
    "rank 5 to 8": lambda value: 5 <= len(value.shape) <= 8,
    "rank above 8": lambda value: len(value.shape) > 8,
    "dims of 1": lambda value: 1 in value.shape and _size(value) > 1,
    "equal dims": _has_equal_dims,
    "beside tiles": lambda value: any(length in BESIDE_TILES for length in (*value.shape, _size(value))),
    "no elements": lambda value: 0 in value.shape,
    "a dim beyond 31 bits": lambda value: max(value.shape, default=0) >= 1 << 31,
    "an odd number": lambda value: _size(value) % 2 == 1 and _size(value) > 1,
    "more than 2^16 elements": lambda value: _size(value) > 1 << 16,
    "more than 2^24 elements": lambda value: _size(value) > 1 << 24,
    "special values": lambda value: value.fill is Fill.SPECIAL,
    "less than a byte": lambda value: 0 < DTYPES[value.dtype].bits < 8,
    "strings": lambda value: value.dtype == "string",
}
_BESIDE: Mapping[str, _DataClass] = {
    "one element": lambda value: not value.shape,
    "several elements": lambda value: _size(value) > 1,
}
"""The classes of data other than the main one, which are put into it."""
_VARIADIC: Mapping[str, Callable[[Sequence[Value]], bool]] = {
    "one": lambda values: len(values) == 1,
    "two": lambda values: len(values) == 2,
    "3 to 16": lambda values: 3 <= len(values) <= 16,
    "17 to 255": lambda values: 17 <= len(values) <= 255,
    "more than 255": lambda values: len(values) > 255,
    "more than 1,024": lambda values: len(values) > 1024,
    "an empty one first": lambda values: len(values) > 1 and 0 in values[0].shape,
    "an empty one inside": lambda values: any(0 in value.shape for value in values[1:-1]),
    "an empty one last": lambda values: len(values) > 1 and 0 in values[-1].shape,
    "unequal": lambda values: len({value.shape for value in values}) > 1,
}


def _is_run(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def _begins_as_run(given: _GivenNumbers) -> bool:
    return len(given.numbers) > 2 and _is_run(given.numbers[:2]) and not _is_run(given.numbers)


def _has_length_of_run(given: _GivenNumbers) -> bool:
    numbers = given.numbers
    return len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1 and not _is_run(numbers)


def _is_sorted(given: _GivenNumbers) -> bool:
    return len(given.numbers) > 1 and list(given.numbers) == sorted(set(given.numbers))


def _is_reversed(given: _GivenNumbers) -> bool:
    return _is_sorted(replace(given, numbers=given.numbers[::-1]))


_ENDS: Mapping[str, _Class] = {
    "from the front": lambda given: any(number >= 0 for number in given.numbers),
    "from the end": lambda given: bool(given.from_end),
    "from both ends": lambda given: 0 < len(given.from_end) < len(given.numbers),
}
_LISTS: Mapping[str, _Class] = {
    "none": lambda given: not given.numbers,
    "one": lambda given: len(given.numbers) == 1,
    "sorted": _is_sorted,
    "reversed": _is_reversed,
    "unsorted": lambda given: len(given.numbers) > 2 and not _is_sorted(given) and not _is_reversed(given),
    "repeated": lambda given: len(set(given.numbers)) < len(given.numbers),
}


def _of_type(dtype: str) -> _Class:
    return lambda given: given.dtype == dtype


def _beyond(bits: int) -> _Class:
    return lambda given: any(abs(number) >= 1 << bits for number in given.numbers)


def _is_not_its_own_inverse(given: _GivenNumbers) -> bool:
    order = dict(enumerate(given.numbers))
    return any(order.get(at) != index for index, at in order.items())


_TYPES: Mapping[str, _Class] = {dtype: _of_type(dtype) for dtype in INTEGERS}
_BEYOND: Mapping[str, _Class] = {f"beyond {bits} bits": _beyond(bits) for bits in (8, 16, 24, 31)}
_CLASSES: Mapping[ArgumentKind, Mapping[str, _Class]] = {
    ArgumentKind.AXIS: {
        "first": lambda given: given.dim == 0,
        "inner": lambda given: 0 < given.dim < len(given.shape) - 1,
        "last": lambda given: given.dim == len(given.shape) - 1,
        "from the end": lambda given: given.numbers[0] < 0,
        "a list of one": lambda given: given.rank == 1,
        **_TYPES,
    },
    ArgumentKind.AXES: {**_LISTS, **_ENDS, **_TYPES},
    ArgumentKind.PERMUTATION: {
        "none": _LISTS["none"],
        "in order": lambda given: list(given.numbers) == list(range(len(given.numbers))),
        "reversed": lambda given: len(given.numbers) > 1 and list(given.numbers)[::-1] == sorted(given.numbers),
        "not its own inverse": _is_not_its_own_inverse,
        "more than 8": lambda given: len(given.numbers) > 8,
        **_TYPES,
    },
    ArgumentKind.SHAPE: {
        "none": _LISTS["none"],
        "one": _LISTS["one"],
        "zero": lambda given: 0 in given.numbers,
        "inferred": lambda given: -1 in given.numbers,
        "zero and inferred": lambda given: {0, -1} <= set(given.numbers),
        "more than 8": lambda given: len(given.numbers) > 8,
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.TARGET: {
        "none": _LISTS["none"],
        "zero": lambda given: 0 in given.numbers,
        "more dims": lambda given: len(given.numbers) > len(given.shape),
        "fewer dims": lambda given: len(given.numbers) < len(given.shape),
        "equal dims": lambda given: len(given.numbers) > 1 and len(set(given.numbers)) == 1 and given.numbers[0] > 1,
        "more than 8": lambda given: len(given.numbers) > 8,
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.LENGTHS: {
        "one": _LISTS["one"],
        "equal": lambda given: len(given.numbers) > 1 and len(set(given.numbers)) == 1,
        "unequal": lambda given: len(set(given.numbers)) > 1,
        "zero first": lambda given: len(given.numbers) > 1 and given.numbers[0] == 0,
        "zero inside": lambda given: 0 in given.numbers[1:-1],
        "zero last": lambda given: len(given.numbers) > 1 and given.numbers[-1] == 0,
        "the rest": lambda given: -1 in given.numbers,
        "more than 16": lambda given: len(given.numbers) > 16,
        "more than 255": lambda given: len(given.numbers) > 255,
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.COUNT: {
        "zero": lambda given: given.numbers[0] == 0,
        "one": lambda given: given.numbers[0] == 1,
        "2 to 16": lambda given: 2 <= given.numbers[0] <= 16,
        "more than 16": lambda given: given.numbers[0] > 16,
        "from the end": lambda given: given.numbers[0] < 0,
    },
    ArgumentKind.INDICES: {
        "scalar": lambda given: given.rank == 0,
        "rank above 1": lambda given: given.rank > 1,
        "rank above 4": lambda given: given.rank > 4,
        "an empty grid": lambda given: given.rank > 1 and not given.numbers,
        "begin as a run": _begins_as_run,
        "as long as a run": _has_length_of_run,
        **_LISTS,
        **_ENDS,
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.PLACES: {
        "none": _LISTS["none"],
        "no depth": lambda given: given.dims[-1:] == (0,),
        "a list": lambda given: given.rank == 1,
        "rank 3": lambda given: given.rank == 3,
        "rank above 4": lambda given: given.rank > 4,
        **_ENDS,
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.PADS: {
        "zero": lambda given: not any(given.numbers),
        "before": lambda given: any(number > 0 for number in given.numbers[: len(given.numbers) // 2]),
        "behind": lambda given: any(number > 0 for number in given.numbers[len(given.numbers) // 2 :]),
        "removing": lambda given: bool(given.from_end),
        "adding and removing": lambda given: min(given.numbers, default=0) < 0 < max(given.numbers, default=0),
        **_BEYOND,
    },
    ArgumentKind.BOUNDS: {"none": _LISTS["none"], **_ENDS, **_BEYOND, **_TYPES},
    ArgumentKind.STEPS: {
        "one": lambda given: 1 in given.numbers,
        "more than one": lambda given: any(number > 1 for number in given.numbers),
        "back by one": lambda given: -1 in given.numbers,
        "back by more": lambda given: any(number < -1 for number in given.numbers),
        "in both directions": lambda given: min(given.numbers, default=0) < 0 < max(given.numbers, default=0),
        **_BEYOND,
        **_TYPES,
    },
    ArgumentKind.MASK: {
        "none": _LISTS["none"],
        "unset": lambda given: bool(given.numbers) and not any(given.numbers),
        "some": lambda given: 0 < sum(given.numbers) < len(given.numbers),
        "the last alone": lambda given: len(given.numbers) > 1 and given.numbers[-1] == 1 == sum(given.numbers),
        "all": lambda given: bool(given.numbers) and all(given.numbers),
    },
    ArgumentKind.FLAG: {"off": lambda given: not given.numbers[0], "on": lambda given: bool(given.numbers[0])},
}


def classes_of_operator(operator: Operator) -> list[tuple[str, str]]:
    """Every class that a call of an operator version can have, with its kind."""
    found: dict[tuple[str, str], None] = {}
    for parameter in operator.parameters:
        types = set(operator.constraints.get(parameter.constraint or "", ()))
        if parameter.kind is ArgumentKind.DATA:
            found |= {("data", name): None for name in _DATA}
            found |= {("inputs", name): None for name in _VARIADIC if parameter.is_variadic}
            found |= {("beside", name): None for name in _BESIDE if parameter.name in operator.data[1:]}
        elif parameter.kind is not None and parameter.kind in _CLASSES:
            names = ("left out", *(name for name in _CLASSES[parameter.kind] if name not in _TYPES or name in types))
            found |= {(parameter.kind.value, name): None for name in names}
    return list(found)


def classes_of(case: Case) -> set[tuple[str, str]]:
    """The classes of a call, each with the kind of the argument that it is of."""
    operator, data, found = case.operator, list(case.data_inputs.values()), set[tuple[str, str]]()
    found |= {("data", name) for value in data for name, holds in _DATA.items() if holds(value)}
    beside = [value for name, value in case.data_inputs.items() if name in operator.data[1:]]
    found |= {("beside", name) for value in beside for name, holds in _BESIDE.items() if holds(value)}
    if operator.data_inputs and operator.data_inputs[0].is_variadic and data:
        found |= {("inputs", name) for name, holds in _VARIADIC.items() if holds(data)}
    for parameter in operator.parameters:
        kind, value = parameter.kind, case.value(parameter.name)
        if kind is None or kind not in _CLASSES:
            continue
        given = None if value is None else _given(value, data[0].shape if data else ())
        if value is None:
            found.add((kind.value, "left out"))
        elif given is not None and (len(given.numbers) == 1 or not kind.is_one_number):
            found |= {(kind.value, name) for name, holds in _CLASSES[kind].items() if holds(given)}
    return found


def _given(value: Value | Attribute, shape: tuple[int, ...]) -> _GivenNumbers | None:
    """The numbers of an argument; None if it has none."""
    numbers = [value] if isinstance(value, int) else whole_numbers(value)
    if numbers is None:
        return None
    if isinstance(value, Value):
        return _GivenNumbers(numbers, value.shape, value.dtype, shape)
    return _GivenNumbers(numbers, () if isinstance(value, int) else (len(numbers),), "", shape)
