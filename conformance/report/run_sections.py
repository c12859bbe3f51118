"""The sections of a run that only its page has: clauses, disputes, what was not compared, and what ran where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.log.causes import Counts
from conformance.log.record import RecordedInterpretation, TargetEntry
from conformance.log.summary import OTHERS, NotCompared, Summary
from conformance.report import wording
from conformance.report.case_view import badge, linked
from conformance.report.document import (
    Details,
    Drawing,
    Facts,
    Items,
    Medium,
    ReportBlock,
    ReportSection,
    Sentence,
    Span,
    SpanKind,
    Table,
    TableCell,
    TableRow,
    Text,
    Tone,
    columns,
    row,
)
from conformance.report.page import rendered
from conformance.report.timing import TIMES
from conformance.report.wording import find_link, mark_link
from conformance.spec.verdict import RateMark, Verdict
from conformance.tensors.text import BLOCK, counted, one_line, options_text

# A rate as a cell: passed / compared, with a sign and a colour, and what else was counted.

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


_MAX_UNMET = 60
_MAX_PLACES = 12
_FEW_REASONS = 6


def clauses(summary: Summary) -> ReportSection:
    """Which clauses were tested, and how many of their checks passed."""
    unmet = [f"{operator} {clause}" for (operator, clause), by_target in summary.clauses.items() if not by_target]
    says: list[str | Span] = [f"{counted(len(summary.clauses), 'rule')}, each of which was tested."]
    if unmet:
        says = [f"{len(unmet)} of {counted(len(summary.clauses), 'rule')} were not tested: "]
        for place, clause in enumerate(unmet[:_MAX_UNMET]):
            says += [", " * bool(place), Span(clause, SpanKind.CODE)]
        says.append(" and more." if len(unmet) > _MAX_UNMET else ".")
    about = "Passed / compared checks by clause; a check counts for each clause that its case tests."
    return ReportSection(
        title="Which clauses were tested",
        id="clauses",
        media=Medium.PAGE,
        blocks=[Sentence(says), Sentence(about), *_by_operator(summary)],
    )


def _by_operator(summary: Summary) -> Iterator[Details]:
    """The clauses of each operator, in the order of the operators."""
    by_operator: dict[str, list[TableRow]] = {operator: [] for operator in summary.operators}
    for (operator, clause), counts in summary.clauses.items():
        says = summary.header.suite.operators.get(operator, {}).get(clause, "not among the clauses of this suite")
        terms = {"operator": operator, "clause": clause}
        cells = (rate_cell(counts.get(one.name, Counts()), one.name, terms) for one in summary.targets)
        by_operator.setdefault(operator, []).append(row(clause, Span(says, limit=2000), *cells))
    names = columns("Clause", "What it says", *(target.name for target in summary.targets))
    for operator, rows in by_operator.items():
        if rows:
            table = Table(name=f"Clauses of {operator}", columns=names, rows=rows, kind="clauses")
            head = f"{one_line(operator)}, {counted(len(rows), 'clause')}"
            yield Details(head=head, blocks=[*_law(summary, operator), table], kind="folded")


def _law(summary: Summary, operator: str) -> list[ReportBlock]:
    lines = summary.header.suite.laws.get(operator, [])
    said = Sentence("The law, by which each element of an output is known:")
    return [said, Items([Span(line, SpanKind.CODE, limit=2000) for line in lines])] if lines else []


def disputes(summary: Summary) -> ReportSection:
    """Which interpretation of each disputed case a target follows."""
    rows = []
    for case in sorted(summary.followed):
        known = summary.header.suite.disputes.get(case, [])
        name = TableCell(Span(case, SpanKind.CASE), [_interpretations(known)] if known else [])
        rows.append(row(name, *(_followed(summary, case, target.name) for target in summary.targets)))
    table = Table(
        name="Disputed cases",
        columns=columns("Case", *(target.name for target in summary.targets)),
        rows=rows,
        caption="The interpretation of each disputed case that a target follows, and in how many checks; each "
        "interpretation conforms",
        kind="disputes",
    )
    blocks = [table] if rows else [Sentence("No disputed case ran.")]
    return ReportSection(title="What the spec leaves open", id="disputes", media=Medium.PAGE, blocks=blocks)


def _interpretations(known: Iterable[RecordedInterpretation]) -> TableCell:
    """A note that opens to show what a case leaves open."""
    notes = []
    for one in known:
        says = [Span(one.name, SpanKind.STRONG), Span(f": {one.reason} ", limit=BLOCK), linked(one.thread, one.thread)]
        notes.append(TableCell(says))
    return TableCell("the interpretations", notes)


def _followed(summary: Summary, case: str, target: str) -> str:
    found = summary.followed[case].get(target, {}).items()
    return ", ".join(f"{one_line(name)} {TIMES} {count}" for name, count in found) or "—"


def not_compared(summary: Summary) -> ReportSection:
    """The reasons why checks were not compared."""
    blocks: list[ReportBlock] = []
    for target in summary.targets:
        by_verdict: dict[Verdict, list[NotCompared]] = {}
        for item in summary.not_compared:
            if item.target == target.name:
                by_verdict.setdefault(item.verdict, []).append(item)
        if by_verdict:
            count = counted(sum(item.count for items in by_verdict.values() for item in items), "check")
            title = Span(target.name, SpanKind.NAME), " ", Span(count, SpanKind.COUNT)
            blocks.append(ReportSection(title=title, blocks=[_reasons(*found) for found in by_verdict.items()]))
    return ReportSection(
        title="What was not compared, and why",
        id="not-compared",
        media=Medium.PAGE,
        blocks=blocks or [Sentence("Every check was compared.")],
    )


def _reasons(verdict: Verdict, items: Sequence[NotCompared]) -> Details:
    checks = counted(sum(item.count for item in items), "check")
    return Details(
        head=[Span("-", page=badge(verdict, verdict)), f" {checks}, {counted(len(items), 'reason')}"],
        blocks=[Items([_reason(item) for item in items], kind="")],
        is_open=len(items) <= _FEW_REASONS,
        kind="reasons",
    )


def _reason(item: NotCompared) -> Text:
    link = "" if item.reason == OTHERS else find_link(target=item.target, did=one_line(item.reason, 300))
    return [
        Span(counted(item.count, "check"), SpanKind.PLAIN if link else SpanKind.MUTED, link=link),
        f" {item.reason}",
    ]


def environment(summary: Summary) -> ReportSection:
    """What ran where: frameworks, devices, machine, suite and selection."""
    header, footer = summary.header, summary.footer
    machine = header.machine
    run = {
        "Machine": f"{machine.system}, {machine.processor}, {counted(machine.cores, 'core')}",
        "Python": f"{machine.python}, NumPy {machine.numpy}",
        "Suite": header.suite.version,
        "Suite digest": header.suite.digest,
        "Selected": wording.selection_text(header.selection),
        "Left out": wording.left_out_sentence(header, footer) or "nothing that is known",
        "Time limit": f"{header.timeout_s:g} s a check",
        "Memory limit": f"{header.memory_limit_bytes >> 20:,} MiB a process, and its inputs"
        if header.memory_limit_bytes
        else "none",
        "Started": header.started,
        "Ended": footer.ended if footer else "the log has no closing line",
        "Complete": "yes" if footer and footer.complete else "no",
        "Checks planned": f"{counted(header.planned, 'check')} a target",
    }
    return ReportSection(
        title="What ran where",
        id="environment",
        media=Medium.PAGE,
        blocks=[
            *(
                ReportSection(title=Span(target.name, SpanKind.NAME), blocks=[_fact_rows(summary, target)])
                for target in summary.targets
            ),
            ReportSection(title="The run", blocks=[Facts(run)]),
        ],
    )


def _fact_rows(summary: Summary, target: TargetEntry) -> Facts:
    lowered = summary.counts(target.name).lowered
    unreported = "" if target.problem else "the adapter does not report it"
    facts: dict[str, Text] = {
        "Framework": f"{target.framework} {target.version}",
        "Adapter": target.adapter,
        "Problem": target.problem,
        "Options": options_text(target.options),
        "Python": f"{target.python}, NumPy {target.numpy}" if target.python else "",
        "Devices": ", ".join(target.devices),
        "Instruction set": target.instruction_set or unreported,
        "Forms": ", ".join(target.forms or []),
        **target.details,
        "Results of": "; ".join(_places(summary, target.name)),
        "Lowered": counted(lowered, "check") if lowered else "",
    }
    return Facts({name: Span(text, limit=4000) if isinstance(text, str) else text for name, text in facts.items()})


def _places(summary: Summary, target: str) -> list[str]:
    """Where a target's results come from, the most frequent first: `412 checks: CPU, lowered: as ONNX Split-13`."""
    met = list(summary.ran_on.get(target, {}).items())
    lines = [
        f"{counted(count, 'check')}: {place or 'not reported'}{f', lowered: {lowering}' if lowering else ''}"
        for (place, lowering), count in met[:_MAX_PLACES]
    ]
    rest = sum(count for _, count in met[_MAX_PLACES:])
    return [*lines, f"{counted(rest, 'check')}: others"] if rest else lines


# The drawing of a report: the share of checks that conform.

_SHARE_WIDTH = 220


def share_drawing(counts: Counts) -> Drawing:
    """A bar of all checks: those that conform, deviate as recorded, differ anew, and were not compared."""
    shares = (("good", counts.conforming), ("known", counts.excused), ("new", counts.deviating))
    parts, x = [], 0.0
    for kind, count in shares:
        width = _SHARE_WIDTH * count / max(counts.total, 1)
        if count:
            width = max(width, 2)
            parts.append((kind, x, width))
        x += width
    return Drawing(rendered("share.html.j2", width=_SHARE_WIDTH, parts=parts))
