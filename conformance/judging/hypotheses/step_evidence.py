"""One wrong step of a check with all evidence: the expected outputs, the actual ones, and the steps around it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.border.form import Graph
from conformance.language.case import Case, expected_outputs
from conformance.values.tensor import Tensor, has_same_bits, mask_unused_bits, slices_along, unpack_strings

if TYPE_CHECKING:
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
    if not tensor.kind.itemsize:
        return unpack_strings(tensor)
    bits, width = bits_of(tensor), tensor.kind.itemsize
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

    width = tensor.kind.itemsize
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
