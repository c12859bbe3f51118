"""A comparison and a trend as JSON for programs, with published schemas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.findings.compare import Comparison, exit_code, unsound_reasons
from conformance.findings.trend import Trend
from conformance.language.verdict import ExitCode
from conformance.report.comparison.wording import headline as comparison_headline
from conformance.report.json_document import JsonDocument
from conformance.report.trend.wording import headline as trend_headline


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonDocument:
    """What changed between two runs. `reasons` say why nothing can be concluded, where `exit_code` is 3."""

    format: Literal[1] = 1
    headline: str
    exit_code: ExitCode
    reasons: list[str]
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendDocument:
    """What changed over many runs."""

    format: Literal[1] = 1
    headline: str
    trend: Trend


COMPARISON = JsonDocument(ComparisonDocument, "What changed between two opconform runs")
TREND = JsonDocument(TrendDocument, "What changed over many opconform runs")


def render_changes(found: Comparison | Trend) -> bytes:
    """The comparison or trend as JSON."""
    if isinstance(found, Trend):
        return TREND.rendered(TrendDocument(headline=trend_headline(found), trend=found))
    document = ComparisonDocument(
        headline=comparison_headline(found),
        exit_code=exit_code(found),
        reasons=list(unsound_reasons(found)),
        comparison=found,
    )
    return COMPARISON.rendered(document)
