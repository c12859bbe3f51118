"""Resolves `$name` in a case to its value in one product of the matrix, and expands lists that repeat a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.formats.file_schema import SchemaError
from conformance.formats.yaml_document import KeyPath, Plain
from conformance.values.errors import nearest

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
