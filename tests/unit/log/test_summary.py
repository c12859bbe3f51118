from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_records import TARGET, deviation, footer, header, lines, record, target

from conformance.log.log_file import RunLogWriter
from conformance.log.record import Footer, Line
from conformance.log.summary import KEPT_PER_CAUSE, TargetResult, exit_code, harness_reasons, result_of, summarize
from conformance.protocol.form import Form
from conformance.report.wording import headline, target_sentence
from conformance.spec.verdict import ExitCode, Severity, Verdict
from conformance.tensors.errors import RunLogError


def test_a_run_in_which_all_pass_conforms() -> None:
    summary = summarize(lines(record(), record()))
    assert exit_code(summary) is ExitCode.CONFORMING
    assert result_of(summary, summary.targets[0]) is TargetResult.CONFORMS
    assert harness_reasons(summary) == ()


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict.WRONG_RESULT,
        Verdict.REJECTED_VALID,
        Verdict.ACCEPTED_INVALID,
        Verdict.COSTLY_REJECTION,
        Verdict.CRASHED,
        Verdict.TIMED_OUT,
        Verdict.UNSTABLE,
    ],
)
def test_one_deviating_check_does_not_conform(verdict: Verdict) -> None:
    summary = summarize(lines(record(), record(verdict)))
    assert exit_code(summary) is ExitCode.NOT_CONFORMING
    assert harness_reasons(summary) == ()


def test_a_known_deviation_does_not_fail_a_run() -> None:
    summary = summarize(lines(record(), record(Verdict.KNOWN, deviation="toy-001")))
    assert exit_code(summary) is ExitCode.CONFORMING
    assert result_of(summary, summary.targets[0]) is TargetResult.DEVIATES_AS_RECORDED


@pytest.mark.parametrize("verdict", [Verdict.HARNESS_ERROR, Verdict.NOT_RUN])
def test_a_failure_of_the_harness_goes_before_a_difference(verdict: Verdict) -> None:
    assert exit_code(summarize(lines(record(Verdict.WRONG_RESULT), record(verdict)))) is ExitCode.HARNESS


def test_a_log_without_a_closing_line_is_no_pass() -> None:
    summary = summarize(lines(record(), is_closed=False))
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == ("the log has no closing line: it was cut off after 1 record",)


def test_a_closing_line_before_further_records_does_not_close_the_log() -> None:
    log: list[Line] = [header(planned=2), record(), footer(1, "interrupted by SIGINT"), record()]
    assert summarize(log).footer is None


def test_an_interrupted_run_is_no_pass() -> None:
    summary = summarize([header(), record(), footer(1, "interrupted by SIGINT")])
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == ("the run is not complete: interrupted by SIGINT",)


def test_a_closing_line_that_counts_otherwise_is_no_pass() -> None:
    summary = summarize([header(), record(), footer(2)])
    assert harness_reasons(summary) == ("the closing line counts 2 records, the log holds 1",)


def test_planned_checks_without_a_record_are_no_pass() -> None:
    summary = summarize(lines(record(), head=header(planned=3)))
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == (f"{TARGET}: 2 of 3 checks without a record",)


def test_a_target_that_could_not_start_is_no_pass() -> None:
    head = header(target(), target("other@unknown", problem="No module named 'other'"))
    summary = summarize(lines(record(), head=head))
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == ("other@unknown could not start: No module named 'other'",)


@pytest.mark.parametrize("verdict", [Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE])
def test_a_target_of_which_nothing_was_compared_is_no_pass(verdict: Verdict) -> None:
    summary = summarize(lines(record(verdict)))
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == (f"{TARGET}: no check could be compared (0 of 1): this is not a pass",)


def test_a_target_that_declares_no_check_was_not_asked_and_the_others_decide() -> None:
    head = header(target(), target("other@1"), planned=1)
    log = lines(record(), record(Verdict.NOT_DECLARED, target="other@1"), head=head)
    summary = summarize(log)
    assert [result_of(summary, entry) for entry in summary.targets] == [TargetResult.CONFORMS, TargetResult.NOT_ASKED]
    assert exit_code(summary) is ExitCode.CONFORMING


def test_a_run_in_which_no_target_was_asked_is_no_pass() -> None:
    summary = summarize(lines(record(Verdict.NOT_DECLARED)))
    assert exit_code(summary) is ExitCode.HARNESS
    assert harness_reasons(summary) == ("no adapter declares any of 1 check: this is not a pass",)


def test_following_an_interpretation_is_an_answer() -> None:
    summary = summarize(lines(record(Verdict.FOLLOWS, interpretation="refuse")))
    assert exit_code(summary) is ExitCode.CONFORMING


def test_compared_are_conforming_deviating_and_known_checks_only() -> None:
    verdicts = [Verdict.PASS, Verdict.WRONG_RESULT, Verdict.KNOWN, Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE]
    counts = summarize(lines(*map(record, verdicts))).counts(TARGET)
    assert (counts.conforming, counts.compared, counts.total) == (1, 3, 5)


def test_disputed_cases_are_gathered_without_their_matrix() -> None:
    cases = ["onnx.Split-13/open[dtype=int8]", "onnx.Split-13/open[dtype=int16]"]
    log = lines(*(record(Verdict.FOLLOWS, case=case, interpretation="refuse") for case in cases))
    assert summarize(log).followed == {"onnx.Split-13/open": {TARGET: {"refuse": 2}}}


def test_a_clause_without_a_record_is_kept_with_no_counts() -> None:
    head = header(clauses={"split.lengths": "lengths are kept", "split.sum": "lengths add up"})
    clauses = summarize(lines(record(), head=head)).clauses
    assert clauses["onnx.Split-13", "split.lengths"][TARGET].conforming == 1
    assert clauses["onnx.Split-13", "split.sum"] == {}


def test_a_recorded_deviation_that_was_not_met_is_still_reported() -> None:
    head = header(deviations=[deviation("toy-001"), deviation("toy-002")], planned=2)
    summary = summarize(lines(record(Verdict.KNOWN, deviation="toy-001"), record(), head=head))
    assert [seen.counts.total for seen in summary.deviations] == [1, 0]


def test_differences_beyond_the_bound_are_counted_only() -> None:
    log = lines(*(record(Verdict.WRONG_RESULT, cause="boundary off by one") for _ in range(KEPT_PER_CAUSE + 5)))
    (cause,) = summarize(log).causes
    assert (cause.count, len(cause.records), cause.left_out) == (KEPT_PER_CAUSE + 5, KEPT_PER_CAUSE, 5)


def test_causes_differ_by_target_verdict_and_text() -> None:
    log = lines(
        record(Verdict.WRONG_RESULT, cause="wrong axis"),
        record(Verdict.WRONG_RESULT, cause="wrong axis", form=Form.RUNTIME),
        record(Verdict.WRONG_RESULT, cause="outputs swapped"),
        record(Verdict.CRASHED, cause="process died: SIGSEGV"),
    )
    found = [(cause.verdict, cause.text, cause.count) for cause in summarize(log).causes]
    assert found == [
        (Verdict.CRASHED, "process died: SIGSEGV", 1),
        (Verdict.WRONG_RESULT, "wrong axis", 2),
        (Verdict.WRONG_RESULT, "outputs swapped", 1),
    ]


def test_a_recorded_crash_comes_before_many_recorded_rejections() -> None:
    rejected = [record(Verdict.KNOWN, judged=Verdict.REJECTED_VALID, deviation="toy-001") for _ in range(3)]
    crashed = record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-002")
    causes = summarize(lines(*rejected, crashed)).causes
    assert [(cause.deviation, cause.severity) for cause in causes] == [
        ("toy-002", Severity.CRASH),
        ("toy-001", Severity.REJECTION),
    ]


def test_a_file_that_does_not_start_as_a_log_is_refused() -> None:
    with pytest.raises(RunLogError) as caught:
        summarize([record()])
    assert str(caught.value) == (
        "the log: does not start with the header of a run log\n  fix:  name a log of `conformance run`"
    )


def test_a_log_on_disk_gives_the_same_summary(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with path.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        writer.header(header())
        writer.check(record(prepare_ns=5, outputs="00"))
        closing = writer.footer("")
    assert isinstance(closing, Footer)
    summary = summarize(path)
    assert (summary.records, summary.footer, exit_code(summary)) == (1, closing, ExitCode.CONFORMING)


def test_a_target_that_was_not_finished_still_reports_its_differences() -> None:
    summary = summarize(lines(record(Verdict.WRONG_RESULT), record(Verdict.NOT_RUN), record()))
    assert headline(summary) == "1 failure. 1 check could not be judged."
    assert target_sentence(summary, summary.targets[0]) == (
        "not finished: 1 check not judged; 1 of 2 compared checks conforms; 1 wrong result"
    )


FIXED = [record(Verdict.FIXED, deviation="toy-001"), record(Verdict.KNOWN, deviation="toy-001")]


@pytest.mark.parametrize(
    ("strict_records", "result"), [(False, TargetResult.DEVIATES_AS_RECORDED), (True, TargetResult.DIFFERS)]
)
def test_fixed_deviation_fails_a_strict_run_alone(strict_records: bool, result: TargetResult) -> None:  # noqa: FBT001
    start = replace(header(planned=2, deviations=[deviation()]), strict_records=strict_records)
    summary = summarize(lines(*FIXED, head=start))
    assert result_of(summary, summary.targets[0]) is result


def test_fixed_deviation_is_named_with_its_file_and_counts_as_conforming() -> None:
    summary = summarize(lines(*FIXED, head=header(planned=2, deviations=[deviation()])))
    assert target_sentence(summary, summary.targets[0]) == (
        "deviates only as recorded: 1 of 2 compared checks conforms; known: 1 wrong result; "
        "toy/deviations.yaml: toy-001 is fixed on 1 check: narrow the entry, which still holds for 1 check"
    )


def test_operators_stand_by_name_with_the_newest_version_first() -> None:
    names = ["onnx.Split-2", "onnx.Split-13", "onnx.Split-11", "onnx.Concat-4", "odd"]
    summary = summarize(lines(*(record(case=f"{name}/a") for name in names)))
    ran = [name for name in summary.operators if name in names]
    assert ran == ["odd", "onnx.Concat-4", "onnx.Split-13", "onnx.Split-11", "onnx.Split-2"]
    assert summary.families["onnx.Split"] == ("onnx.Split-13", "onnx.Split-11", "onnx.Split-2")
