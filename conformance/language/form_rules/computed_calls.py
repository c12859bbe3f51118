"""Other calls of a case's model, whose outputs the reference computes.

The reference needs NumPy, so it is loaded when a call is computed. A case gives the model: its attributes, and the
types and ranks of its inputs. Another call is taken only if the page allows it and its outputs have the ranks of the
case's outputs, so that one model can run both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from conformance.border.call import Attribute
from conformance.language.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.language.case import Case, ExpectedOutputs, Literals, Value, call_arguments, due_outputs
from conformance.language.form_rules.rule import integers_like, other_data
from conformance.values.dtypes import DTYPES, INTEGERS
from conformance.values.tensor import Tensor, unpack_integers

_MAX_BYTES = 1 << 16
"""Most data of a case for which other calls are computed: forms are chosen for every case of a plan."""
_MAX_LENGTH = 1 << 20

_Shape = tuple[int, ...]
_Values = Mapping[str, Value]


def with_computed_data(case: Case) -> Case | None:
    """The call with other elements in data of another shape; None if none was found."""
    if not _is_computable(case):
        return None
    known, ranks = [value.shape for value in case.data_inputs.values()], _ranks(due_outputs(case))
    shapes = [*_grown(known), *_permuted(known)]
    calls = (_computed(case, ranks, _other_data(case, other)) for other in shapes if other != known)
    return next(filter(None, calls), None)


def with_computed_arguments(case: Case) -> tuple[Case, ...]:
    """For each input besides the data, a call in which it is another, with data to match, if one was found.

    With the input of the case, the same data has other outputs or none, so that a kept input shows.
    """
    if not _is_computable(case):
        return ()
    known, ranks = [value.shape for value in case.data_inputs.values()], _ranks(due_outputs(case))
    data = [_other_data(case, shapes) for shapes in (known, *_permuted(known))]
    others = [argument.name for argument in case.arguments if not case.operator.is_data(argument.name)]
    return tuple(filter(None, (_with_another(case, ranks, name, data) for name in others)))


def _with_another(case: Case, ranks: list[int], name: str, data: Iterable[_Values]) -> Case | None:
    """The call in which one input is another, with the first data that shows it."""
    for values in data:
        kept = _computed(case, ranks, values)
        for other in _other_numbers(case.value(name)):
            call = _computed(case, ranks, {**values, name: other})
            if call is not None and (kept is None or call.expectation != kept.expectation):
                return call
    return None


def _is_computable(case: Case) -> bool:
    """Whether the case is valid and small enough, and its outputs are not parts: other calls follow from those.

    A long output without elements is not small: with other data it may have more than any memory holds.
    """
    is_small = bool(case.data_inputs) and _has_little_data(case)
    if not is_small or case.operator.splits or not isinstance(case.expectation, ExpectedOutputs):
        return False
    return max((dim for output in due_outputs(case) for dim in output.shape), default=0) <= _MAX_LENGTH


def _has_little_data(case: Case) -> bool:
    """Whether the data is small, and so are its dims: without elements, one may be longer than any memory."""
    data = case.data_inputs.values()
    longest = max((dim for value in data for dim in value.shape), default=0)
    return longest <= _MAX_BYTES and sum(value.nbytes for value in data) <= _MAX_BYTES


def _grown(shapes: list[_Shape]) -> Iterator[list[_Shape]]:
    """The shapes with every dim longer, and with one longer."""
    ranks = range(max(map(len, shapes)))
    for growing in (ranks, *((at,) for at in ranks)):
        yield [tuple(dim + 1 + at if at in growing else dim for at, dim in enumerate(shape)) for shape in shapes]


def _permuted(shapes: list[_Shape]) -> list[list[_Shape]]:
    """The shapes with their dims in reverse, and with the last dim first."""
    return [[shape[::-1] for shape in shapes], [(*shape[-1:], *shape[:-1]) for shape in shapes]]


def _other_data(case: Case, shapes: list[_Shape]) -> _Values:
    """The data inputs with other elements in these shapes, all distinct as far as the type has enough values."""
    made, shift = {}, 0
    for (name, value), shape in zip(case.data_inputs.items(), shapes, strict=True):
        other = other_data(value, shape)
        made[name] = replace(other, start=other.start + shift)
        shift += math.prod(shape) - math.prod(value.shape)
    return made


def _other_numbers(value: Value | Attribute | None) -> Iterator[Value]:
    """An integer input with its numbers in reverse, and with each increased by one.

    Smaller numbers are left out: below a negative one, pages leave more open.
    """
    if isinstance(value, Value) and value.dtype in INTEGERS:
        numbers = unpack_integers(value.tensor())
        for others in (numbers[::-1], [number + 1 for number in numbers]):
            if others != numbers and all(number in DTYPES[value.dtype].integers for number in others):
                yield integers_like(value, others)


def _ranks(outputs: Iterable[Tensor]) -> list[int]:
    return [len(output.shape) for output in outputs]


def _computed(case: Case, ranks: list[int], values: _Values) -> Case | None:
    """The call with these values and the outputs that the page requires; None if their ranks are not those of the case,
    whose model then cannot run it.

    Also None if the page forbids the call or leaves it open, or if its data is not small.
    """
    from conformance.language.reference import OPERATORS, evaluate

    call = case.with_values(values)
    if not _has_little_data(call) or case.operator.id not in OPERATORS:
        return None
    try:
        outputs = evaluate(case.operator.id, call_arguments(call), case.declared_outputs)
    except (BrokenClauseError, UncoveredCallError):
        return None
    if _ranks(outputs) != ranks:
        return None
    return replace(call, expectation=Literals(tuple(map(Value.of, outputs))))
