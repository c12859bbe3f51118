"""A trend as JSON for programs, with a published schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from conformance.comparison.trend import Trend
from conformance.report.json_text import json_bytes
from conformance.report.trend.wording import headline


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendDocument:
    """What changed over many runs."""

    format: Literal[1] = 1
    headline: str
    trend: Trend


_DOCUMENT = TypeAdapter(TrendDocument)


def render_json(trend: Trend) -> bytes:
    """The trend as JSON."""
    document = TrendDocument(headline=headline(trend), trend=trend)
    return json_bytes(_DOCUMENT.dump_python(document, mode="json"), indent=2) + b"\n"


def trend_schema() -> dict[str, object]:
    """The JSON Schema of a trend."""
    schema: dict[str, object] = _DOCUMENT.json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "What changed over many opconform runs",
    }
