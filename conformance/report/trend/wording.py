"""The sentences about a trend that all its reports share."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.findings.change import Change
from conformance.findings.logged_run import LoggedRun
from conformance.findings.trend import CauseShift, Movement, Trend, TrendPoint, TrendTarget
from conformance.language.verdict import Standing
from conformance.report.comparison import wording as comparison
from conformance.report.document import Tone
from conformance.values.text import counted, one_line, shortened

_MAX_TITLES, _TITLE = 3, 60
SIGNS = {Movement.BEGAN: "✗", Movement.MORE: "↑", Movement.FEWER: "↓", Movement.ENDED: "✓"}
COLOURS = {Movement.BEGAN: "red", Movement.MORE: "orange", Movement.FEWER: "green", Movement.ENDED: "green"}
"""The colours of the badges."""


def tone(point: TrendPoint) -> Tone:
    """The tone of the worst change of a point."""
    return next((comparison.TONES.get(change, Tone.QUIET) for change in point.changes), Tone.QUIET)


def sign(point: TrendPoint) -> str:
    """The sign of the worst change of a point; empty if the point was not compared."""
    return next((comparison.SIGNS[change] for change in point.changes), "")


def headline(trend: Trend) -> str:
    """One sentence: how many checks regressed in the newest run."""
    newest = len(trend.runs) - 1
    points = [point for target in trend.targets for point in target.points if point.run == newest and point.changes]
    regressed = sum(point.changes.get(Change.REGRESSED, 0) for point in points)
    what = f"{counted(regressed, 'check')} regressed in the newest" if regressed else "no regressions"
    if not points:
        what = "the newest has no earlier run to be compared with"
    reasons = "; the newest run is incomplete" if trend.runs[newest].incomplete else ""
    return f"{counted(len(trend.runs), 'run')} of {counted(len(trend.targets), 'target')}: {what}{reasons}."


def when(run: LoggedRun) -> str:
    """`2026-01-02 03:04`: the start of a run, to the minute."""
    return one_line(run.started[:16].replace("T", " "))


def period_sentence(trend: Trend) -> str:
    """The starts of the first and the last run."""
    return f"from {when(trend.runs[0])} to {when(trend.runs[-1])}"


def percent(conforming: int, compared: int) -> str:
    """`99.23 %`, rounded down, so that only all is 100 %; a dash if nothing was compared."""
    if not compared:
        return "—"
    hundredths = conforming * 10_000 // compared
    return "100 %" if conforming == compared else f"{hundredths // 100}.{hundredths % 100:02} %"


def rate_text(point: TrendPoint) -> str:
    """`99.23 %, 412/415`."""
    share = percent(point.conforming, point.compared)
    return f"{share}, {point.conforming:,}/{point.compared:,}" if point.compared else share


def framework_text(point: TrendPoint) -> str:
    """`OpenVINO 2026.4.1`."""
    return f"{point.framework} {point.version}".strip() or "a framework without a name"


def change_sentence(point: TrendPoint) -> str:
    """`3 regressed, 410 unchanged`; says why if there is nothing to compare with."""
    if point.since is None:
        return "the first run of this target"
    return comparison.counts_sentence(point.changes) if point.changes else "no record of this target"


def has_suite_changed(trend: Trend, run: int) -> bool:
    """Whether the suite changed since the run before."""
    return run > 0 and trend.runs[run].digest != trend.runs[run - 1].digest


def notes(trend: Trend, target: TrendTarget, point: TrendPoint) -> Iterator[str]:
    """What else differs from the run before: suite, framework, name, and whether the run is whole."""
    run, earlier = trend.runs[point.run], next((one for one in target.points if one.run == point.since), None)
    if earlier is not None:
        old = trend.runs[earlier.run]
        if run.digest != old.digest:
            yield f"another suite: {old.suite} {old.digest[:12]} → {run.suite} {run.digest[:12]}"
        if framework_text(point) != framework_text(earlier):
            yield f"{framework_text(earlier)} → {framework_text(point)}"
        elif point.target != earlier.target:
            yield f"{earlier.target} → {point.target}"
    if point.problem:
        yield f"could not start: {point.problem}"
    elif run.incomplete:
        yield f"not a whole run: {run.incomplete[0]}"
    if run.is_part:
        yield "a part of the suite"


def run_notes(trend: Trend, number: int) -> Iterator[str]:
    """Notes on a run: whether the suite changed, whether it ran only a part, and why it proves nothing."""
    run = trend.runs[number]
    if has_suite_changed(trend, number):
        yield "another suite than the run before"
    if run.is_part:
        yield "a part of the suite"
    yield from run.incomplete


def events(trend: Trend, target: TrendTarget) -> list[TrendPoint]:
    """The runs of a target in which something changed, the newest first."""
    return [
        point
        for point in reversed(target.points)
        if point.since is not None
        and (point.causes or point.changes.keys() - {Change.UNCHANGED} or [*notes(trend, target, point)])
    ]


def shift_kind(shift: CauseShift) -> str:
    """The verdict of a cause; of a recorded one also its severity."""
    kind = shift.verdict.value
    return f"{kind} · {shift.severity.value}" if shift.verdict.meaning.standing is Standing.EXCUSED else kind


def shift_title(shift: CauseShift) -> str:
    """The cause, or the sentence of the recorded deviation."""
    return one_line(shift.text or shift.what or shift.deviation)


def shift_counts(shift: CauseShift) -> str:
    """`37 checks`, `5 → 6 checks`."""
    match shift.movement:
        case Movement.BEGAN:
            return counted(shift.after, "check")
        case Movement.ENDED:
            return f"was {counted(shift.before, 'check')}"
        case _:
            return f"{shift.before:,} → {counted(shift.after, 'check')}"


def causes_sentence(point: TrendPoint) -> str:
    """`began: SIGSEGV; ended: wrong axis`: the first causes that began and ended; empty if none did."""
    parts = []
    for movement in (Movement.BEGAN, Movement.ENDED):
        titles = [shortened(shift_title(shift), _TITLE) for shift in point.causes if shift.movement is movement]
        more = [f"{len(titles) - _MAX_TITLES:,} more"] if len(titles) > _MAX_TITLES else []
        if titles:
            parts.append(f"{movement.value}: {', '.join([*titles[:_MAX_TITLES], *more])}")
    return "; ".join(parts)


def event_sentence(trend: Trend, target: TrendTarget, point: TrendPoint) -> str:
    """The causes that began and ended, and what else differs from the run before."""
    return "; ".join(filter(None, [causes_sentence(point), *notes(trend, target, point)]))
