"""The features of the arguments of an operator that does not cut: each parameter is one of `coverage.yaml`, too."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from conformance.formats.coverage_parts import count_kinds, whole_numbers
from conformance.spec.call import Attribute
from conformance.spec.case import Case, Value
from conformance.spec.operator import Operator
from conformance.values.dtypes import DTYPES, Kind

_COUNTS = ("single", "two", "many-17", "many-129", "many-1000")
_NUMBERS = (
    *("left-out", "number", "none", "one", "several", "grid"),
    *("front", "end", "both-ends", "sorted", "reversed", "unsorted"),
)
_INTEGERS = tuple(dtype.name for dtype in DTYPES.values() if dtype.kind in (Kind.SIGNED, Kind.UNSIGNED))


def argument_vocabulary(operator: Operator) -> dict[str, tuple[str, ...]]:
    """The values of each parameter: for a variadic input its number, for one that says where its numbers.

    An argument that says where and is an input has its type under its name with `_type`.
    """
    found: dict[str, tuple[str, ...]] = {}
    for parameter in operator.parameters:
        if parameter not in operator.data_inputs:
            found[parameter.name] = _NUMBERS
            found[f"{parameter.name}_type"] = _INTEGERS
        elif parameter.is_variadic:
            found[parameter.name] = _COUNTS
    return found


def features_of_arguments(call: Case) -> Mapping[str, set[str]]:
    """The values of each parameter of a call."""
    found: dict[str, set[str]] = {}
    for parameter in call.operator.parameters:
        if parameter not in call.operator.data_inputs:
            value = call.value(parameter.name)
            found[parameter.name] = _kinds(value)
            found[f"{parameter.name}_type"] = {value.dtype} if isinstance(value, Value) else set()
        elif parameter.is_variadic:
            found[parameter.name] = count_kinds(sum(parameter.takes(item.name) for item in call.arguments))
    return found


def _kinds(value: Value | Attribute | None) -> set[str]:
    """Labels of the numbers of an argument: how many there are, from which end they count, and in which order."""
    if value is None:
        return {"left-out"}
    rank = len(value.shape) if isinstance(value, Value) else int(not isinstance(value, int))
    numbers = [value] if isinstance(value, int) else whole_numbers(value)
    if numbers is None:
        return set()
    if not numbers:
        return {"none"}
    is_several = len(numbers) > 1
    found = {"number" if rank == 0 else "grid" if rank > 1 else "several" if is_several else "one"}
    ends = {number < 0 for number in numbers}
    found.add("both-ends" if len(ends) > 1 else "end" if True in ends else "front")
    if is_several:
        pairs = list(pairwise(numbers))
        is_up, is_down = all(a < b for a, b in pairs), all(a > b for a, b in pairs)
        found.add("sorted" if is_up else "reversed" if is_down else "unsorted")
    return found
