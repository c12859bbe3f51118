"""What properties are drawn from: tensors, cases by hand, and calls of every operator of the suite."""

from __future__ import annotations

from functools import cache
from itertools import count
from math import prod

from bundled import bundled_operators
from hypothesis import strategies as st
from split_cases import split_case

from conformance.spec.case import Case, Disputed, Value
from conformance.spec.making.call import choices_of
from conformance.spec.making.clear_case import can_be_judged, clear_case
from conformance.spec.making.setting import Dice
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import Tensor, pack_strings

SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
ANY_TYPE = st.sampled_from(sorted(DTYPES))
SUB_BYTE = [name for name, kind in DTYPES.items() if kind.bits < 8 and name != "string"]
FAMILIES = sorted({one.family for one in bundled_operators().values() if can_be_judged(one)})
"""The operator names whose calls have a law and a reference, as `onnx.Split`."""


@st.composite
def tensors(draw: st.DrawFn, dtypes: st.SearchStrategy[str] = ANY_TYPE) -> Tensor:
    """A tensor of any bits."""
    dtype, shape = draw(dtypes), draw(SHAPES)
    size = prod(shape)
    if dtype == "string":
        return pack_strings(draw(st.lists(st.binary(max_size=3), min_size=size, max_size=size)), shape)
    size *= DTYPES[dtype].itemsize
    return Tensor(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


@st.composite
def cuts(draw: st.DrawFn) -> Case:
    """A valid case of VariadicSplit."""
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple))
    axis = draw(st.integers(0, len(shape) - 1))
    inner = sorted(draw(st.lists(st.integers(0, shape[axis]), max_size=3)))
    lengths = [stop - start for start, stop in zip([0, *inner], [*inner, shape[axis]], strict=True)]
    data = Value(dtype=draw(ANY_TYPE), shape=shape, fill=draw(st.sampled_from(Fill)))
    return split_case(data, lengths, axis)


@st.composite
def calls_of(draw: st.DrawFn, family: str) -> Case:
    """A call of any version of an operator that its page allows, and answers bit for bit."""
    return _call(draw(st.sampled_from(_versions(family))), draw(st.integers(0, 200)))


@cache
def _versions(family: str) -> list[str]:
    return [name for name, one in bundled_operators().items() if one.family == family and can_be_judged(one)]


@cache
def _call(name: str, seed: int) -> Case:
    operator = bundled_operators()[name]
    choices = choices_of(operator)
    for number in count(1000 * seed):
        dice = Dice("drawn", operator.id, number)
        features = {name: dice.one_of(known) for name, known in choices.items()}
        if features["dims"] in ("long", "beside tiles", "large"):
            continue  # they take long, and the cases of the suite have them
        case = clear_case(operator, features, number)
        if case is not None and not isinstance(case.expectation, Disputed):
            return case
    raise AssertionError("numbers end")
