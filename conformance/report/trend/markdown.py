"""A trend for a job summary, in GitHub's Markdown; all foreign text is escaped and bounded."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.findings.trend import CauseShift, Trend, TrendPoint, TrendTarget
from conformance.report.markdown import bounded, code, escaped
from conformance.report.trend import wording
from conformance.values.text import counted

_MAX_RUNS = 40
_MAX_EVENTS = 10
_MAX_CAUSES = 12


def render_markdown(trend: Trend) -> str:
    """The trend, short enough for a job summary or a comment on GitHub."""
    return bounded(_parts(trend))


def _parts(trend: Trend) -> Iterator[str]:
    yield f"## Trend: {escaped(wording.headline(trend))}\n\n{escaped(wording.period_sentence(trend))}\n"
    for unread in trend.unread[:_MAX_RUNS]:
        yield f"\n> **Not read:** {code(unread.log, 200)} {escaped(unread.why)}\n"
    for target in trend.targets:
        yield from _target(trend, target)
    yield "\n### Runs\n\n| started | log | suite | records | |\n|---|---|---|---:|---|\n"
    for number, run in reversed([*enumerate(trend.runs)][-_MAX_RUNS:]):
        notes = escaped("; ".join(wording.run_notes(trend, number)), 600)
        suite = f"{escaped(run.suite)} {code(run.digest, 12)}"
        yield f"| {escaped(wording.when(run))} | {code(run.log, 200)} | {suite} | {run.records:,} | {notes} |\n"


def _target(trend: Trend, target: TrendTarget) -> Iterator[str]:
    yield f"\n### {code(target.name)}\n\n| run | framework | conforming | new | recorded | changes |\n"
    yield "|---|---|---:|---|---|---|\n"
    for point in reversed(target.points[-_MAX_RUNS:]):
        texts = (
            wording.when(trend.runs[point.run]),
            wording.framework_text(point),
            wording.rate_text(point),
            wording.kinds_text(point.new),
            wording.kinds_text(point.recorded),
            "; ".join([wording.change_sentence(point), *wording.notes(trend, target, point)]),
        )
        yield f"| {' | '.join(escaped(text, 600) for text in texts)} |\n"
    for point in wording.events(trend, target)[:_MAX_EVENTS]:
        if point.causes:
            yield from _event(trend, point)


def _event(trend: Trend, point: TrendPoint) -> Iterator[str]:
    yield f"\n**{escaped(wording.when(trend.runs[point.run]))}: {escaped(wording.change_sentence(point))}**\n\n"
    yield from map(_shift, point.causes[:_MAX_CAUSES])
    more = len(point.causes) - _MAX_CAUSES + point.more_causes
    if more > 0:
        yield f"- and {counted(more, 'further cause')}\n"


def _shift(shift: CauseShift) -> str:
    checks = "".join(f"\n  - {code(check.case, 200)} ({check.form.value})" for check in shift.checks)
    return (
        f"- **{shift.movement.value}**: {escaped(wording.shift_kind(shift))}, {wording.shift_counts(shift)}: "
        f"{code(wording.shift_title(shift))}{checks}\n"
    )
