"""The classes of each kind of argument: what may go wrong with an axis, a list of axes or indices, in any operator.

A class is a predicate over what was given, so that each call, written or made, has its classes, and a maker of such a
value, so that a call can be asked for by its classes. A check that expects outputs counts; an invalid call has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from conformance.protocol.call import Attribute
from conformance.spec.case import Case, Value, whole_numbers
from conformance.spec.making import addresses, lengths
from conformance.spec.making.lengths import BESIDE_TILES
from conformance.spec.making.setting import Class, ClassPredicate, GivenNumbers, Setting, ValueMaker
from conformance.spec.operator import ArgumentKind, Operator, Parameter
from conformance.tensors.dtypes import DTYPES, INTEGERS
from conformance.tensors.fill import Fill

LEFT_OUT = "left out"
CLASSES: Mapping[ArgumentKind, Sequence[Class]] = {
    ArgumentKind.AXIS: addresses.AXIS,
    ArgumentKind.AXES: addresses.AXES,
    ArgumentKind.PERMUTATION: addresses.PERMUTATION,
    ArgumentKind.SHAPE: lengths.SHAPE,
    ArgumentKind.TARGET: lengths.TARGET,
    ArgumentKind.LENGTHS: lengths.LENGTHS,
    ArgumentKind.COUNT: lengths.COUNT,
    ArgumentKind.INDICES: addresses.INDICES,
    ArgumentKind.PLACES: addresses.PLACES,
    ArgumentKind.BOUNDS: addresses.BOUNDS,
    ArgumentKind.STEPS: addresses.STEPS,
    ArgumentKind.MASK: addresses.MASK,
    ArgumentKind.FLAG: addresses.FLAG,
    ArgumentKind.PADS: lengths.PADS,
    ArgumentKind.NUMBER: lengths.NUMBER,
}
"""For each kind with numbers, its classes; those that can be asked for come first. A mode has words of its own."""
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


@cache
def _predicates(kind: ArgumentKind | None) -> Mapping[str, ClassPredicate]:
    return {one.name: one.holds for one in CLASSES.get(kind, ()) if one.holds is not None} if kind is not None else {}


@cache
def _makers(kind: ArgumentKind) -> Mapping[str, ValueMaker]:
    return {one.name: one.make for one in CLASSES.get(kind, ()) if one.make is not None}


def makers_of(way: Parameter) -> Mapping[str, ValueMaker]:
    """The classes of an argument that can be asked for, with what makes a value of them; none if none is known."""
    if way.kind is ArgumentKind.MODE:
        return {word: partial(_word, word) for word in way.one_of}
    return _makers(way.kind) if way.kind is not None else {}


def _word(word: str, _: Setting) -> str:
    return word


def classes_of_operator(operator: Operator) -> list[tuple[str, str]]:
    """Every class that a call of an operator version can have, with its kind."""
    found: dict[tuple[str, str], None] = {}
    for parameter in operator.parameters:
        types = set(operator.constraints.get(parameter.constraint or "", ()))
        if parameter.kind is ArgumentKind.DATA:
            found |= {("data", name): None for name in _DATA}
            found |= {("inputs", name): None for name in _VARIADIC if parameter.is_variadic}
            found |= {("beside", name): None for name in _BESIDE if parameter.name in operator.data[1:]}
        elif parameter.kind is not None and (predicates := _predicates(parameter.kind)):
            names = (LEFT_OUT, *(name for name in predicates if name not in INTEGERS or name in types))
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
        predicates = _predicates(kind)
        if kind is None or not predicates:
            continue
        given = None if value is None else _given(value, data[0].shape if data else ())
        if value is None:
            found.add((kind.value, LEFT_OUT))
        elif given is not None and (len(given.numbers) == 1 or not kind.is_one_number):
            found |= {(kind.value, name) for name, holds in predicates.items() if holds(given)}
    return found


def _given(value: Value | Attribute, shape: tuple[int, ...]) -> GivenNumbers | None:
    """The numbers of an argument; None if it has none."""
    numbers = [value] if isinstance(value, int) else whole_numbers(value)
    if numbers is None:
        return None
    if isinstance(value, Value):
        return GivenNumbers(numbers, value.shape, value.dtype, shape)
    return GivenNumbers(numbers, () if isinstance(value, int) else (len(numbers),), "", shape)
