"""Measures which features a check has, from its arguments and form alone, not from the matrix that made it.

Owns the closed vocabulary of parameter spaces: `coverage.yaml` names these parameters and chooses among their values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from conformance.border.form import AtRunTime, Form, KnownShapes, Layout
from conformance.formats.coverage.arguments import argument_vocabulary, features_of_arguments
from conformance.formats.coverage.parts import VOCABULARY as PARTS
from conformance.formats.coverage.parts import features_of_parts
from conformance.language.case import Case, Rejection, Value
from conformance.language.form_steps import steps_of
from conformance.language.operator import Operator
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.fill import Fill, special_patterns

LARGE_ELEMENTS = 1 << 16
SMALLEST_PRIME = 11
MAX_RANK_SHOWN = 8


def _graph_of(form: Form) -> str:
    """What stands around the operator."""
    return "folded" if form is Form.CONSTANT_FOLDED else form.value if form.has_own_graph else "alone"


_VOCABULARY: Mapping[str, tuple[str, ...]] = {
    "dtype": tuple(DTYPES),
    "rank": tuple(str(rank) for rank in range(MAX_RANK_SHOWN + 1)),
    "data": (
        *("distinct", "special", "empty", "empty-axis", "empty-elsewhere"),
        *("near-16", "near-32", "near-64", "large", "odd", "prime"),
    ),
    "binding": ("constant", "runtime", "lengths-alone", "axis-alone"),
    "shape": ("static", "dims", "uncounted", "rank"),
    "layout": ("packed", *(form.value for form in Form if form.properties.layout is not Layout.CONTIGUOUS)),
    "graph": ("alone", *(_graph_of(form) for form in Form if form.has_own_graph)),
}
"""Each parameter with all its values, for every operator."""

_BINDINGS = {
    AtRunTime.ALL: "runtime",
    AtRunTime.LENGTHS: "lengths-alone",
    AtRunTime.AXIS: "axis-alone",
    AtRunTime.DATA: "constant",
    AtRunTime.NOTHING: "constant",
}
_SHAPES = {
    KnownShapes.SHAPES: "static",
    KnownShapes.SOME: "dims",
    KnownShapes.RANKS: "dims",
    KnownShapes.UNCOUNTED_RANKS: "uncounted",
    KnownShapes.NOTHING: "rank",
}
Features = Mapping[str, frozenset[str]]
"""The values of each parameter. There may be several (data can be large and odd), or none if it does not apply."""


def vocabulary_of(operator: Operator) -> Mapping[str, tuple[str, ...]]:
    """Each parameter that the space of an operator can have, with all its values."""
    return {**_VOCABULARY, **(PARTS if operator.splits else argument_vocabulary(operator))}


def features_of(case: Case, form: Form) -> Features | None:
    """The features of a check; None for invalid calls, for a split without an axis, and for a call as it is in a model:
    these lie outside the space.
    """
    if isinstance(case.expectation, Rejection) or form is Form.AS_IN_THE_MODEL:
        return None
    call = steps_of(case, form)[-1]
    data, axis, is_cut = call.data, call.split_dim, call.operator.splits
    if data is None or (is_cut and axis is None):
        return None
    found = {
        "dtype": {data.dtype},
        "rank": {str(len(data.shape))},
        "data": _data_kinds(data, axis),
        "binding": {_BINDINGS[form.properties.at_run_time]},
        "shape": {_SHAPES[form.properties.known]},
        "layout": {"packed" if form.properties.layout is Layout.CONTIGUOUS else form.value},
        "graph": {_graph_of(form)},
        **(features_of_arguments(call) if axis is None else features_of_parts(call, axis, data.shape)),
    }
    return {name: frozenset(values) for name, values in found.items()}


def _data_kinds(data: Value, axis: int | None) -> set[str]:
    count = math.prod(data.shape)
    kinds = {"special" if _is_special(data) else "distinct"}
    if axis is None and not count:
        kinds.add("empty")
    kinds |= {
        "empty-axis" if index == axis else "empty-elsewhere"
        for index, dim in enumerate(data.shape)
        if axis is not None and dim == 0
    }
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
