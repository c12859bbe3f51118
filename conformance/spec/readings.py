"""All answers of a call: one if its page is clear, several if it leaves the call open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.open_points import cuts as slices
from conformance.spec.open_points import cuts as split
from conformance.spec.open_points import places as concat
from conformance.spec.open_points import places as gather
from conformance.spec.open_points import places as pad
from conformance.spec.open_points import places as scatter_nd
from conformance.spec.open_points import places as transpose
from conformance.spec.open_points import shapes as reshape
from conformance.spec.open_points import shapes as squeeze
from conformance.spec.open_points.point import OpenPoint, OpenPoints, Reading
from conformance.spec.operator import Operator
from conformance.spec.reference import evaluate
from conformance.spec.references.signature import Reference
from conformance.tensors.tensor import Tensor

_OPEN_POINTS: OpenPoints = {
    **concat.CONCAT_POINTS,
    **gather.GATHER_POINTS,
    **pad.PAD_POINTS,
    **reshape.RESHAPE_POINTS,
    **scatter_nd.SCATTER_POINTS,
    **slices.SLICE_POINTS,
    **split.SPLIT_POINTS,
    **squeeze.SQUEEZE_POINTS,
    **transpose.TRANSPOSE_POINTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """What comes of a call under some readings of its page: outputs, or the clause that it breaks.

    Without an open point, the answer has no `readings`.
    """

    readings: tuple[Reading, ...]
    outputs: tuple[Tensor, ...] = ()
    broken_clause: str = ""

    def is_same_as(self, other: CallAnswer) -> bool:
        """Whether the same comes of the call, for whatever reason."""
        return (self.outputs, self.broken_clause) == (other.outputs, other.broken_clause)


def open_points_of(operator: Operator, arguments: Arguments, declared_outputs: int) -> list[OpenPoint]:
    """What the page of an operator version leaves open in a call."""
    return [
        point
        for point in _OPEN_POINTS.get(operator.family, ())
        if operator.version in point.versions and point.when(arguments, declared_outputs)
    ]


def answers_of(operator: Operator, arguments: Arguments, declared_outputs: int) -> list[CallAnswer]:
    """The different answers of a call, under each combination of readings of what its page leaves open.

    Raises:
        KeyError: the operator has no reference.
    """
    points = open_points_of(operator, arguments, declared_outputs)
    found: list[CallAnswer] = []
    for readings in _combinations(points):
        answer = _answer(operator, readings, arguments, declared_outputs)
        if not any(answer.is_same_as(other) for other in found):
            found.append(answer)
    return found


def _combinations(points: Sequence[OpenPoint]) -> Iterator[tuple[Reading, ...]]:
    return product(*(point.readings for point in points))


def _answer(
    operator: Operator, readings: tuple[Reading, ...], arguments: Arguments, declared_outputs: int
) -> CallAnswer:
    compute: Reference = partial(evaluate, operator.id)
    for reading in reversed(readings):
        compute = partial(reading.answer, compute)
    try:
        return CallAnswer(readings=readings, outputs=compute(arguments, declared_outputs))
    except BrokenClauseError as error:
        return CallAnswer(readings=readings, broken_clause=error.clause)
