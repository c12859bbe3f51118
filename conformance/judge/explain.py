"""Names the fault behind wrong outputs, in the terms of the operator, by trying hypotheses in turn."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.judge import hypotheses
from conformance.judge.hypotheses import (
    StepEvidence,
    StepOutputs,
    are_equal,
    bits_of,
    cut,
    differing_indices,
    elements_of,
    lengths_along,
)
from conformance.spec.case import Case, Parts
from conformance.tensors.tensor import Tensor, has_unread
from conformance.tensors.text import counted, index_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Faults in where the data is cut: each fits only if the outputs are parts of the data, bit for bit.

_SEARCHED_BYTES = 256 << 20


def empty_outputs_dropped(evidence: StepEvidence) -> str | None:
    """The outputs without elements are missing; all others are correct."""
    want, have = evidence.expected, evidence.actual
    if len(want) == len(have) or not are_equal([tensor for tensor in want if tensor.size], have):
        return None
    return f"{len(want)} outputs expected, {len(have)} returned: the empty ones are missing"


def swapped(evidence: StepEvidence) -> str | None:
    """The outputs are correct, but in another order."""
    places: dict[object, deque[int]] = {}
    for index, want in enumerate(evidence.expected):
        places.setdefault((want.dtype, want.shape, bits_of(want)), deque()).append(index)
    order = []
    for have in evidence.actual:
        found = places.get((have.dtype, have.shape, bits_of(have)))
        if not found:
            return None
        order.append(found.popleft())
    if len(order) != len(evidence.expected):
        return None
    shown = ", ".join(map(str, order[:16])) + (", ..." if len(order) > 16 else "")
    return f"the outputs are in the order [{shown}]"


def remainder_spread(evidence: StepEvidence) -> str | None:
    """The first parts have one element more instead of a shorter last part.

    If the last part should be shorter by two, this fault moves only the last boundary by one. A boundary that is one
    early looks the same; this fault is the likelier one.
    """
    lengths, expected = _lengths_cut(evidence), _expected_lengths(evidence)
    if lengths is None or expected is None:
        return None
    total, count = sum(expected), len(expected)
    share = -(-total // count)
    is_uneven = total % count and expected == [*[share] * (count - 1), total - share * (count - 1)]
    spread = [total // count + (index < total % count) for index in range(count)]
    return _cut_at(evidence, lengths, expected) if is_uneven and lengths == spread else None


def boundary_off_by_one(evidence: StepEvidence) -> str | None:
    """The outputs follow each other in the data, and no boundary is more than one element off."""
    if _has_gaps(evidence):
        return _bounds_one_off(evidence)
    lengths, expected = _lengths_cut(evidence), _expected_lengths(evidence)
    if lengths is None or expected is None:
        return None
    places = zip(accumulate(lengths), accumulate(expected), strict=True)
    return _cut_at(evidence, lengths, expected) if max(abs(a - b) for a, b in places) == 1 else None


def cut_elsewhere(evidence: StepEvidence) -> str | None:
    """The outputs follow each other in the data, with other boundaries."""
    lengths, expected = _lengths_cut(evidence), _expected_lengths(evidence)
    return None if lengths is None or expected is None else _cut_at(evidence, lengths, expected)


def starts_one_off(evidence: StepEvidence) -> str | None:
    """All differing outputs start one early, or all start one late."""
    return _all_start_one_off(evidence) or _joined_one_off(evidence)


def starts_elsewhere(evidence: StepEvidence) -> str | None:
    """Each differing output is elsewhere in the data, in exactly one place: several places would prove nothing."""
    whole, starts = _rows_of_source(evidence), _starts(evidence)
    if whole is None or starts is None or len(evidence.unequal) * whole.nbytes > _SEARCHED_BYTES:
        return None
    first = ""
    for index, _, have in evidence.unequal:
        found = _places_in(whole, _rows(have, evidence.axis or 0))
        if len(found) != 1:
            return None
        first = first or _starts_at(evidence, index, found[0], starts[index])
    return first


def wrong_axis(evidence: StepEvidence) -> str | None:
    """The outputs follow each other in the data along another axis."""
    axis, source = evidence.axis, evidence.source
    if axis is None or source is None or len(evidence.expected) != len(evidence.actual):
        return None
    for other in range(len(source.shape)):
        lengths = lengths_along(other, source.shape, evidence.actual)
        if other == axis or lengths is None or sum(lengths) > source.shape[other]:
            continue
        if are_equal(cut(source, other, lengths), evidence.actual):
            return f"the data was split along axis {other}, expected axis {axis}"
    return None


def _has_gaps(evidence: StepEvidence) -> bool:
    """Whether outputs are left out, so that the remaining ones do not follow each other in the data."""
    expectation = evidence.step.expectation
    return isinstance(expectation, Parts) and any(
        stop != start for (_, stop), (start, _) in pairwise([(0, 0), *expectation.bounds])
    )


def _bounds_one_off(evidence: StepEvidence) -> str | None:
    """Each output is a part of the data that starts and ends at most one element off."""
    axis, source, expectation = evidence.axis, evidence.source, evidence.step.expectation
    if axis is None or source is None or not isinstance(expectation, Parts):
        return None
    lengths, sentence = lengths_along(axis, source.shape, evidence.actual), ""
    if lengths is None or len(lengths) != len(expectation.bounds):
        return None
    whole = _rows(source, axis)
    for index, ((start, stop), have) in enumerate(zip(expectation.bounds, evidence.actual, strict=True)):
        rows = _rows(have, axis)
        near = [at for at in (start, start - 1, start + 1) if abs(at + lengths[index] - stop) <= 1]
        found = next((at for at in near if _is_at(whole, at, rows)), None)
        if found is None:
            return None
        if (found, found + lengths[index]) != (start, stop):
            bounds = f"[{found}, {found + lengths[index]}] of the data, expected [{start}, {stop}]"
            sentence = sentence or f"output {index} holds, along axis {axis}, {bounds}"
    return sentence or None


def _lengths_cut(evidence: StepEvidence) -> list[int] | None:
    """The lengths of the parts along the correct axis; None if the outputs are not consecutive parts."""
    axis, source = evidence.axis, evidence.source
    if axis is None or source is None or len(evidence.expected) != len(evidence.actual):
        return None
    lengths = lengths_along(axis, source.shape, evidence.actual)
    if lengths is None or sum(lengths) > source.shape[axis]:
        return None
    return lengths if are_equal(cut(source, axis, lengths), evidence.actual) else None


def _expected_lengths(evidence: StepEvidence) -> list[int] | None:
    axis, source = evidence.axis, evidence.source
    return None if axis is None or source is None else lengths_along(axis, source.shape, evidence.expected)


def _cut_at(evidence: StepEvidence, lengths: list[int], expected: list[int]) -> str:
    bounds = [[0, *accumulate(item)] for item in (lengths, expected)]
    return f"along axis {evidence.axis} the data was split at {bounds[0]}, expected {bounds[1]}"


def _all_start_one_off(evidence: StepEvidence) -> str | None:
    whole, starts = _rows_of_source(evidence), _starts(evidence)
    if whole is None or starts is None:
        return None
    for step in (-1, 1):
        if all(
            _is_at(whole, starts[index] + step, _rows(have, evidence.axis or 0)) for index, _, have in evidence.unequal
        ):
            index = evidence.unequal[0][0]
            return _starts_at(evidence, index, starts[index] + step, starts[index])
    return None


def _joined_one_off(evidence: StepEvidence) -> str | None:
    """In an output that is all of the data, several elements, or the end, are shifted by one."""
    import numpy as np

    whole = _rows_of_source(evidence)
    if whole is None or len(evidence.actual) != 1 or len(whole) != evidence.expected[0].shape[evidence.axis or 0]:
        return None
    have = _rows(evidence.actual[0], evidence.axis or 0)
    differing = np.flatnonzero((have != whole).any(axis=1))
    first, last = int(differing[0]), int(differing[-1])
    if first == last != len(whole) - 1:
        return None
    for step in (-1, 1):
        if _is_at(whole, first + step, have[first : last + 1]):
            place = f"from {first} to {last} along axis {evidence.axis}"
            return f"{place} the output holds the elements one place {_side(step)}"
    return None


def _side(step: int) -> str:
    return "earlier" if step < 0 else "later"


def _starts_at(evidence: StepEvidence, index: int, actual: int, expected: int) -> str:
    return f"output {index} starts at {actual} along axis {evidence.axis}, expected {expected}"


def _starts(evidence: StepEvidence) -> list[int] | None:
    """The correct start of each output along the axis, if the shapes are correct and the outputs follow each other."""
    lengths = _expected_lengths(evidence)
    return [0, *accumulate(lengths)] if lengths is not None and evidence.has_same_shapes else None


def _rows_of_source(evidence: StepEvidence) -> NDArray[Any] | None:
    """The data's rows, if the shapes are correct and the data is small enough to copy."""
    source, axis = evidence.source, evidence.axis
    if source is None or axis is None or not evidence.has_same_shapes or len(source.data) > _SEARCHED_BYTES:
        return None
    return _rows(source, axis)


def _rows(tensor: Tensor, axis: int) -> NDArray[Any]:
    """For each place along the axis the elements there, in one row."""
    elements = elements_of(tensor)
    before, after = math.prod(tensor.shape[:axis]), math.prod(tensor.shape[axis + 1 :])
    length, width = tensor.shape[axis], elements.shape[1]
    table = elements.reshape(before, length, after * width).swapaxes(0, 1)
    return table.reshape(length, before * after * width)


def _is_at(whole: NDArray[Any], start: int, rows: NDArray[Any]) -> bool:
    if whole.shape[1] != rows.shape[1]:  # the output has another type
        return False
    return 0 <= start <= len(whole) - len(rows) and bool((whole[start : start + len(rows)] == rows).all())


def _places_in(whole: NDArray[Any], rows: NDArray[Any]) -> list[int]:
    """The first two places of these rows in the data."""
    import numpy as np

    found: list[int] = []
    for start in np.flatnonzero((whole == rows[0]).all(axis=1)).tolist():
        if _is_at(whole, start, rows):
            found.append(start)
        if len(found) == 2:
            break
    return found


# A fault that shows in several steps of a check is one fault: a hypothesis that fits all wrong steps names the cause,
# simpler ones first. Only then do hypotheses about other steps count. If none fits, the cause describes the outputs.

_MAX_OUTPUTS_SHOWN = 8

Explanation = tuple[str, str]

_NAN_QUIETED, _NAN_CHANGED = "NaN quieted", "NaN payload changed"

_HYPOTHESES: tuple[tuple[str, Callable[[StepEvidence], str | None]], ...] = (
    ("empty output dropped", empty_outputs_dropped),
    ("remainder spread over the first parts", remainder_spread),
    ("boundary off by one", boundary_off_by_one),
    (_NAN_QUIETED, hypotheses.nans_quieted),
    ("-0.0 lost", hypotheses.negative_zeros_lost),
    ("subnormals flushed to zero", hypotheses.subnormals_flushed),
    ("truncated to 32 bits", hypotheses.narrowed),
    ("boundary off by one", starts_one_off),
    ("outputs swapped", swapped),
    ("split at other places", cut_elsewhere),
    ("wrong axis", wrong_axis),
    ("split at other places", starts_elsewhere),
    (_NAN_CHANGED, hypotheses.nans_changed),
    ("stale values of an earlier call", hypotheses.stale),
    ("overwritten by a later call", hypotheses.overwritten),
    ("elements shifted", hypotheses.shifted),
    ("elements duplicated", hypotheses.duplicated),
    ("elements misplaced", hypotheses.misplaced),
)


def explain(steps: Sequence[Case], runs: Sequence[StepOutputs]) -> Explanation:
    """A short cause for grouping, and a sentence about this check.

    `runs` are the outputs of each of the `steps`; at least one output differs.
    """
    wrong = [item for item in (StepEvidence(steps, runs, number) for number in range(len(steps))) if item.is_wrong]
    if not wrong:
        raise ValueError("no output differs")
    if has_unread(runs):
        cause, sentence = _looks(next(item for item in wrong if not item.has_same_shapes))
    else:
        cause, sentence = _common_cause(wrong) or _common_cause(wrong[:1]) or _looks(wrong[0])
    return cause, sentence if len(steps) == 1 else f"call {wrong[0].number + 1} of {len(steps)}: {sentence}"


def _common_cause(wrong: Sequence[StepEvidence]) -> Explanation | None:
    """The first hypothesis that fits every one of these steps, with its sentence about the first."""
    for cause, hypothesis in _HYPOTHESES:
        sentence = hypothesis(wrong[0])
        if sentence is not None and all(hypothesis(other) is not None for other in wrong[1:]):
            return cause, sentence
    return None


def _looks(evidence: StepEvidence) -> Explanation:
    """Describes outputs that no hypothesis explains: their number, type, shape, or hypotheses."""
    want, have = evidence.expected, evidence.actual
    if len(want) != len(have):
        return "wrong number of outputs", f"{len(want)} outputs expected, {len(have)} returned"
    for index, due, came in evidence.unequal:
        if due.dtype != came.dtype:
            return f"{due.dtype} became {came.dtype}", f"output {index} has the type {came.dtype}, expected {due.dtype}"
    for index, due, came in evidence.unequal:
        if due.shape != came.shape:
            return "wrong shape", f"output {index} has the shape {came.shape}, expected {due.shape}"
    return "other values", _differing(evidence)


def _differing(evidence: StepEvidence) -> str:
    parts = []
    for index, want, have in evidence.unequal[:_MAX_OUTPUTS_SHOWN]:
        indices = differing_indices(want, have)
        first = index_text(indices[0], want.shape)
        parts.append(f"output {index}: {len(indices)} of {counted(want.size, 'element')} differ, the first at {first}")
    more = len(evidence.unequal) - len(parts)
    return "; ".join(parts) + (f"; and {more} more outputs" if more else "")
