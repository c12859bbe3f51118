"""A comparison as JSON for programs, with a published schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from conformance.comparison.compare import Comparison, exit_code, unsound_reasons
from conformance.report.comparison.wording import headline
from conformance.report.json_text import json_bytes
from conformance.spec.verdict import ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDocument:
    """What changed between two runs. `reasons` say why nothing can be concluded, where `exit_code` is 3."""

    format: Literal[1] = 1
    headline: str
    exit_code: ExitCode
    reasons: list[str]
    comparison: Comparison


_DOCUMENT = TypeAdapter(ComparisonDocument)


def render_json(comparison: Comparison) -> bytes:
    """The comparison as JSON."""
    document = ComparisonDocument(
        headline=headline(comparison),
        exit_code=exit_code(comparison),
        reasons=list(unsound_reasons(comparison)),
        comparison=comparison,
    )
    return json_bytes(_DOCUMENT.dump_python(document, mode="json"), indent=2) + b"\n"


def comparison_schema() -> dict[str, object]:
    """The JSON Schema of a comparison."""
    schema: dict[str, object] = _DOCUMENT.json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "What changed between two opconform runs",
    }
