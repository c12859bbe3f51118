"""Where misplaced elements come from: fits outputs of the right type whose elements all stand in the data.

The data must have distinct elements, or a place would have several origins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.judging.hypotheses.step_evidence import StepEvidence, bits_of_each
from conformance.language.case import Elements
from conformance.values.tensor import Tensor
from conformance.values.text import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEARCHED_BYTES = 64 << 20


def duplicated(evidence: StepEvidence) -> str | None:
    """Some places hold an element that is due at another place of the same output, and others are missing."""
    found = _misplaced(evidence)
    if found is None:
        return None
    index, due, came = found
    expected, actual = set(due.tolist()), set(came.tolist())
    if not actual < expected:
        return None
    missing = counted(len(expected - actual), "element")
    return f"output {index}: {missing} missing, others repeated; {_first_place(due, came)}"


def shifted(evidence: StepEvidence) -> str | None:
    """Every place holds the element that is a fixed number of elements away from the right one in the data."""
    found = _misplaced(evidence)
    if found is None:
        return None
    index, due, came = found
    distances = set((came - due)[came != due].tolist())
    if len(distances) != 1 or int((came != due).sum()) < 2:
        return None
    (distance,) = distances
    where = "later" if distance > 0 else "earlier"
    moved = counted(abs(distance), "element")
    return f"output {index}: {moved} {where} in the data than expected; {_first_place(due, came)}"


def misplaced(evidence: StepEvidence) -> str | None:
    """The outputs hold elements of the data, at wrong places."""
    found = _misplaced(evidence)
    if found is None:
        return None
    index, due, came = found
    moved = counted(int((came != due).sum()), "element")
    return f"output {index}: {moved} of {due.size} from elsewhere in the data; {_first_place(due, came)}"


def _misplaced(evidence: StepEvidence) -> tuple[int, NDArray[Any], NDArray[Any]] | None:
    """The first wrong output, and the numbers of its elements in the data: the expected and the actual ones."""
    if not isinstance(evidence.step.expectation, Elements) or not evidence.has_same_shapes:
        return None
    number_of = _numbers(evidence)
    if number_of is None:
        return None
    first = None
    for index, want, have in evidence.unequal:
        due, came = (_found(tensor, number_of) for tensor in (want, have))
        if due is None or came is None:
            return None
        first = first or (index, due, came)
    return first


def _numbers(evidence: StepEvidence) -> dict[bytes, int] | None:
    """The number of each element of the data by its bits; None if two are alike or the data is large."""
    data = [value.tensor() for value in evidence.step.data_inputs.values()]
    if sum(len(tensor.data) for tensor in data) > _SEARCHED_BYTES:
        return None
    elements = [element for tensor in data for element in bits_of_each(tensor)]
    number_of = {element: number for number, element in enumerate(elements)}
    return number_of if len(number_of) == len(elements) else None


def _found(tensor: Tensor, number_of: dict[bytes, int]) -> NDArray[Any] | None:
    import numpy as np

    numbers = [number_of.get(element, -1) for element in bits_of_each(tensor)]
    return None if -1 in numbers else np.array(numbers, np.int64)


def _first_place(due: NDArray[Any], came: NDArray[Any]) -> str:
    """The first wrong place, with the numbers of the expected and the actual element."""
    place = int((due != came).argmax())
    return f"place {place} holds element {came[place]} of the data, expected element {due[place]}"
