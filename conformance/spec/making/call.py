"""Makes a call of an operator version from features and a seed: the same ones make the same call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby

from conformance.protocol.call import Attribute
from conformance.spec.case import Argument, Case, Value, tensors_of, whole_number, whole_numbers
from conformance.spec.expression import LawError
from conformance.spec.law import lawful_shape
from conformance.spec.making import addresses, lengths
from conformance.spec.making.lengths import BESIDE_TILES, DIMS, RANKS
from conformance.spec.making.setting import Class, ClassPredicate, Dice, GivenNumbers, MadeNumbers, Setting, ValueMaker
from conformance.spec.operator import ArgumentKind, Operator, Parameter, Role
from conformance.tensors.dtypes import DTYPES, INTEGERS, Category
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import pack_integers, tensor_from_array

# The classes of each kind of argument: what may go wrong with an axis, a list of axes or indices, in any operator. A
# class is a predicate over what was given, so that each call, written or made, has its classes, and a maker of such a
# value, so that a call can be asked for by its classes. A check that expects outputs counts; an invalid call has
# none.

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


# The features of a call, and the call that they make.

Asked = Mapping[str, str]
"""One choice for each name."""
_FIRST = (ArgumentKind.AXIS, ArgumentKind.AXES, ArgumentKind.STEPS)
"""What other arguments depend on, in order."""
_FILLS = tuple(fill.value for fill in Fill)
"""What the elements of data are."""
_INPUTS: Mapping[str, Sequence[int]] = {
    "one": (1,),
    "two": (2,),
    "3 to 16": (3, 4, 5),
    "17 to 255": (17, 18, 19, 20),
    "more than 255": (257, 257, 257, 1030),
}
"""The numbers of variadic inputs, by class. Some engines pass 1,024 pointers to a kernel."""
_WIDE, _WIDE_BITS = (1 << 54) + (1 << 25) + 2, 16
"""An element whose value, in each type of more bits, no type of half its width holds, nor a float of its width."""
_PLACES = ("an empty one first", "an empty one inside", "an empty one last")
_MOST_ELEMENTS, _MOST_TEXTS = 1 << 21, 128
"""Elements in one call. Some special strings are long, so a call has fewer of these."""
_LEAST_BITS = 8
"""Types of fewer bits hold hardly an axis; `sub-byte` cases of the operators ask for them."""


def can_be_made(operator: Operator) -> bool:
    """Whether calls can be made: each argument besides the data has a kind of which values are known, and data beside
    the main one a shape.
    """
    others = (p for p in operator.parameters if p.kind is not ArgumentKind.IGNORED and p.name != operator.data[0])
    return all(p.shape is not None if operator.is_data(p.name) else makers_of(p) for p in others)


def choices_of(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The names of features of an operator version, each with its choices; not all of them fit together."""
    found: dict[str, tuple[str, ...]] = {
        "dtype": operator.data_dtypes,
        "rank": tuple(map(str, RANKS)),
        "dims": tuple(DIMS),
        "values": _FILLS,
    }
    if operator.data_inputs[0].is_variadic:
        found |= {"number": tuple(_INPUTS), "inputs": ("equal", "unequal", *_PLACES)}
    for name, ways in _arguments(operator):
        found[name] = (LEFT_OUT, *dict.fromkeys(choice for way in ways for choice in makers_of(way)))
        if len(ways) > 1:
            found[f"{name} as"] = tuple(way.role.value for way in ways)
        types = _types_of(operator, ways)
        if len(types) > 1:
            found[_type_name(ways)] = types
    return found | {beside.name: (LEFT_OUT, *_FILLS) for beside in operator.data_inputs[1:]}


def _type_name(ways: Sequence[Parameter]) -> str:
    """The feature that is the type of an argument. All arguments of one type constraint have the same type, because not
    every page says that they may differ.
    """
    return str(next(way.constraint for way in ways if way.role is Role.INPUT))


def _arguments(operator: Operator) -> Iterator[tuple[str, list[Parameter]]]:
    """The arguments besides the data that a call can be made with, each with the ways to take it."""
    asked = (parameter for parameter in operator.parameters if makers_of(parameter))
    for name, ways in groupby(asked, key=lambda parameter: parameter.name):
        yield name, list(ways)


def _types_of(operator: Operator, ways: Sequence[Parameter]) -> tuple[str, ...]:
    """The types of an argument that is an input; none if it has the type of the data."""
    constraints = {way.constraint for way in ways if way.role is Role.INPUT and way.constraint is not None}
    if constraints & {operator.data_inputs[0].constraint}:
        return ()
    found = (dtype for constraint in constraints for dtype in operator.constraints[constraint])
    return tuple(dtype for dtype in found if DTYPES[dtype].bits >= _LEAST_BITS)


def made_call(operator: Operator, features: Asked, seed: int) -> tuple[tuple[Argument, ...], int] | None:
    """The arguments of a call with these features and the number of outputs that its node declares.

    None if there is none for this seed. The page may forbid the call.
    """
    dice = Dice(operator.name, *(f"{name}={choice}" for name, choice in features.items()), seed)
    shape = _shape(dice, features)
    if shape is None:
        return None
    arguments = list(_arguments(operator))
    setting = Setting(dice, shape, count=dice.number(1, max(1, len(shape))))
    if all(ways[0].kind is not ArgumentKind.AXES for _, ways in arguments) and dice.number(0, 3):
        setting.count = len(shape)  # without axes, the entries of lists belong to the dims in order
    found: dict[str, Argument] = {}
    for name, ways in sorted(arguments, key=_turn):
        choice = features[name]
        if choice == LEFT_OUT:
            continue
        way = ways[[way.role.value for way in ways].index(features.get(f"{name} as", ways[0].role.value))]
        value = makers_of(way)[choice](setting)
        argument = _argument(operator, way, value, features) if isinstance(value, MadeNumbers) else None
        if isinstance(value, float | str):
            argument = Argument(name, way.role, value)
        if argument is None:
            return None
        found[name] = argument
        if way.kind is ArgumentKind.AXIS and shape and isinstance(value, MadeNumbers) and value.items:
            setting.axis = value.items[0] % len(shape)
    data = _data(operator, features, setting)
    beside = None if data is None else _data_beside(operator, features, data, list(found.values()))
    if data is None or beside is None:
        return None
    made = sorted((*data, *beside, *found.values()), key=lambda argument: operator.place_of(argument.name))
    return tuple(made), _declared_outputs(operator, found, setting)


def _turn(argument: tuple[str, Sequence[Parameter]]) -> int:
    """When an argument is made: behind those that it depends on."""
    kind = argument[1][0].kind
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def _shape(dice: Dice, features: Asked) -> tuple[int, ...] | None:
    rank = int(features["rank"])
    if rank == 0:
        return () if features["dims"] == "unequal" else None
    dims = DIMS[features["dims"]](dice, rank)
    return tuple(dims) if len(dims) == rank else None


def _argument(operator: Operator, way: Parameter, numbers: MadeNumbers, features: Asked) -> Argument | None:
    """An argument with these numbers; None if its role or its type cannot hold them."""
    if way.role is Role.ATTRIBUTE:
        if len(numbers.shape) > 1:
            return None
        is_truth = operator.dialect == "openvino" and way.kind is ArgumentKind.FLAG
        one: Attribute = bool(numbers.items[0]) if is_truth else numbers.items[0] if numbers.items else 0
        return Argument(way.name, way.role, numbers.items if numbers.shape else one)
    types = _types_of(operator, (way,))
    dtype = features.get(_type_name((way,)), types[0] if types else features["dtype"])
    value = _tensor(numbers, dtype)
    return None if value is None else Argument(way.name, way.role, value)


def _tensor(numbers: MadeNumbers, dtype: str) -> Value | None:
    if dtype in INTEGERS:
        bits, signed = DTYPES[dtype].bits, DTYPES[dtype].category is Category.SIGNED
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if any(not least <= item <= most for item in numbers.items):
            return None
        return Value.of(pack_integers(list(numbers.items), dtype, numbers.shape))
    if dtype not in ("float16", "float32", "float64") or any(abs(item) > 1 << 11 for item in numbers.items):
        return None
    import numpy as np

    return Value.of(tensor_from_array(np.array(numbers.items, dtype).reshape(numbers.shape)))


def _data(operator: Operator, features: Asked, setting: Setting) -> Sequence[Argument] | None:
    """The data inputs; the elements of each continue those of the one before."""
    shapes = [setting.shape]
    if operator.data_inputs[0].is_variadic:
        found = _shapes(features, setting)
        if found is None:
            return None
        shapes = found
    if _is_too_much(features["dtype"], features["values"], sum(map(math.prod, shapes))):
        return None
    made: list[Argument] = []
    start, name = 0, operator.data_inputs[0].name
    for number, shape in enumerate(shapes):
        value = Value(dtype=features["dtype"], shape=shape, fill=Fill(features["values"]), start=start)
        made.append(Argument(f"{name}_{number}" if operator.data_inputs[0].is_variadic else name, Role.INPUT, value))
        start += math.prod(shape)
    return made


def _data_beside(
    operator: Operator, features: Asked, data: Sequence[Argument], others: Sequence[Argument]
) -> list[Argument] | None:
    """The data inputs other than the main one; the elements of each continue those of the one before. One number alone
    has a value that would change if it went through a narrower type.
    """
    made = list[Argument]()
    start = sum(math.prod(argument.value.shape) for argument in data if isinstance(argument.value, Value))
    for parameter in operator.data_inputs[1:]:
        fill = features[parameter.name]
        if fill == LEFT_OUT:
            continue
        try:
            shape = lawful_shape(operator, parameter.shape or "", tensors_of((*data, *others)))
        except LawError:
            return None
        if _is_too_much(features["dtype"], fill, math.prod(shape)):
            return None
        first = start
        if not shape and fill == Fill.DISTINCT.value and DTYPES[features["dtype"]].bits > _WIDE_BITS:
            first = _WIDE + 4 * start
        value = Value(dtype=features["dtype"], shape=shape, fill=Fill(fill), start=first)
        made.append(Argument(parameter.name, Role.INPUT, value))
        start += math.prod(shape)
    return made


def _is_too_much(dtype: str, fill: str, count: int) -> bool:
    return count > (_MOST_TEXTS if dtype == "string" and fill == Fill.SPECIAL.value else _MOST_ELEMENTS)


def _shapes(features: Asked, setting: Setting) -> list[tuple[int, ...]] | None:
    """The shapes of variadic inputs, which differ along the axis."""
    dice, shape, axis = setting.dice, setting.shape, setting.axis
    count, kind = dice.one_of(_INPUTS[features["number"]]), features["inputs"]
    if kind == "equal" or not shape or axis >= len(shape):
        return [shape] * count if kind == "equal" else None
    lengths = [shape[axis]] + [dice.number(1, 4) for _ in range(count - 1)]
    if kind in _PLACES:
        place = (0, dice.number(1, count - 2) if count > 2 else count, count - 1)[_PLACES.index(kind)]
        if count < 2 or place >= count:
            return None
        lengths[place] = 0
    elif len(set(lengths)) < 2:
        return None
    return [(*shape[:axis], length, *shape[axis + 1 :]) for length in lengths]


def _declared_outputs(operator: Operator, found: Mapping[str, Argument], setting: Setting) -> int:
    """As many as there are lengths, or as the count says; else any number that divides the axis."""
    lengths, count = found.get(operator.lengths or ""), found.get(operator.num_outputs or "")
    if lengths is not None:
        value = lengths.value
        return math.prod(value.shape) if isinstance(value, Value) else len(whole_numbers(value) or ())
    if count is not None:
        return max(1, whole_number(count.value) or 0)
    if operator.has_one_output:
        return 1
    divisors = [number for number in range(1, min(setting.length, 64) + 1) if setting.length % number == 0]
    return setting.dice.one_of(divisors) if divisors else setting.dice.number(1, 3)
