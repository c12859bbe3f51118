"""A cause as an entry that unfolds: its recorded deviation, and the first checks that it explains."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from conformance.findings.causes import Cause, detail_of, dtype_of
from conformance.findings.summary import Summary
from conformance.log.record import CheckRecord, RecordedDeviation
from conformance.report import wording
from conformance.report.case_view import badge, call_view, deviation_view, result_view
from conformance.report.document import (
    Details,
    Drawing,
    Items,
    ListItem,
    Medium,
    Only,
    ReportBlock,
    Sentence,
    Span,
    SpanKind,
)
from conformance.report.links import cause_id, check_fragment, find_link
from conformance.report.nodes import deeper, markup, node
from conformance.report.tensors.call_text import (
    commands_of,
    filled,
    options_by_target,
    recorded_command,
    target_options,
)
from conformance.values.text import counted, one_line

_FIRST_CASES_CHARACTERS = 700_000
_LEVELS_BELOW_A_CASE = 3
"""The headings of a result have level 3. In a cause, whose own heading has level 4, they must be lower."""
_MAX_CASES = 2
_MAX_LINKED = 6


class CauseTrees:
    """Makes the entries of causes, the first case of each in full, up to `_FIRST_CASES_CHARACTERS`."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._options = options_by_target(summary)
        self._targets = {target.name: (number, target) for number, target in enumerate(summary.targets, 1)}
        self._room = _FIRST_CASES_CHARACTERS

    def details(self, cause: Cause) -> Details:
        """The entry of a cause."""
        number, target = self._targets[cause.target]
        title, kind = wording.cause_title(self._summary, cause), wording.cause_kind(cause)
        recorded = self._summary.recorded(cause.target, cause.deviation)
        shown = Span(kind, SpanKind.STRONG, page=badge(cause.verdict, wording.worst_judged(cause)))
        code = (" · ", Span(cause.deviation, SpanKind.CODE)) if cause.deviation else ()
        by = (" (", Span(cause.deviation, SpanKind.CODE, limit=80), ")") if cause.deviation else ()
        return Details(
            head=title,
            line=(
                shown,
                " ",
                Span(cause.target, SpanKind.NAME),
                " ",
                Span(wording.kinds_sentence(cause), SpanKind.KINDS),
                *code,
            ),
            brief=(shown, f" [{number}] {wording.extent_in_operators(cause)}: {title}", *by),
            id=cause_id(cause),
            blocks=[
                Only(Medium.MARKDOWN, [_cases(cause) if recorded is None else _why(recorded, target_options(target))]),
                Only(Medium.PAGE, self._inside(cause, recorded)),
            ],
        )

    def _inside(self, cause: Cause, recorded: RecordedDeviation | None) -> Iterator[ReportBlock]:
        """What a page shows of a cause."""
        if recorded is not None:
            yield Drawing(deviation_view(recorded, self._options[cause.target]))
        links = [_link(record) for record in cause.records[1:_MAX_LINKED]]
        if cause.count > _MAX_LINKED:
            did = cause.deviation or cause.text
            links.append((Span(f"all {counted(cause.count, 'check')}", link=find_link(target=cause.target, did=did)),))
        if links:
            yield Items(links, kind="cases")
        if cause.records:
            yield from self._first(cause.records[0])
        more = f"Of {counted(cause.left_out, 'further check')} with this cause the values are in the log only. "
        itself = Span("Link to this cause", link=f"#{cause_id(cause)}")
        yield Sentence([more if cause.left_out else "", itself], "muted")

    def _first(self, record: CheckRecord) -> Iterator[ReportBlock]:
        kinds = ", ".join(filter(None, [record.form.value, one_line(dtype_of(record), 40)]))
        fragment = check_fragment(record.case, record.form, record.target)
        heading = node("h5", node("a", one_line(record.case), href=fragment), " ", node("span", kinds, kind="muted"))
        views = []
        if self._room > 0:
            views = [call_view(record), deeper(result_view(record), _LEVELS_BELOW_A_CASE)]
            self._room -= sum(len(markup(view)) for view in views)
        offered = [
            part
            for name, command in commands_of(self._targets[record.target][1]).items()
            for part in (
                node("h6", name),
                node("pre", filled(command, record, self._options[record.target]), kind="command"),
            )
        ]
        yield Drawing(node("section", heading, *views, node("div", *offered, kind="commands"), kind="check"))


def _link(record: CheckRecord) -> tuple[str | Span, ...]:
    fragment = check_fragment(record.case, record.form, record.target)
    return (Span(record.case, link=fragment), " ", Span(record.form.value, SpanKind.MUTED))


def _cases(cause: Cause) -> Items:
    items = []
    for record in cause.records[: 3 * _MAX_CASES]:
        options = f"--case {shlex.quote(one_line(record.case, 200))} --form {record.form.value}"
        detail = detail_of(cause, record, 200)
        items.append(ListItem(Span(options, SpanKind.CODE), [Sentence(detail)] if detail else []))
    return Items(items, few=_MAX_CASES, more=cause.count - len(items))


def _why(entry: RecordedDeviation, options: str) -> Sentence:
    """The reason for a recorded deviation, the command of its script, its review date, and its upstream report."""
    script = Span(recorded_command(entry.id, options), SpanKind.CODE)
    upstream = ("; ", Span(entry.upstream, link=entry.upstream)) if entry.upstream else ()
    return Sentence([Span(entry.why), " Reproduce: ", script, f"; review by {entry.review}", *upstream])
