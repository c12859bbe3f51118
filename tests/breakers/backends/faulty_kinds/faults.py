"""What may go wrong with each class of a kind of argument: made from the kind, for every operator that takes one.

A fault reads the argument as another one, or changes the outputs, in calls that have the class. The others are right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conformance.spec.broken_clause import Arguments, BrokenClauseError
from conformance.spec.case import Argument, Case, Value, lawful_call, whole_number, whole_numbers
from conformance.spec.making.call import classes_of
from conformance.spec.operator import ArgumentKind, Operator, Parameter, Role
from conformance.tensors.dtypes import INTEGERS
from conformance.tensors.tensor import Tensor, array_from_tensor, pack_integers, tensor_from_array

Evaluate = Callable[[str, Arguments, int], Sequence[Tensor]]
Numbers = list[int]
Reread = Callable[[Numbers, tuple[int, ...]], Numbers | None]
"""Other numbers for an argument and the shape of the main data; None leaves the argument out."""
Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFault:
    """A fault of calls with a class of a kind.

    The numbers are read as others, each output is changed, or all data beside the main one is read as other data.
    """

    kind: str
    class_name: str
    says: str
    reread: Reread | None = None
    change: Change | None = None
    narrow: Change | None = None

    @property
    def name(self) -> str:
        """The kind, the class and what it does."""
        return f"{self.kind}.{self.class_name}.{self.says}".replace(" ", "-")


def _swapped(numbers: Numbers, first: int, second: int) -> Numbers:
    found = list(numbers)
    found[first], found[second] = found[second], found[first]
    return found


def _cut(bits: int) -> Reread:
    """Only so many bits of each number, with their sign."""

    def cut(numbers: Numbers, _: tuple[int, ...]) -> Numbers:
        return [(number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for number in numbers]

    return cut


def _at_most(bits: int) -> Reread:
    """Each number between the limits of so many bits."""
    return lambda numbers, _: [max(-(1 << bits - 1), min((1 << bits - 1) - 1, number)) for number in numbers]


def _as_float(numbers: Numbers, _: tuple[int, ...]) -> Numbers:
    return [int(np.float32(number)) if abs(number) < 1 << 60 else number for number in numbers]


def _inverse(numbers: Numbers, _: tuple[int, ...]) -> Numbers:
    return [numbers.index(place) for place in range(len(numbers))]


def _other_second(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    """A number that was there before becomes the one below it."""
    return [number - 1 if number in numbers[:place] and number else number for place, number in enumerate(numbers)]


def _run(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    """The whole numbers from the first one up: what a kernel reads that copies a run at once."""
    return [*range(numbers[0], numbers[0] + len(numbers))]


def _run_if_it_fits(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    return _run(numbers, shape) if shape and numbers[0] + len(numbers) <= min(shape) else numbers


def _front_half(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    return [max(0, number) for number in numbers]


_FROM_END: dict[str, Reread] = {
    "one dim too far": lambda n, s: [x - 1 if x < 0 else x for x in n],
    "its sign is lost": lambda n, s: [abs(x) for x in n],
}
_BOTH: dict[str, Reread] = {"those below 0 are 0": _front_half}
_BITS: dict[str, dict[str, Reread]] = {
    "beyond 8 bits": {"8 bits": _cut(8)},
    "beyond 16 bits": {"16 bits": _cut(16)},
    "beyond 24 bits": {"24 bits": _cut(24), "a float32 holds them": _as_float},
    "beyond 31 bits": {"32 bits": _cut(32)},
}
_OF_INDICES: dict[str, dict[str, Reread]] = {
    "rank above 4": {"reversed": lambda n, s: n[::-1]},
    "from the front": {"0": lambda n, s: [min(0, x) for x in n]},
    "from both ends": _BOTH,
    "beyond 8 bits": {"8 bits": lambda n, s: [x & 255 for x in n]},
    "beyond 16 bits": {"16 bits": lambda n, s: [x & 65535 for x in n]},
    "beyond 24 bits": {"a float32 holds them": _as_float},
    "beyond 31 bits": {"32 bits": _cut(32)},
    "int32": {"the first": lambda n, s: [0] * len(n)},
    "int64": {"the first": lambda n, s: [0] * len(n)},
}
_ARGUMENTS: Mapping[ArgumentKind, Mapping[str, Mapping[str, Reread]]] = {
    ArgumentKind.AXIS: {
        "left out": {
            "the last one": lambda n, s: [max(0, len(s) - 1)],
            "the second one": lambda n, s: [min(1, len(s) - 1)],
        },
        "first": {"the last one": lambda n, s: [len(s) - 1]},
        "inner": {"the next one": lambda n, s: [n[0] % len(s) + 1], "the first one": lambda n, s: [0]},
        "last": {"the first one": lambda n, s: [0]},
        "from the end": _FROM_END,
        "a list of one": {"the first one": lambda n, s: [0]},
        "int32": {"the first one": lambda n, s: [0]},
        "int64": {"the first one": lambda n, s: [0]},
    },
    ArgumentKind.AXES: {
        "left out": {"none": lambda n, s: []},
        "none": {"left out": lambda n, s: None},
        "one": {"the next one": lambda n, s: [n[0] + 1]},
        "sorted": {"only the first": lambda n, s: n[:1], "reversed": lambda n, s: n[::-1]},
        "reversed": {"sorted": lambda n, s: sorted(n), "without the last": lambda n, s: n[:-1]},
        "unsorted": {"sorted": lambda n, s: sorted(n), "without the last": lambda n, s: n[:-1]},
        "from the front": {"the next one": lambda n, s: [x + 1 if x >= 0 else x for x in n]},
        "from the end": {
            **_FROM_END,
            "the rank of the data counts": lambda n, s: [x + len(s) if x < 0 else x for x in n],
        },
        "from both ends": _BOTH,
        "int32": {"without the last": lambda n, s: n[:-1]},
        "int64": {"without the last": lambda n, s: n[:-1]},
    },
    ArgumentKind.PERMUTATION: {
        "left out": {"in order": lambda n, s: [*range(len(s))]},
        "none": {"in order": lambda n, s: [*range(len(s))]},
        "in order": {"reversed": lambda n, s: n[::-1]},
        "reversed": {"in order": lambda n, s: sorted(n)},
        "not its own inverse": {"inverse": _inverse, "first two swapped": lambda n, s: _swapped(n, 0, 1)},
        "more than 8": {
            "those behind 8 stay": lambda n, s: [*np.argsort(np.argsort(n[:8])).tolist(), *range(8, len(n))]
        },
        "int32": {"in order": lambda n, s: sorted(n)},
        "int64": {"in order": lambda n, s: sorted(n)},
    },
    ArgumentKind.SHAPE: {
        "none": {"one dim of 1": lambda n, s: [1]},
        "one": {"a dim of 1 before": lambda n, s: [1, *n]},
        "zero": {"copies from the end": lambda n, s: [x or s[-1 - i] if i < len(s) else x for i, x in enumerate(n)]},
        "inferred": {"a dim of 1": lambda n, s: [1 if x == -1 else x for x in n]},
        "zero and inferred": {"inferred alone": lambda n, s: [1 if x == 0 else x for x in n]},
        "more than 8": {"those behind 8 are lost": lambda n, s: n[:8], "reversed": lambda n, s: n[::-1]},
        **_BITS,
        "int32": {"reversed": lambda n, s: n[::-1]},
        "int64": {"reversed": lambda n, s: n[::-1]},
    },
    ArgumentKind.TARGET: {
        "none": {"one dim of 1": lambda n, s: [1]},
        "zero": {"a dim of 1": lambda n, s: [x or 1 for x in n]},
        "more dims": {"the dims behind are more": lambda n, s: [*n[len(n) - len(s) :], *n[: len(n) - len(s)]]},
        "fewer dims": {"they are the first ones": lambda n, s: [*n, *[1] * (len(s) - len(n))]},
        "equal dims": {"one dim less": lambda n, s: n[1:] if len(n) > len(s) else n},
        "more than 8": {"those behind 8 are lost": lambda n, s: n[:8]},
        **_BITS,
        "int32": {"reversed": lambda n, s: n[::-1]},
        "int64": {"reversed": lambda n, s: n[::-1]},
    },
    ArgumentKind.LENGTHS: {
        "one": {"two": lambda n, s: [max(0, n[0] - 1), min(1, n[0])]},
        "equal": {"the first is longer": lambda n, s: [n[0] + 1, n[1] - 1, *n[2:]] if n[1] > 0 else n},
        "unequal": {"reversed": lambda n, s: n[::-1], "sorted": lambda n, s: sorted(n)},
        "zero first": {"it comes last": lambda n, s: [*n[1:], n[0]]},
        "zero inside": {"it comes first": lambda n, s: [0, *_without(n, 0)]},
        "zero last": {"it comes first": lambda n, s: [n[-1], *n[:-1]]},
        "the rest": {"none": lambda n, s: [0 if x == -1 else x for x in n]},
        "more than 16": {"those behind 16 are reversed": lambda n, s: [*n[:16], *n[:15:-1]]},
        "more than 255": {"those behind 255 are reversed": lambda n, s: [*n[:255], *n[:254:-1]]},
        **_BITS,
        "int32": {"reversed": lambda n, s: n[::-1]},
        "int64": {"reversed": lambda n, s: n[::-1]},
    },
    ArgumentKind.COUNT: {
        "left out": {"one": lambda n, s: [1]},
        "zero": {"one": lambda n, s: [1]},
        "one": {"two": lambda n, s: [2]},
        "2 to 16": {"one less": lambda n, s: [n[0] - 1]},
        "more than 16": {"16": lambda n, s: [16]},
        "from the end": {**_FROM_END},
    },
    ArgumentKind.INDICES: {
        "scalar": {"the first": lambda n, s: [0]},
        "rank above 1": {"reversed": lambda n, s: n[::-1]},
        "one": {"the first": lambda n, s: [0]},
        "sorted": {"the first again": lambda n, s: [n[0]] * len(n)},
        "reversed": {"sorted": lambda n, s: sorted(n)},
        "unsorted": {"sorted": lambda n, s: sorted(n)},
        "repeated": {"the second is the one below": _other_second},
        "begin as a run": {"a run": _run_if_it_fits},
        "as long as a run": {"a run": _run},
        "from the end": {
            "those below 0 are 0": _front_half,
            "one too far": lambda n, s: [x + 1 if x < -1 else x for x in n],
        },
        **_OF_INDICES,
    },
    ArgumentKind.PLACES: {
        "a list": {"the first": lambda n, s: [0] * len(n)},
        "rank 3": {"reversed": lambda n, s: n[::-1]},
        "from the end": {"those below 0 are 0": _front_half},
        **_OF_INDICES,
    },
    ArgumentKind.PADS: {
        "zero": {"one behind": lambda n, s: [*n[:-1], 1] if n else n},
        "before": {"behind": lambda n, s: [*n[len(n) // 2 :], *n[: len(n) // 2]]},
        "behind": {"one less": lambda n, s: [x - 1 if x > 0 and i >= len(n) // 2 else x for i, x in enumerate(n)]},
        "removing": {"nothing is removed": _front_half},
        "adding and removing": {"nothing is added": lambda n, s: [min(x, 0) for x in n]},
        **_BITS,
    },
    ArgumentKind.BOUNDS: {
        "from the front": {"the next one": lambda n, s: [x + 1 if x >= 0 else x for x in n]},
        "from the end": {
            "those below 0 are 0": _front_half,
            "one too far": lambda n, s: [x - 1 if x < 0 else x for x in n],
        },
        "from both ends": _BOTH,
        **_BITS,
        "int32": {"0": lambda n, s: [0] * len(n)},
        "int64": {"0": lambda n, s: [0] * len(n)},
    },
    ArgumentKind.STEPS: {
        "left out": {"two": lambda n, s: [2] * len(s)},
        "one": {"two": lambda n, s: [2 if x == 1 else x for x in n]},
        "more than one": {"one": lambda n, s: [min(x, 1) for x in n]},
        "back by one": {"back by two": lambda n, s: [-2 if x == -1 else x for x in n]},
        "back by more": {"back by one": lambda n, s: [max(x, -1) for x in n]},
        "in both directions": {"that of the first": lambda n, s: [abs(x) if n[0] > 0 else -abs(x) for x in n]},
        **_BITS,
        "int32": {"one": lambda n, s: [1] * len(n)},
        "int64": {"one": lambda n, s: [1] * len(n)},
    },
    ArgumentKind.MASK: {
        "unset": {"set": lambda n, s: [1] * len(n)},
        "the last alone": {"the first alone": lambda n, s: n[::-1], "none": lambda n, s: [0] * len(n)},
        "some": {"inverted": lambda n, s: [1 - x for x in n], "only the first place": lambda n, s: [n[0]] * len(n)},
        "all": {"unset": lambda n, s: [0] * len(n)},
    },
    ArgumentKind.FLAG: {
        "left out": {"on": lambda n, s: [1]},
        "off": {"on": lambda n, s: [1]},
        "on": {"off": lambda n, s: [0]},
    },
}


def _without(numbers: Numbers, number: int) -> Numbers:
    place = numbers.index(number)
    return [*numbers[:place], *numbers[place + 1 :]]


def _rolled(array: Array) -> Array:
    return np.roll(array, 1)


def _turned(array: Array) -> Array:
    """The last two dims of an output swapped where that does not show in its shape."""
    is_square = array.ndim > 1 and array.shape[-1] == array.shape[-2]
    return array.swapaxes(-1, -2) if is_square else array


def _refused(array: Array) -> Array:
    raise BrokenClauseError("nothing", "is not implemented")


def _last_again(array: Array) -> Array:
    found = array.copy()
    if found.size > 1:
        found.reshape(-1)[-1] = found.reshape(-1)[-2]
    return found


def _first_at(place: int) -> Change:
    def changed(array: Array) -> Array:
        found = array.copy()
        if found.size > place:
            found.reshape(-1)[place] = found.reshape(-1)[0]
        return found

    return changed


def _positive_zeros(array: Array) -> Array:
    return array + array.dtype.type(0) if array.dtype.kind in "fc" or array.dtype.name == "bfloat16" else array


def _stripped(array: Array) -> Array:
    return np.array([str(text).strip("\0 ") for text in array.reshape(-1)], object).reshape(array.shape)


def _texts(change: Callable[[str], str]) -> Change:
    """Each text changed, where the output has texts."""

    def changed(array: Array) -> Array:
        if array.dtype != object:
            return array
        return np.array([change(str(text)) for text in array.reshape(-1)], object).reshape(array.shape)

    return changed


def _cut_at(length: int) -> Callable[[str], str]:
    return lambda text: text.encode()[:length].decode(errors="ignore")


def _tail_again(tile: int) -> Change:
    """The rows behind whole tiles end with the element before their last one."""

    def changed(array: Array) -> Array:
        found = array.copy()
        if found.ndim and found.shape[-1] > tile and found.shape[-1] % tile:
            found[..., -1] = found[..., -2]
        return found

    return changed


def _through(dtype: str) -> Change:
    def narrowed(array: Array) -> Array:
        with np.errstate(all="ignore"):
            return array.astype(dtype).astype(array.dtype) if array.dtype.kind in "iuf" else array

    return narrowed


_NARROWED: Mapping[str, Mapping[str, Change]] = {
    "one element": {
        "it goes through float64": _through("float64"),
        "it goes through float32": _through("float32"),
        "it goes through float16": _through("float16"),
        "it goes through int32": _through("int32"),
    },
    "several elements": {
        "they go through float32": _through("float32"),
        "all are the first": lambda array: np.full_like(array, array.flat[0]),
    },
}
_OUTPUTS: Mapping[tuple[str, str], Mapping[str, Change]] = {
    ("data", "scalar"): {"a vector comes": lambda a: a.reshape(1, *a.shape)},
    ("data", "rank 1"): {"its elements are rolled": _rolled},
    ("data", "rank 2 to 4"): {"its elements are rolled": _rolled},
    ("data", "rank 5 to 8"): {"its elements are rolled": _rolled},
    ("data", "rank above 8"): {"it is refused": _refused, "its last element is lost": _last_again},
    ("data", "dims of 1"): {"they are lost": np.squeeze},
    ("data", "equal dims"): {"they are confused": _turned},
    ("data", "no elements"): {"it is refused": _refused},
    ("data", "an odd number"): {"its last element is lost": _last_again},
    ("data", "more than 2^16 elements"): {"one is that at 0": _first_at(1 << 16)},
    ("data", "more than 2^24 elements"): {"one is that at 0": _first_at(1 << 24)},
    ("data", "special values"): {"zeros lose their sign": _positive_zeros},
    ("data", "a dim beyond 31 bits"): {"it is refused": _refused},
    ("data", "beside tiles"): {
        **{f"the end of a row behind tiles of {tile} is lost": _tail_again(tile) for tile in (16, 32, 64)},
    },
    ("data", "strings"): {
        "zero bytes are lost": _stripped,
        "they are normalised": _texts(partial(unicodedata.normalize, "NFC")),
        "they are decomposed": _texts(partial(unicodedata.normalize, "NFD")),
        "they are in lower case": _texts(str.lower),
        "they are cut at 15 bytes": _texts(_cut_at(15)),
        "they are cut at 22 bytes": _texts(_cut_at(22)),
    },
    ("data", "less than a byte"): {"its elements are rolled": _rolled},
    ("inputs", "one"): {"it is refused": _refused},
    ("inputs", "two"): {"its elements are rolled": _rolled},
    ("inputs", "3 to 16"): {"its elements are rolled": _rolled},
    ("inputs", "17 to 255"): {"its elements are rolled": _rolled},
    ("inputs", "more than 255"): {"they are refused": _refused, "its last element is lost": _last_again},
    ("inputs", "more than 1,024"): {"they are refused": _refused},
    ("inputs", "an empty one first"): {"it is refused": _refused},
    ("inputs", "an empty one inside"): {"it is refused": _refused},
    ("inputs", "an empty one last"): {"it is refused": _refused},
    ("inputs", "unequal"): {"its elements are rolled": _rolled},
    ("shape", "left out"): {"its elements are rolled": _rolled},
    ("indices", "left out"): {"its elements are rolled": _rolled},
    ("axes", "repeated"): {"it is refused": _refused},
    ("target", "left out"): {"its elements are rolled": _rolled},
    ("places", "left out"): {"its elements are rolled": _rolled},
    ("places", "none"): {"they are refused": _refused},
    ("pads", "left out"): {"its elements are rolled": _rolled},
    ("lengths", "left out"): {"its elements are rolled": _rolled},
    ("indices", "none"): {"they are refused": _refused},
    ("indices", "an empty grid"): {"it is refused": _refused},
    ("places", "no depth"): {"they are refused": _refused},
    ("bounds", "left out"): {"its elements are rolled": _rolled},
    ("bounds", "none"): {"they are refused": _refused},
    ("mask", "left out"): {"its elements are rolled": _rolled},
    ("mask", "none"): {"it is refused": _refused},
    **{
        (kind.value, dtype): {"it is refused": _refused}
        for kind, classes in _ARGUMENTS.items()
        for dtype in sorted(INTEGERS - classes.keys())
    },
}
FAULTS: Mapping[str, KindFault] = {
    fault.name: fault
    for fault in (
        *(
            KindFault(kind=kind.value, class_name=name, says=says, reread=reread)
            for kind, classes in _ARGUMENTS.items()
            for name, faults in classes.items()
            for says, reread in faults.items()
        ),
        *(
            KindFault(kind=kind, class_name=name, says=says, change=change)
            for (kind, name), faults in _OUTPUTS.items()
            for says, change in faults.items()
        ),
        *(
            KindFault(kind="beside", class_name=name, says=says, narrow=narrow)
            for name, faults in _NARROWED.items()
            for says, narrow in faults.items()
        ),
    )
}
"""Every fault by its name."""


def misunderstanding(fault: KindFault, operators: Mapping[str, Operator], evaluate: Evaluate) -> Evaluate:
    """The reference with a fault in the calls that have its class."""

    def evaluated(name: str, arguments: Arguments, declared_outputs: int) -> Sequence[Tensor]:
        outputs = evaluate(name, arguments, declared_outputs)
        operator = operators[name]
        case = _case(operator, arguments, declared_outputs)
        needs_fill = (fault.kind, fault.class_name) == ("data", "special values")  # which a call does not tell
        if not needs_fill and (fault.kind, fault.class_name) not in classes_of(case):
            return outputs
        if fault.change is not None:
            return [tensor_from_array(fault.change(array_from_tensor(output))) for output in outputs]
        if fault.narrow is not None:
            return evaluate(name, _narrowed(fault.narrow, operator, arguments), declared_outputs)
        return evaluate(name, _reread(fault, case, arguments), declared_outputs)

    return evaluated


def _case(operator: Operator, arguments: Arguments, declared_outputs: int) -> Case:
    given = tuple(
        Argument(name, Role.INPUT, Value.of(value))
        if isinstance(value, Tensor)
        else Argument(name, Role.ATTRIBUTE, value)
        for name, value in arguments.items()
    )
    return lawful_call(operator, given, declared_outputs)


def _narrowed(narrow: Change, operator: Operator, arguments: Arguments) -> Arguments:
    """The arguments with other data beside the main one."""
    return {
        name: tensor_from_array(narrow(array_from_tensor(value)).reshape(value.shape))
        if isinstance(value, Tensor) and name in operator.data[1:]
        else value
        for name, value in arguments.items()
    }


def _reread(fault: KindFault, case: Case, arguments: Arguments) -> Arguments:
    """The arguments as the fault reads them."""
    found = dict(arguments)
    shape = next(iter(case.data_inputs.values())).shape if case.data_inputs else ()
    for parameter in case.operator.parameters:
        if parameter.kind is None or parameter.kind.value != fault.kind:
            continue
        value, reread = case.value(parameter.name), fault.reread
        assert reread is not None
        if value is None:
            numbers = reread([], shape) if fault.class_name == "left out" else None
            if numbers is not None and parameter.name not in found:
                found[parameter.name] = _encoded(case.operator, parameter, numbers)
            continue
        one = whole_number(value) if parameter.kind.is_one_number else None
        numbers = reread([one] if one is not None else list(whole_numbers(value) or ()), shape)
        if numbers is None:
            del found[parameter.name]
        elif isinstance(value, Value):
            kept = value.shape if len(numbers) == int(np.prod(value.shape)) else (len(numbers),)
            found[parameter.name] = _packed(numbers, value.dtype, kept)
        else:
            found[parameter.name] = numbers[0] if isinstance(value, int) else tuple(numbers)
    return found


def _encoded(operator: Operator, parameter: Parameter, numbers: Numbers) -> Any:
    if parameter.role is Role.ATTRIBUTE:
        return numbers[0] if parameter.kind is not None and parameter.kind.is_one_number else tuple(numbers)
    types = [dtype for dtype in operator.constraints[parameter.constraint or ""] if dtype in INTEGERS]
    shape = () if parameter.kind is not None and parameter.kind.is_one_number else (len(numbers),)
    return _packed(numbers, types[0], shape)


def _packed(numbers: Numbers, dtype: str, shape: tuple[int, ...]) -> Tensor:
    try:
        return pack_integers(numbers, dtype, shape)
    except OverflowError as error:
        raise BrokenClauseError("nothing", str(error)) from error
