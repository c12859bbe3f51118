"""Findings as blocks of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.adapter_kit.interview import Finding, State
from conformance.report.document import ALL, Details, Items, ReportBlock, Sentence, Span, Tone
from conformance.tensors.text import counted

_EVIDENCE = 500
"""Characters of one piece of evidence: a message with paths in it stays whole."""
_TONES = {State.OK: None, State.NOTE: None, State.PROBLEM: Tone.BAD, State.INCONCLUSIVE: Tone.KNOWN}


def blocks_of(target: str, findings: Sequence[Finding]) -> Iterator[ReportBlock]:
    """An entry for each probe, in it the evidence and what to change, and a last sentence that sums up."""
    yield Items([_entry(finding) for finding in findings], few=ALL)
    problems = sum(finding.state is State.PROBLEM for finding in findings)
    count = sum(finding.state is State.INCONCLUSIVE for finding in findings)
    found = counted(problems, "problem") if problems else "no problems"
    unclear = f"; {count} inconclusive" if count else ""
    yield Sentence(f"{target}: {found} in {counted(len(findings), 'probe')}{unclear}")


def _entry(finding: Finding) -> Details:
    change = [Sentence(Span(f"change: {finding.fix}"))] if finding.fix else []
    return Details(
        head=f"{finding.state.value}: {finding.requirement}",
        blocks=[Items([Span(text, limit=_EVIDENCE) for text in finding.seen], few=ALL), *change],
        tone=_TONES[finding.state],
    )
