"""What reports make of times: beside a plain copy, against size and parts, and where noise forbids to tell."""

from __future__ import annotations

import io
from typing import Any

import pytest
from report_records import header, page_of_log, target
from rich.console import Console
from timing_records import log_with, time, timing

from conformance.log.log_file import RunLogWriter, read_lines
from conformance.log.record import TimeEntry, TimingRecord
from conformance.log.summary import summarize
from conformance.report import run_sections
from conformance.report.page import markdown_of, written
from conformance.report.run_sections import (
    TimedCase,
    about,
    against_copy,
    against_fastest,
    bytes_text,
    interval_text,
    timed_cases,
    times_left_out,
)
from conformance.report.terminal import screen_of, show


def case_of(*records: TimingRecord) -> TimedCase:
    return records


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (timing(), "2.00 \N{MULTIPLICATION SIGN}"),
        (timing(run=time(5_000_000)), "100 \N{MULTIPLICATION SIGN}"),
        (timing(run=time(100), is_view=True), "< 0.01 \N{MULTIPLICATION SIGN} (view)"),
        (timing(copy=time(0.0)), "—"),
    ],
)
def test_a_time_stands_beside_a_plain_copy(record: TimingRecord, shown: str) -> None:
    assert against_copy(record) == shown


@pytest.mark.parametrize(("nbytes", "shown"), [(48, "48 bytes"), (1 << 20, "1 MiB"), (1536, "1.5 KiB")])
def test_sizes_have_binary_units(nbytes: int, shown: str) -> None:
    assert bytes_text(nbytes) == shown


def against(*records: TimingRecord) -> list[str]:
    return [against_fastest(records, record.run) for record in records if record.run is not None]


def test_each_target_is_compared_with_the_fastest() -> None:
    case = (timing(), timing(target="other", run=time(150_000)))
    assert against(*case) == ["1.00 \N{MULTIPLICATION SIGN}", "1.50 \N{MULTIPLICATION SIGN}"]


@pytest.mark.parametrize("near", [101_000, 108_000])
def test_intervals_that_overlap_and_medians_that_two_runs_may_have_forbid_to_compare(near: int) -> None:
    case = (timing(), timing(target="other", run=time(near)), timing(target="slow", run=time(900_000)))
    assert against(*case) == ["1.00 \N{MULTIPLICATION SIGN}", "—", "9.00 \N{MULTIPLICATION SIGN}"]


@pytest.mark.parametrize("noisy", [time(300_000, rounds_ns=[300_000]), time(300_000, low_ns=None, high_ns=None)])
def test_a_time_of_few_rounds_or_without_interval_forbids_to_compare(noisy: TimeEntry) -> None:
    assert against(timing(), timing(target="other", run=noisy)) == ["—", "—"]


def test_one_time_alone_says_nothing() -> None:
    assert against(timing(), timing(target="wrong", run=None, reason="wrong result")) == ["—"]


def test_a_wide_interval_is_marked_and_a_missing_one_named() -> None:
    assert interval_text(time(100_000)).endswith("s")
    assert interval_text(time(100_000, 0.4)).endswith("s (wide)")
    assert interval_text(time(100_000, low_ns=None, high_ns=None)) == "too few samples"


def test_a_case_says_what_is_cut() -> None:
    assert about(timing()) == "1 MiB of float32 in 4 parts, inner axis"


def test_times_change_neither_counts_nor_result() -> None:
    without, beside = summarize(log_with()), summarize(log_with(timing(), timing("b", run=None, reason="wrong")))
    assert (beside.records, beside.counts("toy@1.0")) == (without.records, without.counts("toy@1.0"))
    assert len(beside.timings) == 2


def test_the_records_of_a_case_stand_in_the_order_of_the_targets() -> None:
    log = log_with(timing(target="second"), timing(target="first"))
    log[0] = header(target("first"), target("second"))
    (case,) = timed_cases(summarize(log))
    assert [one.target for one in case] == ["first", "second"]


def test_markdown_has_a_row_for_each_time() -> None:
    text = markdown_of(screen_of(summarize(log_with(timing(is_framework_alone=True)))))
    assert "| \\[1\\] | 100 µs | 98.0 µs to 102 µs | — |" in text


def test_a_run_without_times_has_no_section_of_them() -> None:
    assert "How long it took" not in markdown_of(screen_of(summarize(log_with())))


def test_a_time_survives_the_log(tmp_path: Any) -> None:
    written = timing(affinity=[0, 1], threads=3, prepare_ns=[5, 6], first_run_ns=[7, 8])
    path = tmp_path / "run.jsonl"
    with path.open("wb") as stream:
        RunLogWriter(stream, {}).timing(written)
    assert list(read_lines(path)) == [written]


def test_the_terminal_has_the_table_within_its_width() -> None:
    out = io.StringIO()
    log = log_with(timing("a"), timing("other-" + "x" * 100, parts=512))
    show(screen_of(summarize(log)), Console(file=out, width=80, highlight=False))
    assert "/ fastest" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 80


@pytest.mark.parametrize("odd", [0.0, -5.0, 1e-300, 1e300, float("inf"), float("nan")])
def test_odd_times_of_a_log_break_no_report(odd: float) -> None:
    run = time(1.0, median_ns=odd, low_ns=odd, high_ns=odd)
    records = [timing(f"size-{size}", nbytes=size, run=run, target=name) for size in (0, 8, 64, 512) for name in "ab"]
    log = log_with(*records)
    assert "onnx.Split-13/size-8" in page_of_log(log)
    assert "onnx.Split-13/size-8" in markdown_of(screen_of(summarize(log)))


def test_times_beyond_what_a_report_shows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.log.summary._MAX_TIMINGS", 2)
    summary = summarize(log_with(*(timing(f"case-{number}") for number in range(5))))
    assert len(summary.timings) == 2
    assert times_left_out(summary) == "3 further times, which the log holds."
    assert "3 further times, which the log holds." in written([run_sections.timing(summary)])


def test_nothing_is_said_where_every_time_is_shown() -> None:
    assert times_left_out(summarize(log_with(timing()))) == ""
