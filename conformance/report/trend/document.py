"""A trend as JSON for programs, with a published schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conformance.findings.trend import Trend
from conformance.report.json_document import JsonDocument
from conformance.report.trend.wording import headline


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendDocument:
    """What changed over many runs."""

    format: Literal[1] = 1
    headline: str
    trend: Trend


DOCUMENT = JsonDocument(TrendDocument, "What changed over many opconform runs")


def render_json(trend: Trend) -> bytes:
    """The trend as JSON."""
    return DOCUMENT.rendered(TrendDocument(headline=headline(trend), trend=trend))
