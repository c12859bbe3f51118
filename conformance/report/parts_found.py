"""Finds in a record where the parts of a tensor should lie in the data, and where the actual parts lie.

This is only the layout of a drawing and affects no verdict. Parts that are not found are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conformance.log.record import CallEntry, CheckRecord, DifferenceEntry, TensorEntry, whole_tensor
from conformance.values.tensor import Tensor, has_same_bits, slices_along, unpack_integers

_MAX_PARTS = 32
_REACH = 64
_LENGTHS = ("split", "split_lengths")


@dataclass(frozen=True, slots=True)
class Part:
    """An output as a range of the data along an axis, `start` and `stop` counted in elements."""

    output: int
    axis: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Cuts:
    """The parts that the spec requires, and where the actual parts lie in the data.

    `not_slices` are outputs that are not a range of the data, `absent` are missing outputs.
    """

    shape: tuple[int, ...]
    axis: int
    expected: tuple[Part, ...]
    actual: tuple[Part, ...]
    not_slices: tuple[int, ...]
    absent: tuple[int, ...]


def cuts_of(record: CheckRecord) -> Cuts | None:
    """The cuts of the first call that differs; None unless a part of at least two elements is misplaced."""
    if record.call is None or not record.differences or not record.call.inputs:
        return None
    run = record.differences[0].run
    differences = {item.output: item for item in record.differences if item.run == run}
    values = record.call.inputs[0].values
    given = whole_tensor(values[min(run, len(values) - 1)]) if values else None
    if given is None or not given.shape:
        return None
    data = record.form.properties.graph.passed_on(given)
    axis = _axis(record.call, len(data.shape))
    expected = _expected(record.call, differences, data.shape, axis)
    if expected is None:
        return None
    if not all(_is_part(differences[part.output], data, part) for part in expected if part.output in differences):
        return None
    found = {
        output: _place(difference.actual, data, expected[output] if output < len(expected) else None, axis)
        for output, difference in differences.items()
        if difference.actual is not None
    }
    came = {part.output: part for part in expected if part.output not in differences}
    came |= {output: Part(output, *place) for output, place in found.items() if place is not None}
    absent = tuple(output for output, difference in differences.items() if difference.actual is None)
    moved = set(came.values()) - set(expected)
    if not absent and all(_elements(part, data.shape) < 2 for part in moved):
        return None  # none moved, or single elements that are equal by coincidence
    not_slices = tuple(output for output, place in found.items() if place is None)
    return Cuts(data.shape, axis, expected, tuple(came[output] for output in sorted(came)), not_slices, absent)


def _elements(part: Part, shape: Sequence[int]) -> int:
    return (part.stop - part.start) * math.prod(dim for axis, dim in enumerate(shape) if axis != part.axis)


def _expected(
    call: CallEntry, differences: Mapping[int, DifferenceEntry], shape: Sequence[int], axis: int
) -> tuple[Part, ...] | None:
    """The parts in the order of the outputs; None if the axis has no room for them."""
    lengths = _lengths(call, shape[axis])
    for output, difference in differences.items():
        wanted = difference.expected
        if wanted is not None and output < len(lengths) and len(wanted.shape) == len(shape):
            lengths[output] = wanted.shape[axis]
    if not 0 < len(lengths) <= _MAX_PARTS or min(lengths) < 0 or sum(lengths) > shape[axis]:
        return None
    stops = list(accumulate(lengths))
    return tuple(
        Part(output, axis, stop - length, stop)
        for output, (stop, length) in enumerate(zip(stops, lengths, strict=True))
    )


def _is_part(difference: DifferenceEntry, data: Tensor, part: Part) -> bool:
    """Whether the expected output is this part of the data, as far as it is recorded."""
    expected = None if difference.expected is None else whole_tensor(difference.expected)
    if expected is None:
        return True
    (due,) = slices_along(data, part.axis, [(part.start, part.stop)])
    is_like = (expected.dtype, expected.shape) == (due.dtype, due.shape)
    return is_like and has_same_bits(expected, due)


def _axis(call: CallEntry, rank: int) -> int:
    """The axis counted from the front; 0 if the call names no valid one."""
    axis = next(iter(_integers(call, "axis")), 0)
    return axis % rank if -rank <= axis < rank else 0


def _lengths(call: CallEntry, length: int) -> list[int]:
    """The length of each output along the axis; if the call has no lengths, all are equal except the last."""
    given = next((list(found) for name in _LENGTHS if (found := _integers(call, name))), [])
    if given:
        rest = length - sum(item for item in given if item != -1)
        return [rest if item == -1 else item for item in given]
    count = max(1, min(call.declared_outputs, _MAX_PARTS + 1))
    step = -(-length // count)
    return [step] * (count - 1) + [length - step * (count - 1)]


def _integers(call: CallEntry, name: str) -> Sequence[int]:
    """An argument as whole numbers; empty if the call does not have it as whole numbers."""
    attribute = call.attributes.get(name)
    if isinstance(attribute, int):
        return (attribute,)
    if isinstance(attribute, list | tuple):
        return [item for item in attribute if isinstance(item, int)]
    value = next((item.values[-1] for item in call.inputs if item.name == name and item.values), None)
    if value is None or value.dtype not in ("int32", "int64"):
        return ()
    tensor = whole_tensor(value)
    return () if tensor is None else unpack_integers(tensor)


def _place(entry: TensorEntry, data: Tensor, wanted: Part | None, axis: int) -> tuple[int, int, int] | None:
    """Axis, start and stop of the range of the data that equals an output, nearest to its required place."""
    output = whole_tensor(entry)
    if output is None or output.dtype != data.dtype or len(output.shape) != len(data.shape):
        return None
    for other in sorted(range(len(data.shape)), key=lambda candidate: candidate != axis):
        length = output.shape[other]
        if _without(output.shape, other) != _without(data.shape, other) or length > data.shape[other]:
            continue
        for start in _nearest(0 if wanted is None else wanted.start, data.shape[other] - length):
            (found,) = slices_along(data, other, [(start, start + length)])
            if has_same_bits(found, output):
                return other, start, start + length
    return None


def _nearest(start: int, last: int) -> Iterator[int]:
    near = range(max(0, min(start, last) - _REACH), min(last, start + _REACH) + 1)
    yield from sorted(near, key=lambda place: abs(place - start))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
