"""Turns numbers and texts of a case file into exact elements: `values` by value, `bits` by bit pattern.

Whole numbers stay integers from the text to the buffer, so that no NaN payload and no 64-bit value can change.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from conformance.spec.case import Value
from conformance.suite.yaml_file import KeyPath, Plain, SchemaError, kind_of, rewritten, shown
from conformance.tensors.dtypes import DTYPES, Category, ElementType
from conformance.tensors.errors import nearest
from conformance.tensors.tensor import numpy_dtype, pack_integers, pack_strings
from conformance.tensors.text import counted

Item = TypeVar("Item", str, bool, int)

_STRUCT_CODES = {"float16": "e", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}


def shape_of(values: Plain, keys: KeyPath = ()) -> tuple[int, ...]:
    """The shape of nested lists, to which `keys` lead; a scalar has the shape ().

    Raises:
        SchemaError: lists next to each other differ in length or depth.
    """
    if not isinstance(values, list):
        return ()
    shapes = [shape_of(item, (*keys, index)) for index, item in enumerate(values)]
    for index, shape in enumerate(shapes):
        if shape != shapes[0]:
            what = f"{_extent(shape)} stands next to {_extent(shapes[0])}"
            raise SchemaError((*keys, index), what, "give lists next to each other the same length and depth")
    return (len(values), *(shapes[0] if shapes else ()))


def data_from_values(values: Plain, dtype: str, keys: KeyPath = ()) -> bytes:
    """The elements of nested lists, to which `keys` lead, in row-major order.

    Complex numbers are texts such as "1-2j". Floats take whole numbers, decimals, `.inf` and `.nan`.

    Raises:
        SchemaError: a value is not one of the type, or the type cannot hold it exactly.
    """
    kind, items = DTYPES[dtype], flat_items(values, keys)
    match kind.category:
        case Category.STRING:
            texts = [_of_type(str, item, dtype, "a text", at).encode() for at, item in items]
            return bytes(pack_strings(texts, (len(texts),)).data)
        case Category.BOOL:
            return bytes([_of_type(bool, item, dtype, "true or false", at) for at, item in items])
        case Category.SIGNED | Category.UNSIGNED:
            numbers = [_whole(item, kind, at) for at, item in items]
            return bytes(pack_integers(numbers, dtype, (len(numbers),)).data)
        case Category.RAW:
            raise SchemaError(keys, f"{dtype} has no numbers", "write `bits`")
        case Category.COMPLEX:
            return b"".join(_complex(item, dtype, at) for at, item in items)
        case Category.FLOAT:
            return b"".join(_float(item, dtype, at) for at, item in items)


def data_from_bits(patterns: Plain, dtype: str, keys: KeyPath = ()) -> bytes:
    """Elements from bit patterns, written as whole numbers such as 0x7fa00001, in row-major order.

    Raises:
        SchemaError: a pattern is not a whole number or has too many bits, or the type is string.
    """
    kind = DTYPES[dtype]
    if kind.category is Category.STRING:
        raise SchemaError(keys, "strings have no bit patterns", "write `values`")
    return b"".join(_pattern(item, kind, at) for at, item in flat_items(patterns, keys))


def written_value(
    dtype: str,
    elements: Plain,
    keys: KeyPath,
    shape: tuple[int, ...] | None = None,
    encode: Callable[[Plain, str, KeyPath], bytes] = data_from_values,
) -> Value:
    """A tensor of elements, to which `keys` lead; without `shape`, it has that of the lists.

    Raises:
        SchemaError: the elements do not fit the type or the shape.
    """
    shape = shape_of(elements, keys) if shape is None else shape
    data = encode(elements, dtype, keys)
    count, itemsize = math.prod(shape), DTYPES[dtype].itemsize
    if itemsize and len(data) != count * itemsize:
        given = counted(len(data) // itemsize, "element")
        what = f"{given} for the shape {list(shape)}, which has {count}"
        raise SchemaError(keys, what, f"write {count}, or correct the shape")
    return Value(dtype=dtype, shape=shape, data=data)


def flat_items(values: Plain, keys: KeyPath) -> Iterator[tuple[KeyPath, Plain]]:
    """Each value in row-major order, with the keys that lead to it."""
    if isinstance(values, list):
        for index, item in enumerate(values):
            yield from flat_items(item, (*keys, index))
    else:
        yield keys, values


def _extent(shape: tuple[int, ...]) -> str:
    return f"a list of shape {list(shape)}" if shape else "a single value"


def _pattern(item: Plain, kind: ElementType, keys: KeyPath) -> bytes:
    if type(item) is not int or not 0 <= item < 1 << kind.bits:
        what = f"{item!r} is not a pattern of {kind.bits} bits, the width of {kind.name}"
        raise SchemaError(keys, what, f"write a whole number from 0 to {(1 << kind.bits) - 1:#x}")
    return item.to_bytes(kind.itemsize, "little")


def _whole(item: Plain, kind: ElementType, keys: KeyPath) -> int:
    number = _of_type(int, item, kind.name, "a whole number", keys)
    if number not in kind.integers:
        first, last = kind.integers[0], kind.integers[-1]
        raise SchemaError(keys, f"{number} does not fit {kind.name}", f"write a number from {first} to {last}")
    return number


def _float(item: Plain, dtype: str, keys: KeyPath) -> bytes:
    if isinstance(item, bool) or not isinstance(item, (int, float)):
        raise _other_kind(item, dtype, "a number", keys)
    number = float(item)
    if number != item and not math.isnan(number):
        raise _inexact(item, dtype, keys)
    return _packed(dtype, number, keys)


def _complex(item: Plain, dtype: str, keys: KeyPath) -> bytes:
    try:
        number = complex(str(item).replace(" ", ""))
    except ValueError:
        raise SchemaError(keys, f"{item!r} is not a complex number", 'write one such as "1-2j"') from None
    return _packed(dtype, number.real, keys) + _packed(dtype, number.imag, keys)


def _of_type(wanted: type[Item], item: Plain, dtype: str, needed: str, keys: KeyPath) -> Item:
    if type(item) is not wanted:
        raise _other_kind(item, dtype, needed, keys)
    return item


def _other_kind(item: Plain, dtype: str, needed: str, keys: KeyPath) -> SchemaError:
    return SchemaError(keys, f"{shown(item)} is {kind_of(item)}, and {dtype} needs {needed}", rewritten(item, [needed]))


def _packed(dtype: str, number: float, keys: KeyPath) -> bytes:
    """A number as an element, or as a part of a complex one.

    Raises:
        SchemaError: the type cannot hold the number exactly.
    """
    code = _STRUCT_CODES.get(dtype)
    try:
        if code is not None:
            packed = struct.pack(f"<{code}", number)
            (back,) = struct.unpack(f"<{code}", packed)
        else:
            import numpy as np

            with np.errstate(all="ignore"):
                element = np.float64(number).astype(numpy_dtype(dtype))
            packed, back = element.tobytes(), float(element)
    except OverflowError:
        back = math.inf
    if back != number and not (math.isnan(number) and math.isnan(back)):
        raise _inexact(number, dtype, keys)
    return packed


def _inexact(number: float, dtype: str, keys: KeyPath) -> SchemaError:
    return SchemaError(keys, f"{dtype} cannot hold {number!r} exactly", "write a number that it has, or use `bits`")


# Resolves `$name` in a case to its value in one product of the matrix, and expands lists that repeat a value.

MAX_DEPTH = 32
MAX_ITEMS = 1 << 20
_REPETITION = {"times", "value"}


def resolved(raw: Plain, bindings: Mapping[str, Plain], keys: KeyPath = ()) -> Plain:
    """The value with each `$name.key` replaced by its bound value, and each `{times: 3, value: 1}` in a list expanded.

    A key may itself be a reference, as in `$rank.$position.shape`, and bound values may contain references.
    `keys` lead to the value.

    Raises:
        SchemaError: a name is not bound or refers to itself, references are nested deeper than MAX_DEPTH, or the result
            has more than MAX_ITEMS items.
    """
    return _Resolver(bindings).value(raw, keys)


def names_in(raw: Plain) -> Iterator[str]:
    """The names that the references in a value use: `rank` and `position` in `$rank.$position.shape`."""
    if isinstance(raw, dict | list):
        for value in raw.values() if isinstance(raw, dict) else raw:
            yield from names_in(value)
    elif isinstance(raw, str) and _is_reference(raw):
        for number, part in enumerate(raw.split(".")):
            if number == 0 or part.startswith("$"):
                yield part.removeprefix("$")


def label_of(choice: Plain) -> str:
    """The label of a plain choice in ids and keys."""
    return str(choice).lower() if isinstance(choice, bool) else str(choice)


def _is_reference(raw: Plain) -> bool:
    return isinstance(raw, str) and raw.startswith("$") and not raw.startswith("$$")


@dataclass(slots=True)
class _Resolver:
    """Resolves one value. `following` are the references being followed."""

    bindings: Mapping[str, Plain]
    following: list[str] = field(default_factory=list)
    items: int = 0

    def value(self, raw: Plain, keys: KeyPath) -> Plain:
        if isinstance(raw, dict):
            self._count(len(raw), keys)
            return {key: self.value(value, (*keys, key)) for key, value in raw.items()}
        if isinstance(raw, list):
            return [item for index, value in enumerate(raw) for item in self._items(value, (*keys, index))]
        if not isinstance(raw, str) or not raw.startswith("$"):
            return raw
        return self._bound(raw, keys) if _is_reference(raw) else raw[1:]

    def _items(self, raw: Plain, keys: KeyPath) -> list[Plain]:
        """The items that an item of a list expands to: itself, or repetitions of a value."""
        value = self.value(raw, keys)
        if not isinstance(value, dict) or set(value) != _REPETITION:
            self._count(1, keys)
            return [value]
        times = value["times"]
        if type(times) is not int or times < 0:
            raise SchemaError((*keys, "times"), f"{times!r} is not a number of repetitions", "write a whole number")
        if isinstance(value["value"], list):
            raise SchemaError((*keys, "value"), "a list cannot be repeated", "write the items out")
        self._count(times, keys)
        return [value["value"]] * times

    def _bound(self, reference: str, keys: KeyPath) -> Plain:
        found = self._found(reference, keys)
        self.following.append(reference)
        made = self.value(found, keys)
        self.following.pop()
        return made

    def _found(self, reference: str, keys: KeyPath) -> Plain:
        """The value that a reference leads to, before the references within it are resolved."""
        if reference in self.following:
            chain = " -> ".join([*self.following, reference])
            raise SchemaError(keys, f"{reference!r} refers to itself: {chain}", "break the cycle")
        if len(self.following) >= MAX_DEPTH:
            raise SchemaError(keys, f"the chain of references has more than {MAX_DEPTH} steps", "shorten it")
        self.following.append(reference)
        value: Any = self.bindings
        for part in reference[1:].split("."):
            name = self._name(part, reference, keys) if part.startswith("$") else part
            while isinstance(value, str) and _is_reference(value):
                value = self._found(value, keys)
            if not isinstance(value, Mapping) or name not in value:
                known = value if isinstance(value, Mapping) else self.bindings
                fix = nearest(name, known, otherwise=f"define {name!r} under `matrix`")
                raise SchemaError(keys, f"{reference!r} is not bound by the matrix", fix)
            value = value[name]
        self.following.pop()
        found: Plain = value
        return found

    def _name(self, part: str, reference: str, keys: KeyPath) -> str:
        value = self._bound(part, keys)
        if isinstance(value, dict | list):
            what = f"{part!r} in {reference!r} must be a single word, not a list or mapping"
            raise SchemaError(keys, what, "choose it from a list of words, as [first, last]")
        return label_of(value)

    def _count(self, number: int, keys: KeyPath) -> None:
        self.items += number
        if self.items > MAX_ITEMS:
            raise SchemaError(keys, f"makes more than {MAX_ITEMS} items", "write fewer")
