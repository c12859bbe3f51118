"""JSON for programs: UTF-8 that every reader accepts, and documents with a published schema."""

from __future__ import annotations

import json
from typing import Generic, TypeVar

from pydantic import TypeAdapter

Written = TypeVar("Written")


class JsonDocument(Generic[Written]):
    """The kind of a document, a dataclass, under the title of its schema."""

    def __init__(self, kind: type[Written], title: str) -> None:
        self._adapter: TypeAdapter[Written] = TypeAdapter(kind)
        self._title = title

    def rendered(self, document: Written) -> bytes:
        """The document as JSON."""
        return json_bytes(self._adapter.dump_python(document, mode="json"), indent=2) + b"\n"

    def schema(self) -> dict[str, object]:
        """The JSON Schema of such a document."""
        schema = self._adapter.json_schema(mode="serialization")
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": self._title}


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """Plain values as JSON; lone surrogates, which UTF-8 cannot encode, become question marks."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).encode("utf-8", "replace")
