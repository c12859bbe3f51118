"""Findings as lines for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from conformance.adapter_kit.adapter_check.finding import Finding, State

_WIDTH = 120
_INDENT = " " * 14
_SEEN = 5
_CHARACTERS = 400


def lines_of(target: str, findings: Sequence[Finding]) -> Iterator[str]:
    """A line for each probe, below it the evidence and what to change, and a last line that sums up."""
    for finding in findings:
        yield f"{finding.state.value:<{len(_INDENT)}}{finding.requirement}"
        for seen in finding.seen[:_SEEN]:
            yield from _indented(seen)
        if len(finding.seen) > _SEEN:
            yield f"{_INDENT}and {len(finding.seen) - _SEEN} more"
        if finding.fix:
            yield from _indented(f"change: {finding.fix}")
    problems = sum(finding.state is State.PROBLEM for finding in findings)
    count = sum(finding.state is State.INCONCLUSIVE for finding in findings)
    unclear = f"; {count} inconclusive" if count else ""
    yield f"{target}: {problems or 'no'} problem{'s' * (problems != 1)} in {len(findings)} probe(s){unclear}"


def _indented(text: str) -> list[str]:
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _CHARACTERS else f"{shown[: _CHARACTERS - 3]}..."
    return textwrap.wrap(shown, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
