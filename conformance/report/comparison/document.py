"""A comparison as JSON for programs, with a published schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.findings.compare import Comparison, exit_code, unsound_reasons
from conformance.language.verdict import ExitCode
from conformance.report.comparison.wording import headline
from conformance.report.json_document import JsonDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDocument:
    """What changed between two runs. `reasons` say why nothing can be concluded, where `exit_code` is 3."""

    format: Literal[1] = 1
    headline: str
    exit_code: ExitCode
    reasons: list[str]
    comparison: Comparison


COMPARISON = JsonDocument(ComparisonDocument, "What changed between two opconform runs")


def render_comparison(found: Comparison) -> bytes:
    """The comparison as JSON."""
    document = ComparisonDocument(
        headline=headline(found), exit_code=exit_code(found), reasons=list(unsound_reasons(found)), comparison=found
    )
    return COMPARISON.rendered(document)
