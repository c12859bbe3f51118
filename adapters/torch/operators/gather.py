"""Gather, as `torch.index_select`, or as an index in brackets if the indices are no vector or count from the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.adapter import Call, Input, NotExpressible
from conformance.tensors.dtypes import DTYPES, Category
from conformance.tensors.tensor import unpack_integers

from .arguments import (
    ALL,
    ALL_BUT_BFLOAT16,
    attribute,
    python_value,
    refuse_other_types,
    refuse_surplus,
    refuse_truth_values,
)
from .expression import Brackets, Expression, TensorAt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    types: frozenset[str] | None = None
    counts_from_end: bool = False
    has_zeros_outside: bool = False


_VERSIONS: Mapping[str, _Version] = {
    "onnx.Gather-1": _Version(types=ALL_BUT_BFLOAT16),
    "onnx.Gather-11": _Version(types=ALL_BUT_BFLOAT16, counts_from_end=True),
    "onnx.Gather-13": _Version(types=ALL, counts_from_end=True),
    "openvino.Gather-1": _Version(),
    "openvino.Gather-7": _Version(),
    "openvino.Gather-8": _Version(counts_from_end=True, has_zeros_outside=True),
}


def gather(call: Call) -> Expression:
    """A call of `torch.index_select` with a vector of indices, or an index in brackets.

    Raises:
        NotExpressible: PyTorch has no place for an argument, or accepts what the operator forbids.
    """
    version = _VERSIONS.get(call.operator)
    if version is None:
        raise NotExpressible(f"the adapter has no mapping of {call.operator} to PyTorch")
    data, indices = _tensors(call, version)
    if indices.constant is None and not version.counts_from_end:
        raise NotExpressible("PyTorch counts some indices from the end, and these are unknown before the call runs")
    if indices.constant is None and version.has_zeros_outside:
        raise NotExpressible("PyTorch refuses an index beyond the axis, and these are unknown before the call runs")
    axis = call.attributes.get("axis", 0) if call.dialect == "onnx" else _axis_input(call)
    numbers = _numbers(indices)
    is_vector = indices.dims is not None and len(indices.dims) == 1
    may_be_below_0 = indices.constant is None or any(number < 0 for number in numbers)
    is_select = is_vector and not (version.counts_from_end and may_be_below_0)
    arguments = (axis, TensorAt(position=1)) if is_select else (_in_brackets(indices, axis),)
    return Expression(
        operator="gather",
        function="index_select" if is_select else "Tensor.__getitem__",
        tensors=(data, indices),
        arguments=(TensorAt(position=0), *arguments),
        require=_require(numbers, axis, version, is_vector=is_vector),
    )


def _tensors(call: Call, version: _Version) -> tuple[Input, Input]:
    """The data and the indices."""
    is_onnx = call.dialect == "onnx"
    inputs = ("data", "indices") if is_onnx else ("data", "indices", "axis")
    refuse_surplus(call, "index_select", inputs=inputs, attributes=("axis",) if is_onnx else ("batch_dims",))
    if attribute(call, "batch_dims") not in (None, 0):
        raise NotExpressible("torch.index_select has no batches")
    data, indices = call.input("data"), call.input("indices")
    if data is None or indices is None:
        raise NotExpressible("torch.index_select has no call without data or without indices")
    if version.types is not None:
        refuse_other_types(call, [data], version.types)
    is_integer = DTYPES[indices.dtype].category in (Category.SIGNED, Category.UNSIGNED)
    if not is_onnx and is_integer and indices.dtype not in ("int32", "int64"):
        raise NotExpressible(f"torch.index_select takes indices of int32 and int64 alone, not of {indices.dtype}")
    return data, indices


def _axis_input(call: Call) -> object:
    given = call.input("axis")
    if given is None:
        raise NotExpressible("torch.index_select has no call without an axis")
    if given.constant is None:
        raise NotExpressible("torch.index_select takes the axis as a Python number, which is a constant")
    refuse_truth_values(given)
    axis = python_value(given)
    return axis[0] if isinstance(axis, list) and len(axis) == 1 else axis


def _numbers(indices: Input) -> list[int]:
    """The indices, as far as they are known before the call runs."""
    if indices.constant is None or DTYPES[indices.dtype].category not in (Category.SIGNED, Category.UNSIGNED):
        return []
    return unpack_integers(indices.constant)


def _in_brackets(indices: Input, axis: object) -> Brackets:
    if not isinstance(axis, int):
        raise NotExpressible(f"an index in brackets has no place for the axis {axis!r}")
    if indices.dtype not in ("int32", "int64"):
        raise NotExpressible(f"PyTorch takes indices of {indices.dtype} in brackets for something else, or not at all")
    return Brackets.along({axis: TensorAt(position=1)})


def _require(
    numbers: Sequence[int], axis: object, version: _Version, *, is_vector: bool
) -> Callable[[Sequence[tuple[int, ...]]], None]:
    def require(shapes: Sequence[tuple[int, ...]]) -> None:
        """Raises `NotExpressible` for what PyTorch accepts, and for zeros that it does not promise."""
        data = shapes[0]
        if not data and is_vector:
            raise NotExpressible("torch.index_select takes a scalar for a vector of one element")
        if not version.counts_from_end and not is_vector and any(number < 0 for number in numbers):
            raise NotExpressible("an index below 0 in brackets counts from the end, and the operator has none")
        if version.has_zeros_outside and type(axis) is int and -len(data) <= axis < len(data):
            length = data[axis]
            if not all(-length <= number < length for number in numbers):
                raise NotExpressible("PyTorch refuses an index beyond the axis, where the operator has zeros")

    return require
