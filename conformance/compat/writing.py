"""Writes the data as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .data import CompatData
from .frameworks import CompatFrameworks

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
