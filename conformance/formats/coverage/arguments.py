"""The coverage features of an operator's arguments, for operators without an axis to cut along."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from conformance.border.call import Attribute
from conformance.formats.coverage.parts import COUNTS, count_kinds, place_of
from conformance.language.case import Case, Value, whole_numbers
from conformance.language.operator import Operator
from conformance.values.dtypes import INTEGERS

_NUMBERS = (
    *("left-out", "number", "none", "one", "several", "grid"),
    *("front", "end", "both-ends", "sorted", "reversed", "unsorted"),
    *("zero", "positive", "false", "true", "unset", "set"),
)
_LENGTHS: Mapping[str, tuple[str, ...]] = {
    "lengths": ("left-out", "written", "inferred", "zero", "zero-and-inferred"),
    "lengths_place": ("first", "inner", "last"),
    "lengths_rank": tuple(str(count) for count in range(9)),
    "lengths_type": INTEGERS,
}


def argument_vocabulary(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The parameters that describe an operator's arguments, with their values.

    A variadic input is described by its number of tensors, any other argument by its numbers, and as `NAME_type` by its
    type if it is an input. A `shape` argument is described by `lengths` and parameters whose names begin so, because
    the parameter `shape` is what the model knows.
    """
    found: dict[str, tuple[str, ...]] = {}
    for parameter in operator.parameters:
        if parameter.name == "shape":
            found |= _LENGTHS
        elif parameter not in operator.data_inputs:
            found[parameter.name] = _NUMBERS
            found[f"{parameter.name}_type"] = INTEGERS
        elif parameter.is_variadic:
            found[parameter.name] = tuple(COUNTS.values())
    return found


def features_of_arguments(call: Case) -> Mapping[str, set[str]]:
    """The values of each parameter of a call."""
    found: dict[str, set[str]] = {}
    for parameter in call.operator.parameters:
        if parameter.name == "shape":
            found |= _features_of_lengths(call.value(parameter.name))
        elif parameter not in call.operator.data_inputs:
            value = call.value(parameter.name)
            found[parameter.name] = _kinds(value)
            found[f"{parameter.name}_type"] = {value.dtype} if isinstance(value, Value) else set()
        elif parameter.is_variadic:
            found[parameter.name] = count_kinds(sum(parameter.takes(item.name) for item in call.arguments))
    return found


def _features_of_lengths(value: Value | Attribute | None) -> dict[str, set[str]]:
    """Which special entries a shape has, at which places, how many lengths there are, and of which type."""
    found: dict[str, set[str]] = {name: set() for name in _LENGTHS}
    numbers = None if value is None else whole_numbers(value)
    if value is None:
        found["lengths"] = {"left-out"}
    elif numbers is not None and (not isinstance(value, Value) or len(value.shape) == 1):
        special = {0: "zero", -1: "inferred"}
        kinds = [kind for number, kind in special.items() if number in numbers]
        found["lengths"] = {"-and-".join(kinds) or "written"}
        found["lengths_place"] = {place_of(at, len(numbers)) for at, number in enumerate(numbers) if number in special}
        found["lengths_rank"] = {str(len(numbers))}
    if isinstance(value, Value):
        found["lengths_type"] = {value.dtype}
    return found


def _kinds(value: Value | Attribute | None) -> set[str]:
    """Labels of the numbers of an argument: how many there are, from which end they count, and in which order.

    Zeros alone are `unset` as a mask; zeros and ones are `set`.
    """
    if value is None:
        return {"left-out"}
    if isinstance(value, bool):
        return {"true" if value else "false"}
    rank = len(value.shape) if isinstance(value, Value) else int(not isinstance(value, int))
    numbers = [value] if isinstance(value, int) else whole_numbers(value)
    if numbers is None:
        return set()
    if not numbers:
        return {"none"}
    is_several = len(numbers) > 1
    found = {"set" if 1 in numbers else "unset"} if rank == 1 and set(numbers) <= {0, 1} else set()
    found.add("number" if rank == 0 else "grid" if rank > 1 else "several" if is_several else "one")
    ends = {number < 0 for number in numbers}
    if rank == 0 and numbers[0] >= 0:
        found.add("positive" if numbers[0] else "zero")
    found.add("both-ends" if len(ends) > 1 else "end" if True in ends else "front")
    if is_several:
        pairs = list(pairwise(numbers))
        is_up, is_down = all(a < b for a, b in pairs), all(a > b for a, b in pairs)
        found.add("sorted" if is_up else "reversed" if is_down else "unsorted")
    return found
