"""JSON that any reader takes: UTF-8, with what UTF-8 cannot spell as question marks."""

from __future__ import annotations

import json


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """Plain values as JSON; halves of surrogate pairs become question marks."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).encode("utf-8", "replace")
