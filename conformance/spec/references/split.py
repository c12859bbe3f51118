"""Split and VariadicSplit.

Written without `np.split` (positions, not lengths) and `np.array_split` (another rule for the remainder). Where a page
is silent, a comment names the interpretation; a case about it is disputed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise

from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import (
    Arguments,
    BrokenClauseError,
    attribute,
    attribute_list,
    axis_from_front,
    input_list,
    one_integer,
    refuse_surplus,
    required,
    tensor_named,
)
from conformance.spec.references.signature import FLOATS, Reference, typed, types_of
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, array_from_tensor, slices_along, unpack_integers


def _openvino_variadic_split_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axis", "split_lengths"})
    data = tensor_named(arguments, "data", "data.required")
    axis = _axis_input(arguments, data, allowed_shapes=((), (1,)))
    lengths = tensor_named(arguments, "split_lengths", "split_lengths.required")
    numbers = input_list(lengths, "split_lengths", "types.T2", "split_lengths.rank")
    return _cut(data, axis, _resolved(numbers, data.shape[axis]))


def _openvino_split_1(arguments: Arguments, _: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"data", "axis", "num_splits"})
    data = tensor_named(arguments, "data", "data.required")
    axis = _axis_input(arguments, data, allowed_shapes=((),))
    count, length = one_integer(required(arguments, "num_splits"), "num_splits.type"), data.shape[axis]
    if not 1 <= count <= length:
        raise BrokenClauseError("num_splits.range", f"num_splits is {count}, allowed are 1 to {length}")
    if length % count:
        raise BrokenClauseError("num_splits.divides", f"{length} is not divisible by {count}")
    return _cut(data, axis, [length // count] * count)


def _onnx_split_1(arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"input", "split", "axis"})
    data = typed(tensor_named(arguments, "input", "input.required"), FLOATS)
    # The page gives `axis` no default and does not call it required: we read "axis 0", as the later versions say.
    axis = _onnx_axis(arguments, data, allows_negative=False)
    split = arguments.get("split")
    lengths = _whole_numbers(split, data.dtype) if isinstance(split, Tensor) else _attribute_list(split)
    return _onnx_parts(data, axis, lengths, declared_outputs)


def _onnx_split_with_attribute(
    arguments: Arguments, declared_outputs: int, *, allows_negative: bool
) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"input", "split", "axis"})
    data = _onnx_input(arguments, 2)
    axis = _onnx_axis(arguments, data, allows_negative=allows_negative)
    return _onnx_parts(data, axis, _attribute_list(attribute(arguments, "split")), declared_outputs)


def _onnx_split_13(arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"input", "split", "axis"})
    data = _onnx_input(arguments, 13)
    axis = _onnx_axis(arguments, data, allows_negative=True)
    return _onnx_parts(data, axis, _onnx_split_input(arguments), declared_outputs)


def _onnx_split_18(arguments: Arguments, declared_outputs: int) -> tuple[Tensor, ...]:
    refuse_surplus(arguments, {"input", "split", "axis", "num_outputs"})
    data = _onnx_input(arguments, 18)
    axis = _onnx_axis(arguments, data, allows_negative=True)
    lengths = _onnx_split_input(arguments)
    if (lengths is None) == ("num_outputs" not in arguments):
        given = "both split and num_outputs are" if lengths is not None else "neither split nor num_outputs is"
        raise BrokenClauseError("num_outputs.exclusive", f"{given} given; exactly one must be")
    if lengths is None:
        count = one_integer(arguments["num_outputs"], "num_outputs.type")
        if count < 1:
            raise BrokenClauseError("num_outputs.range", f"num_outputs is {count}; at least 1 output must be made")
        if count != declared_outputs:
            raise BrokenClauseError(
                "num_outputs.declared", f"num_outputs is {count}, but the node declares {declared_outputs} outputs"
            )
        lengths = _uneven(data.shape[axis], count)
    return _onnx_parts(data, axis, lengths, declared_outputs)


def _uneven(length: int, count: int) -> list[int]:
    """All parts have `ceil(length / count)` elements, the last one the remainder.

    The page says only that the last chunk is smaller. If the ceiling leaves nothing for it, as for 5 into 4, we read
    that there is no such split.
    """
    part = -(-length // count)
    last = length - part * (count - 1)
    if last < 0:
        raise BrokenClauseError("num_outputs.remainder", f"{length} into {count} parts of {part} leaves {last}")
    return [part] * (count - 1) + [last]


def _onnx_parts(data: Tensor, axis: int, lengths: Sequence[int] | None, declared_outputs: int) -> tuple[Tensor, ...]:
    length = data.shape[axis]
    if declared_outputs < 1:
        raise BrokenClauseError(
            "outputs.count", f"the node declares {declared_outputs} outputs; at least 1 must be made"
        )
    if lengths is None:
        if length % declared_outputs:
            raise BrokenClauseError("split.equal", f"{length} is not divisible by the {declared_outputs} outputs")
        lengths = [length // declared_outputs] * declared_outputs
    if any(item < 0 for item in lengths):
        raise BrokenClauseError("split.non_negative", f"the lengths {list(lengths)} hold a negative one")
    if sum(lengths) != length:
        raise BrokenClauseError("split.sum", f"the lengths add up to {sum(lengths)}, axis {axis} has {length}")
    if len(lengths) != declared_outputs:
        raise BrokenClauseError(
            "split.count", f"{len(lengths)} lengths are given, but the node declares {declared_outputs} outputs"
        )
    return _cut(data, axis, lengths)


def _resolved(lengths: Sequence[int], length: int) -> list[int]:
    """The lengths with a single -1 replaced by the rest of the axis."""
    if any(item < -1 for item in lengths):
        raise BrokenClauseError("split_lengths.range", f"the lengths {list(lengths)} hold one below -1")
    rest = length - sum(item for item in lengths if item != -1)
    match sum(item == -1 for item in lengths):
        case 0 if rest != 0:
            raise BrokenClauseError("split_lengths.sum", f"the lengths add up to {sum(lengths)}, not to {length}")
        case 1 if rest < 0:
            raise BrokenClauseError("split_lengths.sum", f"the lengths leave {rest} of {length} for -1")
        case count if count > 1:
            raise BrokenClauseError("split_lengths.single_remainder", f"{count} lengths are -1; one may be")
    return [rest if item == -1 else item for item in lengths]


def _cut(data: Tensor, axis: int, lengths: Sequence[int]) -> tuple[Tensor, ...]:
    return slices_along(data, axis, pairwise([0, *accumulate(lengths)]))


def _axis_input(arguments: Arguments, data: Tensor, *, allowed_shapes: Sequence[tuple[int, ...]]) -> int:
    axis = tensor_named(arguments, "axis", "axis.required")
    if axis.dtype not in INTEGERS:
        raise BrokenClauseError("types.T2" if (1,) in allowed_shapes else "types.T_AXIS", f"axis is {axis.dtype}")
    if axis.shape not in allowed_shapes:
        raise BrokenClauseError("axis.shape", f"axis has the shape {axis.shape}")
    return _in_range(unpack_integers(axis)[0], len(data.shape), allows_negative=True)


def _onnx_axis(arguments: Arguments, data: Tensor, *, allows_negative: bool) -> int:
    value = arguments.get("axis", 0)
    return _in_range(one_integer(value, "axis.type"), len(data.shape), allows_negative=allows_negative)


def _in_range(axis: int, rank: int, *, allows_negative: bool) -> int:
    # Pages before Split-11 do not speak of negative axes: we read that an axis counts from the front.
    return axis_from_front(axis, rank, "axis.range", "dimension of data with rank", allows_negative=allows_negative)


def _onnx_input(arguments: Arguments, version: int) -> Tensor:
    return typed(tensor_named(arguments, "input", "input.required"), types_of(version))


def _onnx_split_input(arguments: Arguments) -> list[int] | None:
    if "split" not in arguments:
        return None
    # The page does not give the rank of `split`: we read "a list", so 1-D.
    return input_list(tensor_named(arguments, "split", "arguments"), "split", "split.type", "split.rank", ("int64",))


def _whole_numbers(split: Tensor, data_dtype: str) -> list[int]:
    """Lengths of Split-1 as floating-point numbers, because its page gives the input `split` the type of the data."""
    if split.dtype != data_dtype:
        raise BrokenClauseError("types.T", f"split is {split.dtype} and the input {data_dtype}; both have the type T")
    values = array_from_tensor(split).reshape(-1).tolist()
    if not all(math.isfinite(value) and value == int(value) for value in values):
        raise BrokenClauseError("split.type", f"the lengths {values} are not whole numbers")
    return [int(value) for value in values]


def _attribute_list(split: Attribute | None) -> list[int] | None:
    return None if split is None else attribute_list(split, "split", "split.type")


REFERENCES: dict[str, Reference] = {
    "openvino.VariadicSplit-1": _openvino_variadic_split_1,
    "openvino.Split-1": _openvino_split_1,
    "onnx.Split-1": _onnx_split_1,
    "onnx.Split-2": partial(_onnx_split_with_attribute, allows_negative=False),
    "onnx.Split-11": partial(_onnx_split_with_attribute, allows_negative=True),
    "onnx.Split-13": _onnx_split_13,
    "onnx.Split-18": _onnx_split_18,
}
