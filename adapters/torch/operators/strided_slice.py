"""StridedSlice, as numbers, ranges, an ellipsis and new dims in brackets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.adapter import Call, NotExpressible

from .arguments import attribute, constant_list, refuse_surplus
from .expression import Brackets, Expression, TensorAt

_REQUIRED_MASKS = ("begin_mask", "end_mask")
_MASKS = (*_REQUIRED_MASKS, "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def strided_slice(call: Call) -> Expression:
    """A tensor with an index in brackets for each begin.

    Raises:
        NotExpressible: brackets have no place for an argument, or accept what the operator forbids.
    """
    refuse_surplus(call, "Tensor.__getitem__", inputs=("data", "begin", "end", "stride"), attributes=_MASKS)
    data = call.input("data")
    if data is None:
        raise NotExpressible("brackets stand behind a tensor, and the call has none")
    begin, end, stride = (constant_list(call.input(name)) for name in ("begin", "end", "stride"))
    if begin is None or end is None:
        raise NotExpressible("brackets take an end that is left out for the end of the dim, and the operator needs it")
    stride = [1] * len(begin) if stride is None else stride
    if len({len(begin), len(end), len(stride)}) > 1:
        raise NotExpressible("each range in brackets has a start, an end and a step: their numbers cannot differ")
    if not all(isinstance(number, int) for number in (*begin, *end, *stride)):
        raise NotExpressible("brackets take whole numbers, and a mask would hide others from PyTorch")
    items = tuple(_items(begin, end, stride, {name: _mask(call, name) for name in _MASKS}))
    if items.count(...) > 1:
        raise NotExpressible("PyTorch accepts several ellipses in brackets, and the operator has one")
    return Expression(
        operator="slice_strides",
        function="Tensor.__getitem__",
        tensors=(data,),
        arguments=(TensorAt(position=0), Brackets(items=items)),
    )


def _mask(call: Call, name: str) -> Sequence[int]:
    given = attribute(call, name)
    if given is None and name in _REQUIRED_MASKS:
        raise NotExpressible("brackets have no masks, which the operator requires")
    bits = [] if given is None else given
    if not isinstance(bits, list) or any(not isinstance(bit, int) or bit not in (0, 1) for bit in bits):
        raise NotExpressible(f"brackets have no place for a mask that is {given!r}")
    return bits


def _items(
    begin: Sequence[object], end: Sequence[object], stride: Sequence[object], masks: Mapping[str, Sequence[int]]
) -> Iterator[object]:
    for at, (first, last, step) in enumerate(zip(begin, end, stride, strict=True)):
        masked = {name for name, bits in masks.items() if at < len(bits) and bits[at]}
        if "ellipsis_mask" in masked:
            yield ...
        elif "new_axis_mask" in masked:
            yield None
        elif "shrink_axis_mask" in masked:
            if first != last:
                raise NotExpressible("a number in brackets has no place for an end")
            yield first
        elif isinstance(step, int) and step < 0:
            raise NotExpressible("PyTorch has no ranges that run backwards")
        else:
            yield slice(None if "begin_mask" in masked else first, None if "end_mask" in masked else last, step)
