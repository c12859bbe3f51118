"""A call of PyTorch as data: the name of a function and its arguments. The adapter runs it, and a script writes it out.

Imports no framework, so that scripts can be written without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.adapter import Input, NotExpressible

_MAX_RANK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAt:
    """An argument: one of the tensors of the call."""

    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AllTensors:
    """An argument: a tuple of all tensors of the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brackets:
    """An argument: what stands in brackets behind a tensor. An item is a slice, an ellipsis or a `TensorAt`."""

    items: tuple[object, ...]

    @classmethod
    def along(cls, items: Mapping[int, object]) -> Brackets:
        """Brackets with these items for some axes, all counted from the same end, and the whole of each other dim.

        Raises:
            NotExpressible: the axes are counted from both ends, or PyTorch has no tensors of such a rank.
        """
        if not items:
            return cls(items=())
        first, last = min(items), max(items)
        if first < 0 <= last:
            raise NotExpressible("an index in brackets counts its axes from one end")
        if not -_MAX_RANK <= first <= last < _MAX_RANK:
            raise NotExpressible(f"an index in brackets has no place for an axis beyond {_MAX_RANK} dims")
        axes = range(last + 1) if first >= 0 else range(first, 0)
        found = tuple(items.get(axis, slice(None)) for axis in axes)
        return cls(items=found if first >= 0 else (..., *found))


@dataclass(frozen=True, slots=True, kw_only=True)
class FromLength:
    """An argument that the adapter computes from the length of the first tensor along an axis.

    PyTorch is asked for the length, and itself rejects an axis that the tensor does not have.
    """

    axis: object
    compute: Callable[[int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FromRank:
    """An argument that the adapter computes from the rank of the first tensor."""

    compute: Callable[[int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FromShape:
    """An argument that the adapter computes from the shape of the first tensor."""

    compute: Callable[[Sequence[int]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """One call of one function of PyTorch, whose result are the outputs of an operator.

    `operator` is one word for readers, such as `split`. `function` is a name in the module `torch`, such as
    `split` or `Tensor.__getitem__`. An argument is one
    of the classes above, or a Python value that PyTorch gets as it is. `makes_list` is whether the function returns
    several tensors. `require` takes the shapes of the tensors and raises `NotExpressible` for those that PyTorch
    accepts and the operator forbids. `lowered` is as in `Prepared.lowered`.
    """

    operator: str
    function: str
    tensors: tuple[Input, ...]
    arguments: tuple[object, ...]
    makes_list: bool = False
    require: Callable[[Sequence[tuple[int, ...]]], None] | None = None
    lowered: str = ""

    @property
    def has_unknown_dims(self) -> bool:
        """Whether the shape of a tensor may change, which a compiler must know."""
        return any(map(has_unknown_dims, self.tensors))


def has_unknown_dims(tensor: Input) -> bool:
    """Whether the shape of the tensor may change."""
    return tensor.dims is None or None in tensor.dims
