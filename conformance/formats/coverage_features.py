"""Measures which features a check has, from its arguments and form alone, not from the matrix that made it.

Owns the closed vocabulary of parameter spaces: `coverage.yaml` names these parameters and chooses among their values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from conformance.spec.call import Attribute
from conformance.spec.case import Case, Rejection, Value
from conformance.spec.form import AtRunTime, Form, Known, Layout
from conformance.spec.form_steps import steps_of
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.fill import Fill, special_patterns
from conformance.values.tensor import unpack_integers

LARGE_ELEMENTS = 1 << 16
SMALLEST_PRIME = 11
MAX_TOLD_RANK = 8


def _graph_of(form: Form) -> str:
    """What stands around the operator."""
    return "folded" if form is Form.CONSTANT_FOLDED else form.value if form.has_own_graph else "alone"


VOCABULARY: Mapping[str, tuple[str, ...]] = {
    "dtype": tuple(DTYPES),
    "rank": tuple(str(rank) for rank in range(MAX_TOLD_RANK + 1)),
    "position": ("only", "first", "inner", "last"),
    "sign": ("front", "end", "left-out"),
    "axis": ("scalar", "list"),
    "integer": tuple(dtype.name for dtype in DTYPES.values() if dtype.kind in (Kind.SIGNED, Kind.UNSIGNED)),
    "given": ("lengths", "number"),
    "lengths": (
        *("single", "two", "many-17", "many-129", "many-1000", "equal", "unequal", "uneven", "one-each"),
        *("zero-first", "zero-middle", "zero-last", "rest-first", "rest-middle", "rest-last", "rest-empty"),
    ),
    "data": (
        *("distinct", "special", "empty-axis", "empty-elsewhere"),
        *("near-16", "near-32", "near-64", "large", "odd", "prime"),
    ),
    "binding": ("constant", "runtime", "lengths-alone", "axis-alone"),
    "shape": ("static", "dims", "uncounted", "rank"),
    "layout": ("packed", *(form.value for form in Form if form.properties.layout is not Layout.CONTIGUOUS)),
    "graph": ("alone", *(_graph_of(form) for form in Form if form.has_own_graph)),
}
"""Each parameter with all its values, over all operators."""

_BINDINGS = {
    AtRunTime.ALL: "runtime",
    AtRunTime.LENGTHS: "lengths-alone",
    AtRunTime.AXIS: "axis-alone",
    AtRunTime.DATA: "constant",
    AtRunTime.NOTHING: "constant",
}
_SHAPES = {
    Known.SHAPES: "static",
    Known.RANKS: "dims",
    Known.UNCOUNTED_RANKS: "uncounted",
    Known.NOTHING: "rank",
}
Features = Mapping[str, frozenset[str]]
"""The values of each parameter. There may be several (data can be large and odd), or none if it does not apply."""


def features_of(case: Case, form: Form) -> Features | None:
    """The features of a check; None for invalid calls and calls without an axis: they lie outside the space."""
    if isinstance(case.expectation, Rejection):
        return None
    call = steps_of(case, form)[-1]
    data, axis = call.data, call.axis_from_front
    if data is None or axis is None:
        return None
    written_axis = call.value(call.operator.axis)
    found = {
        "dtype": {data.dtype},
        "rank": {str(len(data.shape))},
        "position": {_position(axis, len(data.shape))},
        "sign": {"left-out" if written_axis is None else "front" if (call.axis or 0) >= 0 else "end"},
        "axis": {"list" if isinstance(written_axis, Value) and written_axis.shape else "scalar"},
        "integer": {written_axis.dtype} if isinstance(written_axis, Value) else set(),
        "given": {"number" if _written_lengths(call) is None else "lengths"},
        "lengths": _lengths_kinds(call, data.shape[axis]),
        "data": _data_kinds(data, axis),
        "binding": {_BINDINGS[form.properties.at_run_time]},
        "shape": {_SHAPES[form.properties.known]},
        "layout": {"packed" if form.properties.layout is Layout.CONTIGUOUS else form.value},
        "graph": {_graph_of(form)},
    }
    return {name: frozenset(values) for name, values in found.items()}


def _position(axis: int, rank: int) -> str:
    if rank == 1:
        return "only"
    return "first" if axis == 0 else "last" if axis == rank - 1 else "inner"


def _lengths_kinds(call: Case, length: int) -> set[str]:
    written = _written_lengths(call)
    if written is None:
        return _number_kinds(_number_of_parts(call), length)
    left = length - sum(part for part in written if part >= 0)
    lengths = [left if part < 0 else part for part in written]
    kinds = _count_kinds(len(lengths))
    if len(lengths) > 1 and -1 not in written:
        kinds.add("equal" if len(set(lengths)) == 1 else "unequal")
    if any(lengths):
        kinds |= {f"zero-{place}" for place in _places(written, 0)}
    kinds |= {f"rest-{place}" for place in _places(written, -1)}
    return kinds | ({"rest-empty"} if -1 in written and left == 0 else set())


def _number_kinds(count: int, length: int) -> set[str]:
    kinds = _count_kinds(count)
    if count > 1:
        kinds.add("uneven" if length % count else "equal")
    if count == length:
        kinds.add("one-each")
    return kinds


def _count_kinds(count: int) -> set[str]:
    names = {1: "single", 2: "two", 17: "many-17", 129: "many-129", 1000: "many-1000"}
    return {names[count]} if count in names else set()


def _places(lengths: Sequence[int], wanted: int) -> set[str]:
    if len(lengths) == 1:
        return set()
    last = len(lengths) - 1
    found = {index for index, length in enumerate(lengths) if length == wanted}
    return {"first" if index == 0 else "last" if index == last else "middle" for index in found}


def _written_lengths(call: Case) -> Sequence[int] | None:
    """The lengths as written; None if the call gives the number of parts instead."""
    value = call.value(call.operator.lengths) if call.operator.lengths is not None else None
    return None if value is None else _whole_numbers(value)


def _number_of_parts(call: Case) -> int:
    value = call.value(call.operator.num_outputs) if call.operator.num_outputs is not None else None
    return value if isinstance(value, int) else call.declared_outputs


def _whole_numbers(value: Value | Attribute) -> Sequence[int] | None:
    if isinstance(value, Value):
        is_whole = DTYPES[value.dtype].kind in (Kind.SIGNED, Kind.UNSIGNED)
        return unpack_integers(value.tensor()) if is_whole else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [item for item in value if isinstance(item, int)]
    return None


def _data_kinds(data: Value, axis: int) -> set[str]:
    count = math.prod(data.shape)
    kinds = {"special" if _is_special(data) else "distinct"}
    if data.shape[axis] == 0:
        kinds.add("empty-axis")
    if any(dim == 0 for index, dim in enumerate(data.shape) if index != axis):
        kinds.add("empty-elsewhere")
    kinds |= {f"near-{power}" for power in (16, 32, 64) if any(abs(dim - power) <= 1 for dim in data.shape)}
    if count > LARGE_ELEMENTS:
        kinds.add("large")
    if count % 2:
        kinds.add("odd")
    if any(dim >= SMALLEST_PRIME and _is_prime(dim) for dim in data.shape):
        kinds.add("prime")
    return kinds


def _is_special(data: Value) -> bool:
    """Whether the data has values that break implementations: by its fill, or as special float patterns written out."""
    if data.data is None:
        return data.fill is Fill.SPECIAL
    layout, size = DTYPES[data.dtype].layout, DTYPES[data.dtype].itemsize
    if layout is None or DTYPES[data.dtype].kind is not Kind.FLOAT:
        return False
    special, written = frozenset(special_patterns(layout)) - {0}, data.data
    return any(int.from_bytes(written[at : at + size], "little") in special for at in range(0, len(written), size))


@cache
def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
