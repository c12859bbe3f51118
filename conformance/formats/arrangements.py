"""How a case writes which element of the data stands at each place of an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.formats.file_schema import SchemaError
from conformance.formats.literals import shape_of
from conformance.formats.yaml_document import KeyPath, Plain
from conformance.language.elements import Arrangement, Block, Joined, Permuted, Places, row_major_strides

ARRANGEMENTS = frozenset({"at", "block", "joined", "permuted"})
"""The keys of which an output that holds elements of the data has exactly one."""


def arrangements_of(outputs: Sequence[Plain], keys: KeyPath = ()) -> tuple[tuple[Arrangement, ...], list[Plain]]:
    """The arrangement of each of the outputs, to which `keys` lead, and the constants that they hold.

    Raises:
        SchemaError: an output is written in no way or in several, or a number or shape is not valid.
    """
    constants: list[Plain] = []
    return tuple(_arrangement(output, (*keys, index), constants) for index, output in enumerate(outputs)), constants


def _arrangement(raw: Plain, keys: KeyPath, constants: list[Plain]) -> Arrangement:
    ways = sorted(ARRANGEMENTS.intersection(raw)) if isinstance(raw, dict) else []
    if not isinstance(raw, dict) or len(ways) != 1:
        raise SchemaError(keys, f"has {len(ways)} of {', '.join(sorted(ARRANGEMENTS))}", "write exactly one")
    match way := ways[0]:
        case "block":
            return _block(raw[way], (*keys, way))
        case "joined":
            blocks = _list(raw[way], (*keys, way))
            made = tuple(_block(block, (*keys, way, index)) for index, block in enumerate(blocks))
            axis = _integers([raw.get("along", 0)], (*keys, "along"))[0]
            if not made or len({len(block.shape) for block in made}) > 1 or not 0 <= axis < len(made[0].shape):
                raise SchemaError((*keys, way), "these blocks cannot be joined", "write blocks of one rank")
            return Joined(made, axis)
        case "permuted":
            order = _integers(raw[way], (*keys, way))
            if sorted(order) != list(range(len(order))):
                raise SchemaError((*keys, way), f"{order!r} is not an order of dims", "name each dim once, from 0")
            return Permuted(order)
        case _:
            return _places(raw, (*keys, way), constants)


def _places(raw: Mapping[str, Plain], keys: KeyPath, constants: list[Plain]) -> Places:
    places = list(_flat(raw["at"], keys, constants))
    shape = _integers(raw["shape"], (*keys[:-1], "shape")) if "shape" in raw else shape_of(raw["at"], keys)
    return Places(shape, tuple(places))


def _flat(raw: Plain, keys: KeyPath, constants: list[Plain]) -> Iterator[int]:
    if isinstance(raw, list):
        for index, item in enumerate(raw):
            yield from _flat(item, (*keys, index), constants)
    elif isinstance(raw, dict) and set(raw) == {"value"}:
        if raw["value"] not in constants:
            constants.append(raw["value"])
        yield -1 - constants.index(raw["value"])
    elif type(raw) is int and raw >= 0:
        yield raw
    else:
        raise SchemaError(keys, f"{raw!r} is not the number of an element", "write a number from 0, or {value: 0}")


def _block(raw: Plain, keys: KeyPath) -> Block:
    if not isinstance(raw, dict) or "shape" not in raw:
        raise SchemaError(keys, "is not a block", "write {start: 0, shape: [2, 3], strides: [3, 1]}")
    shape = _integers(raw["shape"], (*keys, "shape"))
    strides = row_major_strides(shape)
    if raw.get("strides") is not None:
        strides = _integers(raw["strides"], (*keys, "strides"))
    if len(strides) != len(shape) or min(shape, default=0) < 0:
        raise SchemaError(keys, f"the strides {strides} do not fit the shape {shape}", "write one for each dim")
    return Block(start=_integers([raw.get("start", 0)], (*keys, "start"))[0], shape=shape, strides=strides)


def _list(raw: Plain, keys: KeyPath) -> list[Plain]:
    if not isinstance(raw, list):
        raise SchemaError(keys, f"{raw!r} is not a list", "write one")
    return raw


def _integers(raw: Plain, keys: KeyPath) -> tuple[int, ...]:
    items = _list(raw, keys)
    if not all(type(item) is int for item in items):
        raise SchemaError(keys, f"{raw!r} is not a list of whole numbers", "write one, as [0, 1]")
    return tuple(item for item in items if isinstance(item, int))
