"""A trend as a tree: how each target stands, what changed when, and all runs."""

from __future__ import annotations

import shlex
from pathlib import Path

from conformance.findings.trend import CauseShift, Trend, TrendPoint, TrendTarget
from conformance.report.comparison.tree import named_check
from conformance.report.comparison.wording import kinds_text
from conformance.report.document import (
    ALL,
    Cards,
    Details,
    Drawing,
    Items,
    ListItem,
    Medium,
    Only,
    ReportSection,
    ReportTree,
    ResultCard,
    Sentence,
    ShellCommand,
    Span,
    SpanKind,
    Table,
    TableColumn,
    columns,
    row,
)
from conformance.report.links import cause_id, report_link
from conformance.report.nodes import node
from conformance.report.trend import wording
from conformance.report.trend.chart import kinds_legend, trend_drawing
from conformance.values.text import counted, one_line

_MAX_EVENTS = 50
_MAX_UNREAD = 100
_MAX_CAUSES = 8
_ABOUT_CHART = (
    "Passed checks of those compared, and below it all deviations by kind, recorded or not. "
    "A hollow mark is an incomplete run, a dotted line a change of the suite."
)


def tree_of(trend: Trend, page: Path | None = None) -> ReportTree:
    """The tree; `page` is the place from which it links to the reports of the runs."""
    return _TrendTree(trend, page).document()


class _TrendTree:
    def __init__(self, trend: Trend, page: Path | None) -> None:
        self._trend = trend
        self._page = page

    def document(self) -> ReportTree:
        trend = self._trend
        targets = [*enumerate(trend.targets, 1)]
        unread = [f"{unread.log}: {unread.why}" for unread in trend.unread]
        left_out = [f"and {counted(len(unread) - _MAX_UNREAD, 'further file')}"] if len(unread) > _MAX_UNREAD else []
        return ReportTree(
            product="Trend",
            headline=wording.headline(trend),
            opening=[
                Sentence(
                    f"{wording.period_sentence(trend).capitalize()}. A check is compared with its last answer in an "
                    "earlier run.",
                    kind="meta",
                )
            ],
            alert=f"{counted(len(unread), 'file')} not read",
            reason="not read",
            reasons=[*unread[:_MAX_UNREAD], *left_out],
            result=[Cards([self._card(number, target) for number, target in targets])],
            sections=[*(self._target(number, target) for number, target in targets), self._runs()],
        )

    def _card(self, number: int, target: TrendTarget) -> ResultCard:
        last = target.points[-1]
        since = f"; since {self._when(last.since)}: {wording.change_sentence(last)}" if last.since is not None else ""
        kinds = (Span("Regressed by kind:", SpanKind.STRONG), f" {kinds_text(last.regressed)}")
        return ResultCard(
            number=number,
            name=target.name,
            sign=wording.sign(last),
            tone=wording.tone(last),
            sentence=f"{wording.rate_text(last)} passed on {self._when(last.run)}{since}",
            blocks=[Sentence(kinds)] if last.regressed else [],
            link=f"#target-{number}",
        )

    def _when(self, run: int) -> str:
        return wording.when(self._trend.runs[run])

    def _report(self, run: int) -> str:
        return report_link(self._trend.runs[run].report, self._page)

    def _run(self, number: int) -> Span:
        return Span(self._when(number), link=self._report(number))

    def _target(self, number: int, target: TrendTarget) -> ReportSection:
        events = wording.events(self._trend, target)
        details = [self._event(target, point, is_open=not place) for place, point in enumerate(events[:_MAX_EVENTS])]
        nothing = "Nothing: each run answers as the one before." if len(target.points) > 1 else ""
        earlier = len(events) - _MAX_EVENTS
        drawn = node(
            "figure",
            node("figcaption", _ABOUT_CHART),
            node(
                "div",
                trend_drawing(self._trend, target),
                kind="scroll",
                tabindex="0",
                role="group",
                aria_label=f"Chart of {one_line(target.name)}",
            ),
            kinds_legend(target),
            kind="drawing over-runs",
        )
        changes = ReportSection(
            title="What changed when",
            blocks=[
                Items(details, few=1, noun="run with changes", more=max(0, earlier))
                if details
                else Sentence(nothing or "There is one run of this target.")
            ],
        )
        title = f"All runs of this target: {len(target.points)}"
        runs = Details(head=title, blocks=[self._points(target)], kind="unchanged")
        return ReportSection(
            title=Span(target.name, SpanKind.NAME),
            bar=target.name,
            id=f"target-{number}",
            blocks=[Drawing(drawn), Only(Medium.TEXT, [self._points(target)]), changes, Only(Medium.PAGE, [runs])],
        )

    def _event(self, target: TrendTarget, point: TrendPoint, *, is_open: bool) -> Details:
        since = point.since or 0
        by_kind = f" Regressed by kind: {kinds_text(point.regressed)}." if point.regressed else ""
        shifts = [self._shift(shift) for shift in point.causes]
        causes = Items(shifts, few=_MAX_CAUSES, more=point.more_causes, noun="cause", kind="shifts")
        logs = (one_line(self._trend.runs[run].log) for run in (since, point.run))
        return Details(
            head=f"{self._when(point.run)}: {wording.change_sentence(point)}",
            line=Span(wording.event_sentence(self._trend, target, point), SpanKind.MUTED, limit=ALL),
            is_open=is_open,
            blocks=[
                Only(
                    Medium.PAGE,
                    [
                        Sentence(
                            ["Run ", self._run(point.run), ", compared with ", self._run(since), f".{by_kind}"], "muted"
                        )
                    ],
                ),
                causes if shifts else Sentence("No cause began, ended or changed its number of checks.", "muted"),
                ShellCommand(f"conformance compare {' '.join(map(shlex.quote, logs))} --html changes.html"),
            ],
        )

    def _shift(self, shift: CauseShift) -> ListItem:
        report = self._report(shift.run)
        sign, movement = wording.SIGNS[shift.movement], shift.movement.value
        badge = node("span", f"{sign} {movement}", kind=f"badge {wording.COLOURS[shift.movement]}")
        title = Span(wording.shift_title(shift), SpanKind.STRONG, link=f"{report}#{cause_id(shift)}" if report else "")
        about = f" {wording.shift_kind(shift)}, {wording.shift_counts(shift)}"
        checks = [named_check(check, shift.target, report) for check in shift.checks]
        return ListItem(
            [Span(f"{movement}:", SpanKind.STRONG, page=badge), " ", title, Span(about, SpanKind.MUTED)],
            [Items(checks, few=1)],
        )

    def _points(self, target: TrendTarget) -> Table:
        return Table(
            name=f"All runs of {one_line(target.name)}",
            columns=columns("Run", "Framework", "Passed", "New", "Recorded", "Changes"),
            rows=[
                row(
                    self._run(point.run),
                    wording.framework_text(point),
                    wording.rate_text(point),
                    kinds_text(point.new) or "—",
                    kinds_text(point.recorded) or "—",
                    "; ".join([wording.change_sentence(point), *wording.notes(self._trend, target, point)]),
                )
                for point in reversed(target.points)
            ],
        )

    def _runs(self) -> ReportSection:
        rows = [
            row(
                self._run(number),
                Span(run.log, SpanKind.NAME),
                [run.suite, " ", Span(run.digest[:12], SpanKind.CODE)],
                f"{run.records:,}",
                "; ".join(wording.run_notes(self._trend, number)) or "—",
            )
            for number, run in reversed([*enumerate(self._trend.runs)])
        ]
        names = [*columns("Started", "Log", "Suite"), TableColumn("Records", is_number=True), TableColumn("Notes")]
        return ReportSection(title="Runs", id="runs", blocks=[Table(name="Runs", columns=names, rows=rows)])
