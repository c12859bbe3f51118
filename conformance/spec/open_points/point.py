"""An open point of a page, its readings, and how a reading says itself: by another call, or by a clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.case import Case, Disputed, Interpretation, MovedData, Value
from conformance.spec.references.signature import Reference
from conformance.tensors.dtypes import DTYPES, INTEGERS, Kind
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import Tensor, pack_integers, unpack_integers

Answering: TypeAlias = Callable[[Reference, Arguments, int], tuple[Tensor, ...]]
"""The outputs of a call under one reading, from what computes calls that are clear; or a `BrokenClauseError`."""
Predicate: TypeAlias = Callable[[Arguments, int], bool]
"""Whether a call, with its number of declared outputs, is inside an open point."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what the page leaves open, with its reason and the upstream thread, if there is one."""

    name: str
    reason: str
    answer: Answering
    thread: str = ""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """What the pages of these versions leave open, for the calls `when` it matters."""

    id: str
    versions: range
    when: Predicate
    readings: tuple[Reading, ...] = ()

    def either(self, *readings: Reading) -> OpenPoint:
        """The open point with the ways to read it."""
        return replace(self, readings=readings)


OpenPoints: TypeAlias = Mapping[str, Sequence[OpenPoint]]
"""The open points of operators, by name without version."""
ALWAYS = range(1_000)
"""All versions."""


def as_computed(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    """The answer of the reference, which follows this reading."""
    return reference(arguments, declared_outputs)


def broken(clause: str) -> Answering:
    """The answer that the call breaks a clause."""

    def answer(*_: object) -> tuple[Tensor, ...]:
        raise BrokenClauseError(clause, "so one reading of the page says")

    return answer


def left_out(clause: str) -> Reading:
    """A required attribute without entries breaks the clause that a missing one breaks."""
    return Reading(
        "left-out",
        "An attribute without entries says as much as one that is left out, and it is required.",
        broken(clause),
    )


def instead(change: Callable[[Arguments], Mapping[str, Tensor | Attribute | None]]) -> Answering:
    """The answer to the same call with other arguments; None leaves one out."""

    def answer(reference: Reference, arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
        changed = {**arguments, **change(arguments)}
        return reference({name: value for name, value in changed.items() if value is not None}, declared_outputs)

    return answer


def read_flat(name: str) -> Answering:
    """The answer to the call with the numbers of an argument, in order, as a list."""
    return instead(lambda given: {name: with_numbers(given[name], whole_numbers(given, name))})


def whole_numbers(arguments: Arguments, name: str) -> list[int]:
    """The whole numbers of an argument in order, whether it is an input or an attribute; empty if it has none."""
    given = arguments.get(name)
    if isinstance(given, Tensor):
        return unpack_integers(given) if given.dtype in INTEGERS else []
    items = given if isinstance(given, (list, tuple)) else [given]
    return [int(item) for item in items if isinstance(item, int) and not isinstance(item, bool)]


def with_numbers(given: Tensor | Attribute | None, numbers: Sequence[int]) -> Tensor | Attribute:
    """A list of whole numbers in the role of the argument that it replaces."""
    return pack_integers(list(numbers), given.dtype, (len(numbers),)) if isinstance(given, Tensor) else list(numbers)


def shape_of(arguments: Arguments, name: str) -> tuple[int, ...]:
    """The shape of an input; empty if it is missing."""
    given = arguments.get(name)
    return given.shape if isinstance(given, Tensor) else ()


def axis_of(arguments: Arguments) -> int:
    """The axis as it is given; 0 if it is missing."""
    return (whole_numbers(arguments, "axis") or [0])[0]


def length_of_axis(arguments: Arguments, data: str) -> int:
    """The length of the axis of an input; 0 if the axis addresses no dim."""
    shape, axis = shape_of(arguments, data), axis_of(arguments)
    return shape[axis] if -len(shape) <= axis < len(shape) else 0


def rank_of(arguments: Arguments, name: str) -> int | None:
    """The rank of an input; None if it is missing."""
    given = arguments.get(name)
    return len(given.shape) if isinstance(given, Tensor) else None


def is_empty_list(arguments: Arguments, name: str) -> bool:
    """Whether an argument is given as a list without entries."""
    given = arguments.get(name)
    return given.shape == (0,) if isinstance(given, Tensor) else isinstance(given, (list, tuple)) and not given


# No page says whether an operator that moves data may change the payload of a NaN.


def with_nan_payloads(case: Case, outputs: MovedData) -> MovedData | Disputed:
    """What is expected of a call whose page is clear in all else: these outputs, or one of both readings of NaNs."""
    if not any(map(_has_nans, case.data_inputs.values())):
        return outputs
    kept = Interpretation(
        name="payload-kept",
        reason="The operator only moves data, and sign and payload of a NaN are part of it.",
        expectation=outputs,
    )
    free = Interpretation(
        name="payload-free",
        reason="The page does not mention bits, and IEEE 754 lets an operation change the payload of a NaN.",
        expectation=outputs,
        nan_payloads_may_differ=True,
    )
    return Disputed((kept, free))


def _has_nans(data: Value) -> bool:
    return DTYPES[data.dtype].kind in (Kind.FLOAT, Kind.COMPLEX) and data.fill is Fill.SPECIAL
