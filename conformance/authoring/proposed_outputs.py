"""The outputs of a call as the reference computes them, in the words of a case file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.language.case import Case, call_arguments
from conformance.language.elements import row_major_strides
from conformance.language.reference import OPERATORS, evaluate
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.tensor import Tensor, array_from_tensor, tensor_from_array

_MOST_ELEMENTS = 1024
"""More numbers than these are too many to compare with the page."""
_MOST_NUMBERS = 24
"""Larger outputs are written as blocks, not element by element."""
_CONSTANTS = {Kind.BOOL: "false", Kind.STRING: '""'}
"""How a type's zero is written if not as 0."""


def proposed_outputs(case: Case) -> str:
    """Parts of the data, as `0:2,2:6`, or for each output which element of the data stands at each place.

    The text is empty if the operator has no reference, or if the elements of data or outputs are too many to number.

    Raises:
        BrokenClauseError: the reference rejects the call.
    """
    if case.operator.id not in OPERATORS:
        return ""
    computed = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    if case.operator.splits:
        assert case.split_dim is not None
        return ",".join(parts_along(case.split_dim, computed)) or "[]"
    sizes = [*(math.prod(data.shape) for data in case.data_inputs.values()), *(tensor.size for tensor in computed)]
    if sum(sizes) > _MOST_ELEMENTS:
        return ""
    assert case.data is not None
    constant = _CONSTANTS.get(DTYPES[case.data.dtype].kind, "0")
    return f"[{', '.join(_arrangement(numbers, constant) for numbers in _numbers(case))}]"


def parts_along(axis: int, outputs: Iterable[Tensor]) -> list[str]:
    """The outputs of an operator that cuts data along an axis, as parts of it, such as `0:2`."""
    ends = accumulate((tensor.shape[axis] for tensor in outputs), initial=0)
    return [f"{start}:{stop}" for start, stop in pairwise(ends)]


def _numbers(case: Case) -> list[NDArray[Any]]:
    """For each output, the number of the element at each place; -1 for a constant."""
    dtype = "int64" if "int64" in case.operator.data_dtypes else "float64"
    data, start = {}, 1  # so that the 0 of a constant is not the number of an element
    for name, value in case.data_inputs.items():
        size = math.prod(value.shape)
        data[name] = tensor_from_array(np.arange(start, start + size, dtype=dtype).reshape(value.shape))
        start += size
    outputs = evaluate(case.operator.id, {**call_arguments(case), **data}, case.declared_outputs)
    return [array_from_tensor(tensor).astype(np.int64) - 1 for tensor in outputs]


def _arrangement(numbers: NDArray[Any], constant: str) -> str:
    """One output as a case file writes it."""
    shape = list(numbers.shape)
    if not numbers.size:
        return f"{{at: [], shape: {shape}}}"
    strides = strides_of(numbers, row_major_strides(numbers.shape))
    if numbers.size > _MOST_NUMBERS and numbers.min() >= 0 and strides is not None:
        return f"{{block: {{start: {numbers.flat[0]}, shape: {shape}, strides: {strides}}}}}"
    return f"{{at: {str(numbers.tolist()).replace('-1', f'{{value: {constant}}}')}}}"


def strides_of(numbers: NDArray[Any], unseen: Sequence[int]) -> list[int] | None:
    """By how much the number grows with a step along each dim; None if that differs.

    `unseen` has the strides of dims of length 1.
    """
    start = numbers.flat[0]
    strides = [
        int(numbers.take(1, axis).flat[0] - start) if dim > 1 else unseen[axis]
        for axis, dim in enumerate(numbers.shape)
    ]
    grown = start + sum(index * stride for index, stride in zip(np.indices(numbers.shape), strides, strict=True))
    return strides if np.array_equal(numbers, grown) else None
