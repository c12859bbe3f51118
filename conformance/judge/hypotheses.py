"""Explanations of a wrong answer: each is the outputs of a backend with one particular fault.

A `StepEvidence` holds what they read. Each rebuilds the outputs, and fits only if they equal the actual ones bit for
bit. These are about changed bits, about misplaced elements, and about the effect of one step on another; those about
where the data was cut are in `cuts`.

Where elements come from is known only if all elements of the data differ. What a step keeps of an earlier one is proved
by several elements, not all equal, that belong to the other step: an answer with few elements, or with elements that
the step's own data would also give, proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.protocol.form import Graph
from conformance.spec.case import Case, Elements, Lawful, expected_outputs
from conformance.tensors.dtypes import Category, FloatLayout, Specials
from conformance.tensors.tensor import (
    Bytes,
    Tensor,
    array_from_tensor,
    element_count,
    has_same_bits,
    mask_unused_bits,
    slices_along,
    unpack_strings,
)
from conformance.tensors.text import counted, index_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


StepOutputs = Sequence[Tensor]


class StepEvidence:
    """Step `number`, counted from 0, and its outputs."""

    def __init__(self, steps: Sequence[Case], runs: Sequence[StepOutputs], number: int) -> None:
        self.steps = steps
        self.runs = runs
        self.number = number
        self.step = steps[number]
        self.actual = runs[number]
        self.expected = expected_outputs(self.step.expectation, self.step)

    @property
    def is_wrong(self) -> bool:
        """Whether the outputs differ from the expected ones."""
        return not are_equal(self.expected, self.actual)

    @cached_property
    def has_same_shapes(self) -> bool:
        """Whether count, dtypes and shapes are correct, so that only bits differ."""
        return [(t.dtype, t.shape) for t in self.expected] == [(t.dtype, t.shape) for t in self.actual]

    @cached_property
    def unequal(self) -> list[tuple[int, Tensor, Tensor]]:
        """Number, expected and actual tensor of each differing output, if the count is correct."""
        pairs = enumerate(zip(self.expected, self.actual, strict=True))
        return [(index, want, have) for index, (want, have) in pairs if not are_equal([want], [have])]

    @property
    def axis(self) -> int | None:
        """The axis that should be split, counted from the front."""
        return self.step.split_dim

    @cached_property
    def source(self) -> Tensor | None:
        """The data as it reaches the operator; None if it cannot be split."""
        axis, data = self.axis, self.step.data
        if axis is None or data is None:
            return None
        whole, lengths = data.tensor(), lengths_along(axis, data.shape, self.expected)
        if lengths is None or sum(lengths) > data.shape[axis]:
            return whole
        passed = (graph.passed_on(whole) for graph in Graph)
        return next((one for one in passed if are_equal(cut(one, axis, lengths), self.expected)), whole)


def are_equal(one: StepOutputs, other: StepOutputs) -> bool:
    """Whether two answers agree in everything, bit for bit."""
    return len(one) == len(other) and all(
        (a.dtype, a.shape) == (b.dtype, b.shape) and has_same_bits(a, b) for a, b in zip(one, other, strict=True)
    )


def bits_of(tensor: Tensor) -> bytes:
    """The meaningful bits of a tensor."""
    return bytes(mask_unused_bits(tensor))


def bits_of_each(tensor: Tensor) -> list[bytes]:
    """The meaningful bits of each element in row-major order."""
    if not tensor.element_type.itemsize:
        return unpack_strings(tensor)
    bits, width = bits_of(tensor), tensor.element_type.itemsize
    return [bits[start : start + width] for start in range(0, len(bits), width)]


def lengths_along(axis: int, shape: tuple[int, ...], outputs: StepOutputs) -> list[int] | None:
    """The outputs' lengths along an axis; None if one is negative, or if another dim is not that of the data."""
    lengths = []
    for tensor in outputs:
        others = tensor.shape[:axis] + tensor.shape[axis + 1 :]
        if len(tensor.shape) != len(shape) or others != shape[:axis] + shape[axis + 1 :] or tensor.shape[axis] < 0:
            return None
        lengths.append(tensor.shape[axis])
    return lengths


def cut(whole: Tensor, axis: int, lengths: Sequence[int]) -> tuple[Tensor, ...]:
    """Parts of these lengths, one after the other from the beginning."""
    return slices_along(whole, axis, pairwise([0, *accumulate(lengths)]))


def elements_of(tensor: Tensor) -> NDArray[Any]:
    """The elements in row-major order, a row of bytes each; a string is a row of one object."""
    import numpy as np

    width = tensor.element_type.itemsize
    if width:
        return np.frombuffer(mask_unused_bits(tensor), np.uint8).reshape(-1, width)
    strings = np.empty((tensor.size, 1), object)
    strings[:, 0] = unpack_strings(tensor)
    return strings


def differing_indices(expected: Tensor, actual: Tensor) -> list[int]:
    """Row-major numbers of the elements whose meaningful bits differ, for tensors of one dtype and shape."""
    import numpy as np

    found: list[int] = np.flatnonzero((elements_of(expected) != elements_of(actual)).any(axis=1)).tolist()
    return found


_NARROWER = {
    "int64": ("int32",),
    "uint64": ("uint32", "int32"),
    "float64": ("float32",),
    "complex128": ("complex64",),
}


def nans_quieted(evidence: StepEvidence) -> str | None:
    """Signalling NaNs became quiet; nothing else changed."""
    total = _differing_in(evidence, lambda want, have: _quieted(want) == bits_of(have))
    became = "a signalling NaN became quiet, with the rest of its payload kept"
    return None if total is None else f"{counted(total, 'element')}: {became}"


def nans_changed(evidence: StepEvidence) -> str | None:
    """NaNs became other NaNs; nothing else changed."""
    total = _differing_in(evidence, only_nan_bits_differ)
    return None if total is None else f"{counted(total, 'element')}: a NaN became another NaN"


def negative_zeros_lost(evidence: StepEvidence) -> str | None:
    """Negative zeros became positive; nothing else changed."""
    total = _patterns_changed_in(evidence, _is_negative_zero, lambda _, after: after == 0)
    return None if total is None else f"{counted(total, 'element')}: a negative zero became positive"


def subnormals_flushed(evidence: StepEvidence) -> str | None:
    """Subnormal numbers became zeros of either sign; nothing else changed."""
    total = _patterns_changed_in(evidence, _is_subnormal, lambda layout, after: after & (layout.sign - 1) == 0)
    return None if total is None else f"{counted(total, 'element')}: a subnormal number became zero"


def narrowed(evidence: StepEvidence) -> str | None:
    """Every differing output equals the expected one after a conversion to a 32-bit type and back."""
    total = _differing_in(
        evidence,
        lambda want, have: any(bits_of(have) == _through(want, other) for other in _NARROWER.get(want.dtype, ())),
    )
    return None if total is None else f"{counted(total, 'element')}: converted to a 32-bit type and back"


def only_nan_bits_differ(expected: Tensor | None, actual: Tensor | None) -> bool:
    """Whether two tensors of one dtype and shape differ only in the payload or sign of NaNs."""
    if expected is None or actual is None or (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
        return False
    layout, want, have = expected.element_type.layout, _float_patterns(expected), _float_patterns(actual)
    return layout is not None and bool(((want == have) | (layout.is_nan(want) & layout.is_nan(have))).all())


def _differing_in(evidence: StepEvidence, fits: Callable[[Tensor, Tensor], bool]) -> int | None:
    """The number of differing elements, if every differing output fits."""
    if not evidence.has_same_shapes or not all(fits(want, have) for _, want, have in evidence.unequal):
        return None
    return sum(len(differing_indices(want, have)) for _, want, have in evidence.unequal)


def _patterns_changed_in(
    evidence: StepEvidence,
    concerns: Callable[[FloatLayout, NDArray[Any]], NDArray[np.bool_]],
    becomes: Callable[[FloatLayout, NDArray[Any]], NDArray[np.bool_]],
) -> int | None:
    """The number of differing bit patterns of floating-point numbers, if all were of one kind and became another."""
    total = 0
    for _, want, have in evidence.unequal if evidence.has_same_shapes else ():
        layout, before, after = want.element_type.layout, _float_patterns(want), _float_patterns(have)
        unequal = before != after
        if layout is None or not (concerns(layout, before) & becomes(layout, after))[unequal].all():
            return None
        total += int(unequal.sum())
    return total or None


def _is_negative_zero(layout: FloatLayout, patterns: NDArray[Any]) -> NDArray[np.bool_]:
    has_it = layout.sign_bits and layout.specials is not Specials.ONE_NAN
    found: NDArray[np.bool_] = patterns == (layout.sign if has_it else -1)
    return found


def _is_subnormal(layout: FloatLayout, patterns: NDArray[Any]) -> NDArray[np.bool_]:
    magnitudes = patterns & (layout.sign - 1)
    found: NDArray[np.bool_] = (magnitudes > 0) & (magnitudes < (1 << layout.mantissa_bits))
    return found & ~layout.is_nan(patterns)


def _through(tensor: Tensor, narrower: str) -> bytes:
    """The bits of a tensor after a conversion to a narrower type and back."""
    import numpy as np

    with np.errstate(all="ignore"):
        return array_from_tensor(tensor).astype(narrower).astype(tensor.dtype).tobytes()


def _float_patterns(tensor: Tensor) -> NDArray[Any]:
    """The elements, or both parts of each complex one, as unsigned integers; none of a tensor without such bits."""
    import numpy as np

    if tensor.element_type.layout is None:
        return np.empty(0, np.uint8)
    width = tensor.element_type.itemsize // (2 if tensor.element_type.category is Category.COMPLEX else 1)
    return np.frombuffer(mask_unused_bits(tensor), np.dtype(f"<u{width}"))


def _quieted(tensor: Tensor) -> Bytes | None:
    """The bits of a tensor with every NaN made quiet; None for a format without signalling NaNs."""
    layout = tensor.element_type.layout
    if layout is None or layout.specials is not Specials.IEEE:
        return None
    made = _float_patterns(tensor).copy()
    made[layout.is_nan(made)] |= made.dtype.type(1 << (layout.mantissa_bits - 1))
    return made.tobytes()


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
