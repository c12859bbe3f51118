"""Reads JSON and refuses repeated keys: parsers disagree about which of the values counts."""

from __future__ import annotations

import json

from conformance.formats.yaml_document import Plain


def json_value(data: bytes) -> Plain:
    """The value of a JSON text.

    Raises:
        ValueError: the text is no JSON in UTF-8, is nested too deeply, or has a key twice.
    """
    try:
        value: Plain = json.loads(data.decode(), object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    return value


def _once(pairs: list[tuple[str, Plain]]) -> Plain:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("has a key twice")
    return found
