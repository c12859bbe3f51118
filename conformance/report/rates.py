"""A rate as a cell: passed / compared, with a sign and a colour, and what else was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.findings.counts import Counts
from conformance.findings.summary import Summary
from conformance.language.verdict import RateMark
from conformance.report import wording
from conformance.report.document import Span, SpanKind, TableCell, Tone
from conformance.report.links import mark_link

RESULT_TONES = {"green": Tone.GOOD, "amber": Tone.KNOWN, "red": Tone.BAD, "orange": Tone.WARNING, "grey": Tone.QUIET}
"""The tone of a target's result, by the result's colour."""
SIGNS = {Tone.BAD: "✗", Tone.KNOWN: "±", Tone.GOOD: "✓"}


def rate_cells(summary: Summary, versions: Iterable[str], terms: Mapping[str, str]) -> list[TableCell]:
    """The cells of all targets for these operator versions."""
    return [rate_cell(summary.counts_of(versions, one.name), one.name, terms) for one in summary.targets]


def rate_cell(counts: Counts, target: str, terms: Mapping[str, str]) -> TableCell:
    """A rate, below it what is new or known, each linked to those checks, and one number of all not compared.

    That number opens to show their kinds. A single kind that was not compared stands for itself.
    """
    if not counts.total:
        return TableCell("not run", is_rate=True)
    tone = tone_of(counts)
    marks = wording.marks(counts)
    notes, quiet = (
        [_note(mark, count, target, terms) for mark, count in marks.items() if is_quiet is _is_quiet(mark)]
        for is_quiet in (False, True)
    )
    if len(quiet) > 1:
        number = sum(count for mark, count in marks.items() if _is_quiet(mark) and mark is not RateMark.LOWERED)
        quiet = [TableCell(f"{number:,} not compared", quiet, Tone.QUIET)]
    text = (Span(SIGNS.get(tone, ""), SpanKind.SIGN), f" {wording.rate(counts)}")
    return TableCell(text, [*notes, *quiet], tone, is_rate=True)


def tone_of(counts: Counts) -> Tone:
    """The tone of a rate: what differs, what is known, what conforms, or that nothing was compared."""
    numbers = {Tone.BAD: counts.deviating, Tone.KNOWN: counts.excused, Tone.GOOD: counts.compared}
    return next((tone for tone, number in numbers.items() if number), Tone.QUIET)


def _is_quiet(mark: RateMark) -> bool:
    return wording.MARKS[mark].tone is Tone.QUIET


def _note(mark: RateMark, count: int, target: str, terms: Mapping[str, str]) -> TableCell:
    return TableCell(
        Span(f"{count:,} {mark.value}", link=mark_link(mark, target, terms)), tone=wording.MARKS[mark].tone
    )
