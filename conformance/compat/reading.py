"""Reads `data.json` and `engines.json`, which may be of a stranger."""

from __future__ import annotations

import json
import lzma
import os
import stat
from collections.abc import Iterator
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from .data import FORMAT, CompatData, CompatFileError, CompatFrameworks

DATA = Path(__file__).with_name("data.json.xz")
ENGINES = Path(__file__).with_name("engines.json")
"""The files that come with the package."""
MAX_BYTES = 32 << 20
"""Of a file, packed or not."""


def load(path: Path = DATA) -> CompatData:
    """The data in a file, which may be packed with xz.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    data: CompatData = _read(CompatData, path)
    return data


def load_frameworks(path: Path = ENGINES) -> CompatFrameworks:
    """The facts of the releases in a file.

    Raises:
        CompatFileError: the file is missing, or not of this format.
    """
    frameworks: CompatFrameworks = _read(CompatFrameworks, path)
    return frameworks


def _read(kind: type, path: Path) -> Any:
    try:
        document: Any = json.loads(_content(path))
    except OSError as error:
        raise CompatFileError(path, f"{error.strerror}") from None
    except (ValueError, lzma.LZMAError) as error:
        raise CompatFileError(path, f"is not JSON: {error}") from None
    except RecursionError:
        raise CompatFileError(path, "is nested too deeply") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CompatFileError(path, f"is not of format {FORMAT}, which this reader reads")
    try:
        return _made(kind, document, "the file")
    except TypeError as error:
        raise CompatFileError(path, f"is not of this format: {error}") from None


def _content(path: Path) -> bytes:
    """The bytes of a regular file, unpacked; of a pipe or a device, none would be the last."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise CompatFileError(path, "is not a regular file")
        content = stream.read(MAX_BYTES + 1)
    if path.suffix == ".xz" and len(content) <= MAX_BYTES:
        content = lzma.LZMADecompressor(memlimit=4 * MAX_BYTES).decompress(content, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CompatFileError(path, f"has more than {MAX_BYTES:,} bytes")
    return content


def _made(kind: Any, value: Any, place: str) -> Any:
    """A value of JSON as one of a type of this package.

    Raises:
        TypeError: it is not one; the message begins with the place.
    """
    plain, of = get_origin(kind) or kind, get_args(kind)
    if of and plain not in (dict, list):  # or None
        return None if value is None else _made(of[0], value, place)
    if type(value) is not (json_type := dict if is_dataclass(plain) else plain):
        raise TypeError(f"{place[:200]} is {type(value).__name__}, not {json_type.__name__}")
    if plain is list:
        return [_made(of[0], entry, f"{place}[{number}]") for number, entry in enumerate(value)]
    if plain is dict:
        return {name: _made(of[1], entry, f"{place}: {name}") for name, entry in value.items()}
    if not is_dataclass(plain):
        return value
    kinds, required = _fields(kind)
    for what, names in (("no", required - value.keys()), ("an unknown", value.keys() - kinds.keys())):
        if names:
            raise TypeError(f"{place[:200]} has {what} {min(names)!r}"[:400])
    return kind(**{name: _made(kinds[name], entry, f"{place}: {name}") for name, entry in value.items()})


@cache
def _fields(kind: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The types of a class's fields, and those without a default."""
    required = (one.name for one in fields(kind) if one.default is one.default_factory is MISSING)
    return get_type_hints(kind), frozenset(required)


# Writes the data as JSON.

_ONE_LINE = 3
"""A value with at most so many levels takes one line."""


def text_of(document: CompatData | CompatFrameworks) -> str:
    """A document as JSON: nothing that is empty, and one line for each part, so that few lines change at a time."""
    return "".join([*_pieces(asdict(document, dict_factory=_filled), ""), "\n"])


def _filled(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if value not in ("", {}, None)}


def _pieces(value: Any, indent: str) -> Iterator[str]:
    if not isinstance(value, list | dict) or _depth(value) <= _ONE_LINE:
        yield json.dumps(value, ensure_ascii=False)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    entries = (
        [(f"{json.dumps(key)}: ", entry) for key, entry in value.items()]
        if isinstance(value, dict)
        else [("", entry) for entry in value]
    )
    for place, (key, entry) in enumerate(entries):
        yield f"{',' if place else opening}\n{indent} {key}"
        yield from _pieces(entry, f"{indent} ")
    yield f"\n{indent}{closing}"


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)
