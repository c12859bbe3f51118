"""The features that only calls of operators that cut data have: where the axis is, and what the lengths are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.language.case import Case, Value, whole_numbers
from conformance.values.dtypes import INTEGERS

COUNTS = {1: "single", 2: "two", 17: "many-17", 129: "many-129", 1000: "many-1000"}
"""The labels of numbers of parts or of tensors."""
VOCABULARY: Mapping[str, tuple[str, ...]] = {
    "position": ("only", "first", "inner", "last"),
    "sign": ("front", "end", "left-out"),
    "axis": ("scalar", "list"),
    "integer": INTEGERS,
    "given": ("lengths", "number"),
    "lengths": (
        *(*COUNTS.values(), "equal", "unequal", "uneven", "one-each"),
        *("zero-first", "zero-middle", "zero-last", "rest-first", "rest-middle", "rest-last", "rest-empty"),
    ),
}
"""Each parameter with all its values."""


def features_of_parts(call: Case, axis: int, shape: Sequence[int]) -> dict[str, set[str]]:
    """The values of each parameter; none if it does not apply. `shape` is that of the data."""
    written_axis = call.value(call.operator.split_axis)
    return {
        "position": {"only" if len(shape) == 1 else place_of(axis, len(shape))},
        "sign": {"left-out" if written_axis is None else "front" if (call.split_axis or 0) >= 0 else "end"},
        "axis": {"list" if isinstance(written_axis, Value) and written_axis.shape else "scalar"},
        "integer": {written_axis.dtype} if isinstance(written_axis, Value) else set(),
        "given": {"number" if _written_lengths(call) is None else "lengths"},
        "lengths": _lengths_kinds(call, shape[axis]),
    }


def place_of(index: int, count: int, between: str = "inner") -> str:
    """Where one of several stands: `first`, `last` or `between`."""
    return "first" if index == 0 else "last" if index == count - 1 else between


def _lengths_kinds(call: Case, length: int) -> set[str]:
    written = _written_lengths(call)
    if written is None:
        return _number_kinds(_number_of_parts(call), length)
    left = length - sum(part for part in written if part >= 0)
    lengths = [left if part < 0 else part for part in written]
    kinds = count_kinds(len(lengths))
    if len(lengths) > 1 and -1 not in written:
        kinds.add("equal" if len(set(lengths)) == 1 else "unequal")
    if any(lengths):
        kinds |= {f"zero-{place}" for place in _places(written, 0)}
    kinds |= {f"rest-{place}" for place in _places(written, -1)}
    return kinds | ({"rest-empty"} if -1 in written and left == 0 else set())


def _number_kinds(count: int, length: int) -> set[str]:
    kinds = count_kinds(count)
    if count > 1:
        kinds.add("uneven" if length % count else "equal")
    if count == length:
        kinds.add("one-each")
    return kinds


def count_kinds(count: int) -> set[str]:
    """The label of a number of parts or of tensors, if it has one."""
    return {COUNTS[count]} if count in COUNTS else set()


def _places(lengths: Sequence[int], wanted: int) -> set[str]:
    count = len(lengths)
    return {place_of(at, count, "middle") for at, length in enumerate(lengths) if length == wanted and count > 1}


def _written_lengths(call: Case) -> Sequence[int] | None:
    """The lengths as written; None if the call gives the number of parts instead."""
    value = call.value(call.operator.lengths)
    return None if value is None else whole_numbers(value)


def _number_of_parts(call: Case) -> int:
    value = call.value(call.operator.num_outputs)
    return value if isinstance(value, int) else call.declared_outputs
