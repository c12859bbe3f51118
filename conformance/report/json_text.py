"""JSON that every reader accepts: UTF-8, with question marks for what UTF-8 cannot encode."""

from __future__ import annotations

import json


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """Plain values as JSON; lone surrogates become question marks."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).encode("utf-8", "replace")
