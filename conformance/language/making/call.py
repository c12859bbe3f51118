"""Makes a call of an operator version from features and a seed: the same ones make the same call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from conformance.border.call import Attribute
from conformance.language.case import Argument, Value, whole_number, whole_numbers
from conformance.language.kinds import ArgumentKind
from conformance.language.making.choices import CHOICES, DIMS, LEFT_OUT, RANKS, MadeNumbers, Setting
from conformance.language.making.dice import Dice
from conformance.language.operator import Operator, Parameter, Role
from conformance.values.dtypes import DTYPES, INTEGERS, Kind
from conformance.values.fill import Fill
from conformance.values.tensor import pack_integers, tensor_from_array

Asked = Mapping[str, str]
"""One choice for each name."""
_FIRST = (ArgumentKind.AXIS, ArgumentKind.AXES)
"""What other arguments depend on."""
_INPUTS = {"one": (1, 1), "two": (2, 2), "3 to 16": (3, 5), "17 to 255": (17, 20), "more than 255": (257, 257)}
"""The number of variadic inputs, by class."""
_PLACES = ("an empty one first", "an empty one inside", "an empty one last")
_MOST_TEXTS = 128
"""Special strings in one call: some of them are long."""
_LEAST_BITS = 8
"""Types of fewer bits hold hardly an axis; `sub-byte` cases of the operators ask for them."""


def can_be_made(operator: Operator) -> bool:
    """Whether calls can be made: one argument is the data, and each other one has a kind of which values are known."""
    kinds = {parameter.kind for parameter in operator.parameters} - {ArgumentKind.DATA, ArgumentKind.IGNORED}
    return len(operator.data) == 1 and kinds <= CHOICES.keys()


def choices_of(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The names of features of an operator version, each with its choices; not all of them fit together."""
    found: dict[str, tuple[str, ...]] = {
        "dtype": operator.data_dtypes,
        "rank": tuple(map(str, RANKS)),
        "dims": tuple(DIMS),
        "values": ("distinct", "special"),
    }
    if operator.data_inputs[0].is_variadic:
        found |= {"number": tuple(_INPUTS), "inputs": ("equal", "unequal", *_PLACES)}
    for name, ways in _arguments(operator):
        kind = ways[0].kind
        assert kind is not None
        found[name] = (LEFT_OUT, *CHOICES[kind])
        if len(ways) > 1:
            found[f"{name} as"] = tuple(way.role.value for way in ways)
        types = _types_of(operator, ways)
        if len(types) > 1:
            found[_type_name(ways)] = types
    return found


def _type_name(ways: Sequence[Parameter]) -> str:
    """The feature that is the type of an argument. All arguments of one type constraint have the same type, because not
    every page says that they may differ.
    """
    return str(next(way.constraint for way in ways if way.role is Role.INPUT))


def _arguments(operator: Operator) -> Iterator[tuple[str, list[Parameter]]]:
    """The arguments besides the data that a call can be made with, each with the ways to take it."""
    asked = (p for p in operator.parameters if p.kind in CHOICES)
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
    for name, ways in sorted(arguments, key=lambda item: item[1][0].kind not in _FIRST):
        kind, choice = ways[0].kind, features[name]
        assert kind is not None
        if choice == LEFT_OUT:
            continue
        numbers = CHOICES[kind][choice](setting)
        way = ways[[way.role.value for way in ways].index(features.get(f"{name} as", ways[0].role.value))]
        argument = None if numbers is None else _argument(operator, way, numbers, features)
        if numbers is None or argument is None:
            return None
        found[name] = argument
        if kind is ArgumentKind.AXIS and shape and numbers.items:
            setting.axis = numbers.items[0] % len(shape)
    data = _data(operator, features, setting)
    if data is None:
        return None
    made = sorted((*data, *found.values()), key=lambda argument: operator.place_of(argument.name))
    return tuple(made), _declared_outputs(operator, found, setting)


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
        bits, signed = DTYPES[dtype].bits, DTYPES[dtype].kind is Kind.SIGNED
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
    is_text = features["dtype"] == "string" and features["values"] == "special"
    if is_text and sum(map(math.prod, shapes)) > _MOST_TEXTS:
        return None
    made: list[Argument] = []
    start, name = 0, operator.data_inputs[0].name
    for number, shape in enumerate(shapes):
        value = Value(dtype=features["dtype"], shape=shape, fill=Fill(features["values"]), start=start)
        made.append(Argument(f"{name}_{number}" if operator.data_inputs[0].is_variadic else name, Role.INPUT, value))
        start += math.prod(shape)
    return made


def _shapes(features: Asked, setting: Setting) -> list[tuple[int, ...]] | None:
    """The shapes of variadic inputs, which differ along the axis."""
    dice, shape, axis = setting.dice, setting.shape, setting.axis
    count, kind = dice.number(*_INPUTS[features["number"]]), features["inputs"]
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
