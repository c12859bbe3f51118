"""Faults in what a step keeps of an earlier one, or does to its outputs.

Elements prove them: several elements, not all equal, that belong to the other step. An answer with few elements, or
with elements that the step's own data would also give, proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from conformance.judging.hypotheses.step_evidence import StepEvidence, are_equal, elements_of
from conformance.language.case import Case, expected_outputs

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PROVING_ELEMENTS = 2


def stale(evidence: StepEvidence) -> str | None:
    """The answer is the correct one of an earlier step."""
    for number in range(evidence.number):
        if are_equal(evidence.runs[number], evidence.actual) and _holds_what_is_not_due(evidence):
            return f"the answer equals that of call {number + 1}"
    return None


def overwritten(evidence: StepEvidence) -> str | None:
    """Outputs are correct, but later steps wrote over their beginning: over each output, or over all of them as one
    piece.
    """
    if not evidence.has_same_shapes or not evidence.expected:
        return None
    want, have = _elements(evidence.expected), _elements(evidence.actual)
    for first, last, written in _writers(evidence):
        new = [_elements(expected_outputs(step.expectation, step)) for step in written]
        if not all(_fit(want, outputs) for outputs in new):
            continue
        for kept, came, over in ((want, have, new), (_joined(want), _joined(have), [_joined(item) for item in new])):
            if _are_alike(_written_over(kept, over), came) and _proves(_joined(want)[0], _joined(have)[0]):
                named = f"call {first}" if first == last else f"calls {first} to {last}"
                return f"the outputs hold what {named} wrote to the same memory"
    return None


def _writers(evidence: StepEvidence) -> Iterator[tuple[int, int, Sequence[Case]]]:
    """Later steps that may have written, one or several in a row: the first and last number, and the steps."""
    for first in range(evidence.number + 1, len(evidence.steps)):
        for last in range(first, len(evidence.steps)):
            yield first + 1, last + 1, evidence.steps[first : last + 1]


def _holds_what_is_not_due(evidence: StepEvidence) -> bool:
    """Whether an answer has enough elements to be recognised, and these are not the step's own."""
    import numpy as np

    have = _joined(_elements(evidence.actual))[0] if evidence.actual else np.empty((0, 1))
    if evidence.has_same_shapes:
        return _proves(_joined(_elements(evidence.expected))[0], have)
    return _differ_among_themselves(have)


def _elements(outputs: Sequence[Any]) -> list[NDArray[Any]]:
    return [elements_of(tensor) for tensor in outputs]


def _joined(outputs: list[NDArray[Any]]) -> list[NDArray[Any]]:
    import numpy as np

    return [np.concatenate(outputs)]


def _fit(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> bool:
    return [(a.dtype, a.shape[1]) for a in one] == [(b.dtype, b.shape[1]) for b in other]


def _written_over(kept: list[NDArray[Any]], steps: Sequence[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    """The memory after each of these steps wrote its outputs to its beginning, as far as they fit."""
    memory = [item.copy() for item in kept]
    for outputs in steps:
        for room, new in zip(memory, outputs, strict=True):
            count = min(len(room), len(new))
            room[:count] = new[:count]
    return memory


def _are_alike(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> bool:
    return all(bool((a == b).all()) for a, b in zip(one, other, strict=True))


def _proves(expected: NDArray[Any], actual: NDArray[Any]) -> bool:
    """Whether the differing elements are more than a single value, which could come from anywhere."""
    return _differ_among_themselves(actual[(expected != actual).any(axis=1)])


def _differ_among_themselves(elements: NDArray[Any]) -> bool:
    return len(elements) >= _PROVING_ELEMENTS and bool((elements != elements[0]).any())
