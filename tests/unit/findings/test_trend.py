from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import report_records
from report_records import TARGET, deviation, header, lines, record, target

from conformance.findings.change import Change
from conformance.findings.logged_run import NamedLog
from conformance.findings.trend import MAX_CAUSES, CauseShift, Movement, Trend, TrendPoint, trend_of
from conformance.language.verdict import Severity, Verdict
from conformance.log.record import CheckRecord, Line, SelectionEntry
from conformance.values.errors import RunLogError


def check(name: str, verdict: Verdict = Verdict.PASS, **fields: Any) -> CheckRecord:
    return record(verdict, case=f"onnx.Split-13/{name}", **fields)


def wrong(name: str, cause: str = "wrong axis", **fields: Any) -> CheckRecord:
    return check(name, Verdict.WRONG_RESULT, cause=cause, **fields)


def trend(*logs: list[Line]) -> Trend:
    return trend_of((NamedLog(path=Path(f"{n}"), name=f"run {n}"), log) for n, log in enumerate(logs))


def points(*logs: list[Line]) -> tuple[TrendPoint, ...]:
    (only,) = trend(*logs).targets
    return only.points


def printed(shift: CauseShift) -> tuple[Movement, str, int, int]:
    return shift.movement, shift.text, shift.before, shift.after


def test_a_cause_begins_grows_shrinks_and_ends() -> None:
    logs = [
        lines(check("a"), check("b")),
        lines(wrong("a"), check("b")),
        lines(wrong("a"), wrong("b")),
        lines(check("a"), wrong("b")),
        lines(check("a"), check("b")),
    ]
    shifts = [printed(shift) for point in points(*logs) for shift in point.causes]
    assert shifts == [
        (Movement.BEGAN, "wrong axis", 0, 1),
        (Movement.MORE, "wrong axis", 1, 2),
        (Movement.FEWER, "wrong axis", 2, 1),
        (Movement.ENDED, "wrong axis", 1, 0),
    ]


def test_a_cause_that_ended_is_shown_in_the_last_run_that_had_it() -> None:
    _, _, last = points(lines(wrong("a")), lines(wrong("a")), lines(check("a")))
    (ended,) = last.causes
    assert (ended.movement, ended.run, [found.case for found in ended.checks]) == (
        Movement.ENDED,
        1,
        ["onnx.Split-13/a"],
    )


def test_a_point_counts_deviations_by_severity_new_and_recorded_apart() -> None:
    known = check("c", Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001")
    (point,) = points(lines(check("a"), wrong("b"), known))
    assert (point.conforming, point.compared) == (1, 3)
    assert (point.new, point.recorded) == ({Severity.WRONG: 1}, {Severity.CRASH: 1})


def test_regressions_are_counted_by_severity() -> None:
    _, point = points(lines(check("a"), check("b")), lines(wrong("a"), check("b", Verdict.CRASHED)))
    assert point.changes == {Change.REGRESSED: 2}
    assert point.regressed == {Severity.CRASH: 1, Severity.WRONG: 1}
    assert [shift.severity for shift in point.causes] == [Severity.CRASH, Severity.WRONG]


def test_a_recorded_deviation_brings_its_sentence() -> None:
    head = header(planned=1, deviations=[deviation()])
    known = check("a", Verdict.KNOWN, judged=Verdict.WRONG_RESULT, deviation="toy-001")
    _, point = points(lines(check("a")), lines(known, head=head))
    (shift,) = point.causes
    assert (shift.deviation, shift.what) == ("toy-001", "the last part is dropped")


def test_a_run_that_was_cut_off_hides_no_change() -> None:
    whole, cut = [check("a"), check("b")], lines(check("a"), head=header(planned=2), is_closed=False)
    _, second, third = points(lines(*whole), cut, lines(check("a"), wrong("b")))
    assert second.changes == {Change.UNCHANGED: 1}
    assert third.changes == {Change.REGRESSED: 1, Change.UNCHANGED: 1}
    assert trend(lines(*whole), cut).runs[1].incomplete


def test_a_part_of_the_suite_ends_no_cause() -> None:
    part = replace(header(planned=1), selection=SelectionEntry(cases=("onnx.Split-13/a",)))
    _, second, third = points(
        lines(check("a"), wrong("b")), lines(check("a"), head=part), lines(check("a"), wrong("b"))
    )
    assert (second.causes, third.causes) == ((), ())


def test_a_check_that_a_whole_run_lacks_is_removed_and_its_cause_ends() -> None:
    _, point = points(lines(check("a"), wrong("b")), lines(check("a")))
    assert point.changes == {Change.ASKED_DIFFERENTLY: 1, Change.UNCHANGED: 1}
    assert [printed(shift) for shift in point.causes] == [(Movement.ENDED, "wrong axis", 1, 0)]


def test_what_was_not_judged_leaves_the_last_answer() -> None:
    failed = check("a", Verdict.HARNESS_ERROR)
    _, second, third = points(lines(wrong("a")), lines(failed), lines(wrong("a")))
    assert (second.changes, second.causes) == ({Change.NOT_JUDGED: 1}, ())
    assert third.changes == {Change.UNCHANGED: 1}


def test_what_was_not_judged_raises_no_rate() -> None:
    whole = [check("a"), wrong("b"), wrong("c")]
    failed = [check("a"), check("b", Verdict.HARNESS_ERROR), check("c", Verdict.NOT_SHOWN)]
    cut = lines(check("a"), head=header(planned=3), is_closed=False)
    part = replace(header(planned=1), selection=SelectionEntry(cases=("onnx.Split-13/a",)))
    found = points(lines(*whole), lines(*failed), cut, lines(check("a"), head=part), lines(*failed))
    assert [(point.conforming, point.compared, point.new) for point in found] == [(1, 3, {Severity.WRONG: 2})] * 5


def test_a_rejection_that_was_not_judged_counts_as_no_pass() -> None:
    _, point = points(lines(check("a"), check("b")), lines(check("a"), check("b", Verdict.NOT_SHOWN)))
    assert (point.conforming, point.compared) == (1, 1)


def test_a_run_in_which_nothing_was_judged_has_no_rate() -> None:
    _, point = points(lines(check("a")), lines(check("a", Verdict.NOT_RUN)))
    assert (point.conforming, point.compared, point.new) == (0, 0, {})


def test_what_is_judged_at_last_is_compared_from_then_on() -> None:
    failed = check("a", Verdict.HARNESS_ERROR)
    _, second, third = points(lines(failed), lines(check("a")), lines(wrong("a")))
    assert second.changes == {Change.NOT_JUDGED: 1}
    assert third.changes == {Change.REGRESSED: 1}


def test_a_target_is_followed_over_versions() -> None:
    newer = replace(target("toy@2.0"), version="2.0")
    old, new = points(lines(check("a")), lines(check("a", target="toy@2.0"), head=header(newer)))
    assert (old.target, new.target, new.version) == (TARGET, "toy@2.0", "2.0")
    assert new.changes == {Change.UNCHANGED: 1}


def test_a_target_is_compared_with_its_own_last_run_whatever_ran_in_between() -> None:
    other = replace(target("other@1"), adapter="other")
    toy, between = lines(check("a")), lines(check("a", target="other@1"), head=header(other))
    targets = {found.name: found.points for found in trend(toy, between, lines(wrong("a"))).targets}
    assert [point.run for point in targets[TARGET]] == [0, 2]
    assert (targets[TARGET][1].since, targets[TARGET][1].changes) == (0, {Change.REGRESSED: 1})


def test_a_target_that_could_not_start_is_reported_and_skipped() -> None:
    broken = replace(target(), problem="No module named 'toy'")
    _, second, third = points(lines(check("a")), lines(head=header(broken)), lines(wrong("a")))
    assert (second.problem, second.compared) == ("No module named 'toy'", 0)
    assert third.since == 0


def test_what_is_no_log_is_named_and_left_out() -> None:
    def damaged() -> Iterator[Line]:
        yield from lines(wrong("a"))[:2]
        raise RunLogError("b:2", "is not a line of a run log")

    found = trend_of(
        (NamedLog(path=Path(name), name=name), log)
        for name, log in [("a", lines(check("a"))), ("b", damaged()), ("c", []), ("d", lines(check("a")))]
    )
    assert [run.log for run in found.runs] == ["a", "d"]
    assert [(unread.log, unread.why) for unread in found.unread] == [
        ("b", "is not a line of a run log"),
        ("c", "does not start with the header of a run log"),
    ]
    assert found.targets[0].points[1].changes == {Change.UNCHANGED: 1}


def test_causes_beyond_the_bound_are_counted() -> None:
    names = [f"c{number}" for number in range(MAX_CAUSES + 5)]
    _, point = points(lines(*map(check, names)), lines(*(wrong(name, cause=name) for name in names)))
    assert (len(point.causes), point.more_causes) == (MAX_CAUSES, 5)


def held_by_a_trend() -> int:
    """The bytes of what a trend made and of what it was given; what threads of other tests hold is not counted."""
    gc.collect()
    places = ("*/conformance/findings/*", "*/conformance/log/*", report_records.__file__, __file__)
    only = [tracemalloc.Filter(inclusive=True, filename_pattern=place) for place in places]
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces(only).traces)


def test_memory_does_not_grow_with_the_number_of_runs() -> None:
    held = []

    def run_of(number: int) -> Iterator[Line]:
        held.append(held_by_a_trend())
        yield header(planned=300)
        for case in range(300):
            is_wrong = number % 2
            yield wrong(f"{case}", f"{'x' * 300}{number}-{case}") if is_wrong else check(f"{case}")

    tracemalloc.start()
    trend_of((NamedLog(path=Path("a"), name="a"), run_of(number)) for number in range(12))
    tracemalloc.stop()
    grown, before = held[10] - held[4], held[4]
    assert grown < 0.3 * before
