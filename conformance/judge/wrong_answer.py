"""Known wrong answers of frameworks, each as a function of the correct one.

A recorded deviation names one of them, and applies only if the outputs are, bit for bit, those of the function. No
function knows a framework: its name says what happens to elements or to parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from conformance.judge.judge import acceptance_of
from conformance.protocol.call import Attribute
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import (
    Case,
    Disputed,
    Parts,
    Rejection,
    Value,
    call_arguments,
    expected_outputs,
    whole_numbers,
)
from conformance.spec.operator import ArgumentKind
from conformance.spec.reference import evaluate
from conformance.tensors.dtypes import INTEGERS, Category, Specials
from conformance.tensors.tensor import (
    Tensor,
    outputs_digest,
    pack_integers,
    pack_strings,
    rectified,
    slices_along,
    unpack_integers,
    unpack_strings,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Outputs = tuple[Tensor, ...]

OTHER_SHAPE_INFERRED = "other shape inferred"
"""The fault that changes no output: the outputs are correct, but the framework inferred another shape for them."""


def is_wrong_answer(names: Sequence[str], steps: Sequence[Case], digest: str) -> bool:
    """Whether the digest is that of the outputs of a framework with one of these faults."""
    accepts = acceptance_of(steps[0]).accepts_digest
    return any(accepts(runs, digest) for name in names for runs in wrong_answers(name, steps))


def has_wrong_answer(names: Sequence[str], steps: Sequence[Case]) -> bool:
    """Whether one of these faults changes the outputs of the steps."""
    return any(True for name in names for _ in wrong_answers(name, steps))


def wrong_answers(name: str, steps: Sequence[Case]) -> Iterator[tuple[Outputs, ...]]:
    """The outputs of a framework with these faults, a tuple for each step.

    ` + ` joins the names of several faults in the order in which they change the outputs. A disputed case has one
    answer for each interpretation. There is none if the fault changes nothing,
    unless it is an inferred shape.

    Raises:
        KeyError: there is no fault with that name.
    """
    for right_steps in _under_each_interpretation(steps):
        right = wrong = tuple(expected_outputs(step.expectation, step) for step in right_steps)
        for fault in name.split(" + "):
            change = WRONG_ANSWERS[fault]
            wrong = tuple(change(step, outputs) for step, outputs in zip(right_steps, wrong, strict=True))
        is_changed = wrong != right and not acceptance_of(steps[0]).accepts_digest(right, outputs_digest(wrong))
        if name == OTHER_SHAPE_INFERRED or is_changed:
            yield wrong


def _under_each_interpretation(steps: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """The steps under each interpretation that expects outputs; none if a step must be rejected."""
    last = steps[-1].expectation
    if isinstance(last, Disputed):
        for interpretation in last.interpretations:
            if not isinstance(interpretation.expectation, Rejection):
                yield [replace(step, expectation=interpretation.expectation) for step in steps]
    elif not any(isinstance(step.expectation, Rejection | Disputed) for step in steps):
        yield steps


def _each_element(change: Callable[[Tensor], Tensor]) -> Callable[[Case, Outputs], Outputs]:
    """The fault that changes elements, wherever they are."""
    return lambda _, right: tuple(change(tensor) for tensor in right)


def _low_32_bits(tensor: Tensor) -> Tensor:
    if tensor.dtype not in ("int64", "uint64"):
        return tensor
    return _remade(tensor, _numbers(tensor, "<i8").astype("<i4"), "<i8")


def _saturated_to_int32(tensor: Tensor) -> Tensor:
    if tensor.dtype not in ("int64", "uint32", "uint64"):
        return tensor
    is_signed = tensor.element_type.category is Category.SIGNED
    kind = f"<{'i' if is_signed else 'u'}{tensor.element_type.itemsize}"
    return _remade(tensor, _numbers(tensor, kind).clip(-(1 << 31) if is_signed else 0, (1 << 31) - 1), kind)


def _through_float32(tensor: Tensor) -> Tensor:
    """Values beyond the range of float32, infinities too, become its greatest ones; a NaN keeps the bits that fit."""
    if tensor.dtype != "float64":
        return tensor
    import numpy as np

    with np.errstate(all="ignore"):
        greatest = np.finfo(np.float32).max
        return _remade(tensor, np.clip(_numbers(tensor, "<f8"), -greatest, greatest).astype("<f4"), "<f8")


def _without_negative_zeros(tensor: Tensor) -> Tensor:
    sign, bits = tensor.element_type.sign_bit, f"<u{tensor.element_type.itemsize}"
    if not sign:
        return tensor
    given = _numbers(tensor, bits).copy()
    given[given == sign] = 0
    return _remade(tensor, given, bits)


def _subnormals_flushed(tensor: Tensor) -> Tensor:
    """A number below the smallest normal one becomes zero with its sign."""
    layout, bits = tensor.element_type.layout, f"<u{tensor.element_type.itemsize}"
    if layout is None or tensor.element_type.category is not Category.FLOAT or tensor.element_type.bits < 8:
        return tensor
    given = _numbers(tensor, bits).copy()
    given[given & layout.top == 0] &= given.dtype.type(tensor.element_type.sign_bit)
    return _remade(tensor, given, bits)


def _zeros_beside_subnormals(tensor: Tensor) -> Tensor:
    """If a number is below the smallest normal one, all those become 0.0, and so does -0.0."""
    layout, bits = tensor.element_type.layout, f"<u{tensor.element_type.itemsize}"
    flushed = _subnormals_flushed(tensor)
    if layout is None or flushed == tensor:
        return tensor
    given = _numbers(tensor, bits).copy()
    given[given & layout.top == 0] = 0
    return _remade(tensor, given, bits)


def _nans_quieted(tensor: Tensor) -> Tensor:
    """The first bit of the mantissa of each NaN is set."""
    layout, bits = tensor.element_type.layout, f"<u{tensor.element_type.itemsize}"
    if (
        layout is None
        or not layout.mantissa_bits
        or tensor.element_type.category is not Category.FLOAT
        or layout.specials is not Specials.IEEE
    ):
        return tensor
    given = _numbers(tensor, bits).copy()
    is_nan = given & given.dtype.type(tensor.element_type.sign_bit - 1) > layout.top
    given[is_nan] |= given.dtype.type(1 << layout.mantissa_bits - 1)
    return _remade(tensor, given, bits)


def _numbers(tensor: Tensor, kind: str) -> NDArray[Any]:
    """The elements as numbers of one of NumPy's types."""
    import numpy as np

    return np.frombuffer(tensor.data, kind)


def _remade(tensor: Tensor, numbers: NDArray[Any], kind: str) -> Tensor:
    return replace(tensor, data=numbers.astype(kind).tobytes())


def _starting_over(step: Case, right: Outputs) -> Outputs:
    """If each output is contiguous in the data's memory, it holds the first elements of the data."""
    axis, data = step.split_dim, step.data
    if axis is None or data is None or any(dim != 1 for dim in data.shape[:axis]):
        return right
    return _from_memory(step, right, [0] * len(right))


def _following_in_memory(step: Case, right: Outputs) -> Outputs:
    """The outputs hold consecutive memory of the data, whatever the axis."""
    return _from_memory(step, right, [0, *accumulate(tensor.size for tensor in right)][:-1])


def _from_memory(step: Case, right: Outputs, starts: Sequence[int]) -> Outputs:
    data = step.data
    if data is None:
        return right
    flat = replace(data.tensor(), shape=(data.tensor().size,))
    bounds = [(start, start + tensor.size) for start, tensor in zip(starts, right, strict=True)]
    if any(stop > flat.size for _, stop in bounds):
        return right
    pieces = slices_along(flat, 0, bounds)
    return tuple(replace(piece, shape=tensor.shape) for piece, tensor in zip(pieces, right, strict=True))


def _reversed(_: Case, right: Outputs) -> Outputs:
    """The outputs are in reverse order."""
    return right[::-1]


def _without_elements(_: Case, right: Outputs) -> Outputs:
    """Each output has the length 0 along its first dim."""
    return tuple(Tensor(tensor.dtype, (0, *tensor.shape[1:]), b"") if tensor.shape else tensor for tensor in right)


def _main_data(step: Case, right: Outputs) -> Outputs:
    """The main data as it was given."""
    return right if step.data is None else (step.data.tensor(),)


def _equal_parts(step: Case, right: Outputs) -> Outputs:
    """The given lengths are ignored: there are as many equal parts as outputs; the last may be shorter."""
    axis, data = step.split_dim, step.data
    if axis is None or data is None or not step.declared_outputs:
        return right
    length = data.shape[axis]
    share = -(-length // step.declared_outputs)
    bounds = [min(share * number, length) for number in range(step.declared_outputs + 1)]
    return expected_outputs(Parts(tuple(pairwise(bounds))), step)


def _share_through_float32(step: Case, right: Outputs) -> Outputs:
    """Each part has the axis length divided by the number of parts in float32, rounded up; the last has the rest."""
    import numpy as np

    axis, data = step.split_dim, step.data
    if axis is None or data is None or not right:
        return right
    length, count = data.shape[axis], len(right)
    share = int(np.ceil(np.float32(length) / np.float32(count)))
    bounds = [*(share * number for number in range(count)), length]
    if bounds != sorted(bounds):
        return right
    return expected_outputs(Parts(tuple(pairwise(bounds))), step)


def _of_other_arguments(
    change: Callable[[Tensor], Tensor], of_data: Callable[[Tensor], Tensor] | None = None
) -> Callable[[Case, Outputs], Outputs]:
    """The correct outputs of a call whose integer inputs, or also its data, are changed, unless that makes it
    invalid.
    """

    def answer(step: Case, right: Outputs) -> Outputs:
        arguments = dict[str, Tensor | Attribute]()
        for argument in step.arguments:
            is_data = step.operator.is_data(argument.name)
            changed = _argument(argument.value, None if is_data else change)
            arguments[argument.name] = (
                of_data(changed) if is_data and of_data and isinstance(changed, Tensor) else changed
            )
        return _outputs_of(step, arguments, right)

    return answer


def _outputs_of(step: Case, arguments: Mapping[str, Tensor | Attribute], right: Outputs) -> Outputs:
    """The outputs of the operator with other arguments, behind the Relu of its data, if it has one; the right ones if
    the operator forbids the arguments.
    """
    outputs = _evaluated(step, arguments)
    if outputs is None:
        return right
    plain = _evaluated(step, call_arguments(step))
    is_rectified = plain is not None and plain != right and tuple(map(rectified, plain)) == right
    return tuple(map(rectified, outputs)) if is_rectified else outputs


def _evaluated(step: Case, arguments: Mapping[str, Tensor | Attribute]) -> Outputs | None:
    try:
        return evaluate(step.operator.id, arguments, step.declared_outputs)
    except (BrokenClauseError, KeyError):
        return None


def _argument(value: Value | Attribute, change: Callable[[Tensor], Tensor] | None) -> Tensor | Attribute:
    if not isinstance(value, Value):
        return value
    tensor = value.tensor()
    return change(tensor) if change is not None and tensor.dtype in INTEGERS else tensor


def _in_32_bits(tensor: Tensor) -> Tensor:
    """As integers of 64 bits, whatever the type was."""
    numbers = [(number + (1 << 31)) % (1 << 32) - (1 << 31) for number in unpack_integers(tensor)]
    return pack_integers(numbers, "int64", tensor.shape)


def _clamped_to_32_bits(tensor: Tensor) -> Tensor:
    """Integers beyond the range of int32 become its greatest and its least one."""
    numbers = [max(-(1 << 31), min(number, (1 << 31) - 1)) for number in unpack_integers(tensor)]
    return pack_integers(numbers, "int64", tensor.shape)


def _zero_for_none(tensor: Tensor) -> Tensor:
    return tensor if tensor.size else pack_integers([0], tensor.dtype, ())


def _list_of_zero_for_none(tensor: Tensor) -> Tensor:
    return tensor if tensor.size else pack_integers([0], tensor.dtype, (1,))


def _list_of_one_for_none(tensor: Tensor) -> Tensor:
    return tensor if tensor.size else pack_integers([1], tensor.dtype, (1,))


def _scalar_for_none(tensor: Tensor) -> Tensor:
    """Data without elements as a scalar whose bits are 0."""
    if tensor.size:
        return tensor
    return (
        pack_strings([b""], ())
        if tensor.dtype == "string"
        else replace(tensor, shape=(), data=bytes(tensor.element_type.itemsize))
    )


def _zero_beside_one_as_one(step: Case, right: Outputs) -> Outputs:
    """The outputs of a repetition that takes a 0 of the shape for 1 where the dim of the data is 1."""
    name = next((one.name for one in step.operator.parameters if one.kind is ArgumentKind.TARGET), "")
    lengths, data = step.value(name), step.data
    if not isinstance(lengths, Value) or data is None:
        return right
    numbers = whole_numbers(lengths) or ()
    dims = (*(None for _ in numbers[len(data.shape) :]), *data.shape[max(0, len(data.shape) - len(numbers)) :])
    changed = [int((dim == 1 and not length) or length) for dim, length in zip(dims, numbers, strict=True)]
    arguments = {argument.name: _argument(argument.value, None) for argument in step.arguments}
    return _outputs_of(step, arguments | {name: pack_integers(changed, lengths.dtype, lengths.shape)}, right)


def _in_32_bits_from_the_first(step: Case, right: Outputs) -> Outputs:
    """The outputs of a Slice with arguments in 32 bits whose backward ranges from before the first element begin at it,
    which the page leaves open.
    """
    arguments, kinds = dict(call_arguments(step)), {one.name: one.kind for one in step.operator.parameters}
    numbers = dict[ArgumentKind, tuple[str, list[int]]]()
    for name, value in arguments.items():
        kind = None if step.operator.is_data(name) else kinds.get(name)
        if kind and isinstance(value, Tensor) and value.dtype in INTEGERS:
            arguments[name] = _in_32_bits(value)
            numbers.setdefault(kind, (name, unpack_integers(_in_32_bits(value))))
    if step.data is None or not {ArgumentKind.BOUNDS, ArgumentKind.STEPS} <= numbers.keys():
        return right
    name, starts = numbers[ArgumentKind.BOUNDS]
    _, axes = numbers.get(ArgumentKind.AXES, ("", list(range(len(starts)))))
    first = [
        max(start, -step.data.shape[axis]) if every < 0 < step.data.shape[axis] else start
        for start, every, axis in zip(starts, numbers[ArgumentKind.STEPS][1], axes, strict=True)
    ]
    return _outputs_of(step, arguments | {name: pack_integers(first, "int64", (len(first),))}, right)


def _other_inputs_as_zeros(step: Case, right: Outputs) -> Outputs:
    """The outputs if all data inputs but the first have bits of 0 alone; of strings, no characters."""
    return _outputs_of(step, {**call_arguments(step), **_other_inputs(step, _zeroed)}, right)


def _zeroed(tensor: Tensor) -> Tensor:
    if tensor.dtype == "string":
        return pack_strings([b""] * tensor.size, tensor.shape)
    return replace(tensor, data=bytes(len(tensor.data)))


def _other_inputs_through_float32(step: Case, right: Outputs) -> Outputs:
    """The outputs if integers of all data inputs but the first are rounded to float32."""
    return _outputs_of(step, {**call_arguments(step), **_other_inputs(step, _integers_through_float32)}, right)


def _integers_through_float32(tensor: Tensor) -> Tensor:
    """As processors of the x86 family convert: what int32 lacks becomes its least number, and uint32 is clipped."""
    if tensor.dtype not in ("int32", "uint32", "int64", "uint64"):
        return tensor
    import numpy as np

    is_signed = tensor.element_type.category is Category.SIGNED
    kind = f"<{'i' if is_signed else 'u'}{tensor.element_type.itemsize}"
    numbers = _numbers(tensor, kind).astype("<f4").astype("<f8")
    least, beyond = -(1 << 31), 1 << 31
    held = np.where(numbers < beyond, numbers, least) if is_signed else np.minimum(numbers, (1 << 32) - 1)
    return _remade(tensor, held.astype(kind), kind)


def _other_negative_zeros_lost(step: Case, right: Outputs) -> Outputs:
    """The outputs if -0.0 is 0.0 in attributes and in all data inputs but the first, which has elements."""
    if step.data is None or 0 in step.data.shape:
        return right
    arguments = call_arguments(step)
    numbers = {name: value + 0.0 for name, value in arguments.items() if isinstance(value, float)}
    return _outputs_of(step, {**arguments, **numbers, **_other_inputs(step, _without_negative_zeros)}, right)


def _other_inputs(step: Case, change: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
    """All data inputs but the first, changed."""
    return {name: change(value.tensor()) for name, value in [*step.data_inputs.items()][1:]}


def _first_text_of_each_slice(step: Case, right: Outputs) -> Outputs:
    """In each slice along the axis (default 0), all strings but the first are empty."""
    axis, data = step.value("axis") or 0, step.data
    if not isinstance(axis, int) or data is None or data.dtype != "string":
        return right
    length = math.prod(data.shape[axis % len(data.shape) + 1 :])
    return tuple(
        pack_strings([b"" if at % length else text for at, text in enumerate(unpack_strings(tensor))], tensor.shape)
        for tensor in right
    )


_GREATEST = ((1 << 31) - 1, (1 << 63) - 1)
_OF_RANGES = ("starts", "ends", "steps", "axes")


def _greatest_end_as_the_least(step: Case, right: Outputs) -> Outputs:
    """Backward ranges of a slice go down to the first element, if their end is the greatest integer of 32 or 64 bits.
    A start before the first element is the first one.
    """
    given = {name: value for name in _OF_RANGES if isinstance(value := step.value(name), Value)}
    if step.data is None or not {"starts", "ends", "steps"} <= given.keys():
        return right
    starts, ends, strides, *axes = (unpack_integers(value.tensor()) for value in given.values())
    lengths = [step.data.shape[axis] for axis in (axes[0] if axes else range(len(starts)))]
    for place, (stride, length) in enumerate(zip(strides, lengths, strict=True)):
        if stride < 0 and ends[place] in _GREATEST:
            starts[place], ends[place] = max(starts[place], -length), -(1 << 31)
    changed = {
        name: Value.of(pack_integers(numbers, given[name].dtype, given[name].shape))
        for name, numbers in (("starts", starts), ("ends", ends))
    }
    return _outputs_of(step, call_arguments(step.with_values(changed)), right)


WRONG_ANSWERS: dict[str, Callable[[Case, Outputs], Outputs]] = {
    "low 32 bits": _each_element(_low_32_bits),
    "saturated to int32": _each_element(_saturated_to_int32),
    "through float32": _each_element(_through_float32),
    "negative zeros lost": _each_element(_without_negative_zeros),
    "subnormals flushed": _each_element(_subnormals_flushed),
    "subnormals and zeros as 0.0": _each_element(_zeros_beside_subnormals),
    "NaNs quieted": _each_element(_nans_quieted),
    "negative numbers as 0": _each_element(rectified),
    "outputs reversed": _reversed,
    "parts start over": _starting_over,
    "parts follow in memory": _following_in_memory,
    "no elements": _without_elements,
    "the main data": _main_data,
    "equal parts": _equal_parts,
    "share through float32": _share_through_float32,
    "arguments in 32 bits": _of_other_arguments(_in_32_bits),
    "arguments saturated to int32": _of_other_arguments(_clamped_to_32_bits),
    "arguments without elements as 0": _of_other_arguments(_zero_for_none),
    "arguments without elements as [0]": _of_other_arguments(_list_of_zero_for_none),
    "inputs without elements as one number": _of_other_arguments(_list_of_one_for_none, _scalar_for_none),
    "zeros beside ones as 1": _zero_beside_one_as_one,
    "inputs without elements as [0]": _of_other_arguments(_list_of_zero_for_none, _scalar_for_none),
    "arguments in 32 bits, backward from the first": _in_32_bits_from_the_first,
    OTHER_SHAPE_INFERRED: lambda _, right: right,
    "greatest end as the least": _greatest_end_as_the_least,
    "other inputs as zeros": _other_inputs_as_zeros,
    "other inputs through float32": _other_inputs_through_float32,
    "other negative zeros lost": _other_negative_zeros_lost,
    "first text of each slice": _first_text_of_each_slice,
}
"""The vocabulary: each name with its function of a step and its correct outputs."""
