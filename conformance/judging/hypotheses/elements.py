"""Where misplaced elements come from: fits outputs of the right type whose elements all stand in the data.

The data must have distinct elements, or a place would have several origins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from conformance.judging.hypotheses.step_evidence import StepEvidence, bits_of_each
from conformance.language.case import Elements, Lawful
from conformance.values.tensor import element_count
from conformance.values.text import counted, index_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEARCHED_BYTES = 64 << 20


def duplicated(evidence: StepEvidence) -> str | None:
    """Some places hold an element that is due at another place of the same output, and others are missing."""

    def told(due: NDArray[Any], came: NDArray[Any]) -> str | None:
        expected, actual = set(due.tolist()), set(came.tolist())
        return f"{counted(len(expected - actual), 'element')} missing, others repeated" if actual < expected else None

    return _of_first(evidence, told)


def shifted(evidence: StepEvidence) -> str | None:
    """Every place holds the element that is a fixed number of elements away from the right one in the data."""

    def told(due: NDArray[Any], came: NDArray[Any]) -> str | None:
        away = (came - due)[came != due]
        if len(away) < 2 or (away != away[0]).any():
            return None
        where = "later" if away[0] > 0 else "earlier"
        return f"{counted(abs(int(away[0])), 'element')} {where} in the data than expected"

    return _of_first(evidence, told)


def misplaced(evidence: StepEvidence) -> str | None:
    """The outputs hold elements of the data, at wrong places."""

    def told(due: NDArray[Any], came: NDArray[Any]) -> str:
        return f"{counted(int((came != due).sum()), 'element')} of {due.size} from elsewhere in the data"

    return _of_first(evidence, told)


def _of_first(evidence: StepEvidence, told: Callable[[NDArray[Any], NDArray[Any]], str | None]) -> str | None:
    """What `told` says of the first wrong output; it gets the numbers of the expected and of the actual elements.

    None if the data lacks an element of any wrong output.
    """
    import numpy as np

    number_of = _numbers(evidence)
    if number_of is None:
        return None
    found = [
        np.array([[number_of.get(bits, -1) for bits in bits_of_each(tensor)] for tensor in (want, have)])
        for _, want, have in evidence.unequal
    ]
    if any(numbers.min() < 0 for numbers in found):
        return None
    due, came = found[0]
    sentence, place = told(due, came), int((due != came).argmax())
    output, want, _ = evidence.unequal[0]
    right, wrong = (_name_of(evidence, int(numbers[place])) for numbers in (due, came))
    where = f"element {index_text(place, want.shape)} should be {right}, is {wrong}"
    return None if sentence is None else f"output {output}: {sentence}; {where}"


def _name_of(evidence: StepEvidence, number: int) -> str:
    """The element with this number through all data inputs, in the words of the law: `data[1, 2]`."""
    for name, value in evidence.step.data_inputs.items():
        count = element_count(value.shape)
        if number < count:
            return f"{name}{index_text(number, value.shape)}"
        number -= count
    raise AssertionError("every number is of an element of the data")


def _numbers(evidence: StepEvidence) -> dict[bytes, int] | None:
    """The number of each element of the data by its bits; None if two are alike, the data is large, or it is cut."""
    if not isinstance(evidence.step.expectation, Elements | Lawful) or not evidence.has_same_shapes:
        return None
    data = [value.tensor() for value in evidence.step.data_inputs.values()]
    if sum(len(tensor.data) for tensor in data) > _SEARCHED_BYTES:
        return None
    elements = [element for tensor in data for element in bits_of_each(tensor)]
    number_of = {element: number for number, element in enumerate(elements)}
    return number_of if len(number_of) == len(elements) else None
