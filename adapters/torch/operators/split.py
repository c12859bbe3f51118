"""Operators that split, as `torch.split` or a similar function."""

from __future__ import annotations

from conformance.adapter import Call

from .expression import Expression, FromLength, TensorAt
from .split_call import split_call
from .split_functions import Function, lengths_or_parts, lowered


def split(call: Call, function: Function) -> Expression:
    """A call of the function that splits.

    Raises:
        NotExpressible: the function has no place for an argument, or accepts what the operator forbids.
    """
    given = split_call(call)
    parts = lengths_or_parts(function, given)
    return Expression(
        operator="split",
        function=function.name_in_torch,
        tensors=(given.data,),
        arguments=(
            TensorAt(position=0),
            FromLength(axis=given.axis, compute=parts) if callable(parts) else parts,
            given.axis,
        ),
        makes_list=True,
        lowered=lowered(function, given),
    )
