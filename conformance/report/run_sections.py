"""The sections of a run: times, clauses, disputes, what was not compared, and what ran where; rates as cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.log.answers import Pace, clear_interval, pace_of
from conformance.log.record import RecordedInterpretation, TargetEntry, TimeEntry, TimingRecord
from conformance.log.summary import OTHERS, Counts, NotCompared, Summary, exit_code, harness_reasons
from conformance.report import wording
from conformance.report.case_view import badge, linked
from conformance.report.document import (
    Details,
    Drawing,
    Facts,
    Items,
    ReportBlock,
    ReportSection,
    ReportTree,
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
from conformance.report.wording import find_link, mark_link
from conformance.spec.verdict import RateMark, Verdict
from conformance.tensors.text import BLOCK, counted, duration, one_line, options_text


def ending_of(summary: Summary) -> ReportTree:
    """What a run ends in, without what it found: why nothing can be concluded, and its result with the exit code."""
    return ReportTree(
        product="Conformance report",
        headline=wording.headline(summary),
        exit_code=exit_code(summary),
        note=wording.part_of_suite(summary),
        reason="not judged",
        reasons=[*harness_reasons(summary)],
    )


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
    return ReportSection(title="What the spec leaves open", id="disputes", blocks=blocks)


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


# The times of a run as one table: of each case and target the median, its interval, and the ratio to the fastest.

TIMES = "\N{MULTIPLICATION SIGN}"
_TOO_WIDE = 0.25
"""An interval wider than this fraction of its median is marked."""
_ABOUT = (
    "Medians of steady calls with their intervals, divided by that of the fastest target and by a plain copy of the "
    "same bytes. A dash means that noise hides the difference. Only cases whose outputs were right have times."
)
_MOST_ROWS = 24
TIMING = "How long it took"
_COLUMNS = ("Case", "Target", "Median", "Interval", "/ fastest", "/ plain copy")
TimedCase = Sequence[TimingRecord]
"""The records of one case, in the order of the targets; the first has the facts about the case."""


def timing(summary: Summary) -> ReportSection:
    """The section of a run that measured times."""
    is_alone = all(record.is_framework_alone for record in summary.timings if record.run)
    facts = {
        "Not shown": times_left_out(summary),
        "*": "" if is_alone else "the adapter's own work is within the measured call",
        **{target.name: _threads(summary, target.name) for target in summary.targets},
    }
    return ReportSection(title=TIMING, id="timing", blocks=[Sentence(_ABOUT), times_table(summary), Facts(facts)])


def times_table(summary: Summary, *, is_narrow: bool = False) -> Table:
    """The times; in a narrow table, targets have numbers, and the last column is left out."""
    numbers = {target.name: f"[{number}]" for number, target in enumerate(summary.targets, 1)}
    rows = []
    for case in timed_cases(summary):
        for record in case:
            target = numbers.get(record.target, "") if is_narrow else Span(record.target, SpanKind.NAME)
            cells = [_named(case, record), target, *_times(case, record)]
            rows.append(row(*cells[:-1] if is_narrow else cells))
    heads = columns(*_COLUMNS[:-1] if is_narrow else _COLUMNS, numbers_from=2)
    return Table(name="Times", columns=heads, rows=rows, few=_MOST_ROWS, kind="numbers")


def timed_cases(summary: Summary) -> list[TimedCase]:
    """The timed cases, each with the times of its targets."""
    order = {target.name: place for place, target in enumerate(summary.targets)}
    records = sorted(summary.timings, key=lambda one: (one.case, order.get(one.target, len(order))))
    return [list(of) for _, of in groupby(records, key=lambda one: one.case)]


def times_left_out(summary: Summary) -> str:
    """How many times no report shows; empty if all are shown."""
    count = summary.timings_left_out
    return f"{counted(count, 'further time')}, which the log holds." if count else ""


def _named(case: TimedCase, record: TimingRecord) -> TableCell:
    notes = [TableCell(about(record))] if record is case[0] else []
    return TableCell(Span(record.case, SpanKind.CODE, limit=200), notes)


def _times(case: TimedCase, record: TimingRecord) -> list[str]:
    """The cells of the columns from the median on."""
    if record.run is None:
        return [f"no time: {record.reason or 'none was recorded'}", "—", "—", "—"]
    return [
        f"{duration(record.run.median_ns)}{'' if record.is_framework_alone else ' *'}",
        interval_text(record.run),
        against_fastest(case, record.run),
        against_copy(record),
    ]


def about(record: TimingRecord) -> str:
    """`1 MiB of float32 in 4 parts, inner axis`."""
    return f"{bytes_text(record.nbytes)} of {record.dtype} in {counted(record.parts, 'part')}, {_axis_text(record)}"


def against_fastest(case: TimedCase, run: TimeEntry) -> str:
    """The time divided by that of the fastest target of the case.

    A dash if it is the only one, if the noise does not tell both apart, or is too high to say.
    """
    runs = [one.run for one in case if one.run is not None]
    fastest = min(runs, key=lambda one: one.median_ns)
    if len(runs) < 2 or any(clear_interval(one) is None for one in runs):
        return "—"
    if run is fastest:
        return _ratio(1)
    return "—" if pace_of(fastest, run) is Pace.ALIKE else _ratio(run.median_ns / fastest.median_ns)


def against_copy(record: TimingRecord) -> str:
    """The time divided by that of a plain copy of the same bytes, with `(view)` if the outputs are views."""
    if record.run is None or record.copy is None or not record.copy.median_ns:
        return "—"
    return f"{_ratio(record.run.median_ns / record.copy.median_ns)}{' (view)' if record.is_view else ''}"


def _ratio(times: float) -> str:
    shown = f"{times:.{2 if times < 10 else 1 if times < 100 else 0}f}" if times >= 0.01 else "< 0.01"
    return f"{shown} {TIMES}"


def interval_text(time: TimeEntry) -> str:
    """`38 µs to 42 µs`, and whether that is wide."""
    if time.low_ns is None or time.high_ns is None:
        return "too few samples"
    wide = time.high_ns - time.low_ns > _TOO_WIDE * time.median_ns
    return f"{duration(time.low_ns)} to {duration(time.high_ns)}{' (wide)' if wide else ''}"


def bytes_text(nbytes: float) -> str:
    """`16 KiB`, `256 MiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:g} {unit}"
    return f"{nbytes:g} bytes"


def _threads(summary: Summary, target: str) -> str:
    """`4 threads in the process, allowed on the cores 0, 1`; empty for a target without times."""
    timed = [record for record in summary.timings if record.target == target and record.run is not None]
    if not timed:
        return ""
    threads = max(record.threads for record in timed)
    cores = ", ".join(map(str, timed[-1].affinity))
    return f"{counted(threads, 'thread')} in the process{f', allowed on the cores {cores}' if cores else ''}"


def _axis_text(record: TimingRecord) -> str:
    last = len(record.shape) - 1
    if record.axis == last == 0:
        return "the only axis"
    return "outer axis" if record.axis == 0 else "inner axis" if record.axis == last else f"axis {record.axis}"
