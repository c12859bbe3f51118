"""What reports make of times: beside a plain copy, against size and parts, and where noise forbids to tell."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from report_records import header, page_of_log, target
from rich.console import Console
from timing_records import log_with, time, timing

from conformance.findings.summary import summarize
from conformance.log.log_file import RunLogWriter, read_lines
from conformance.log.record import TimeEntry, TimingRecord
from conformance.report.markdown import markdown_of
from conformance.report.nodes import markup
from conformance.report.run_tree import tree_of
from conformance.report.screen import show_run
from conformance.report.timing import (
    TimedCase,
    about,
    bytes_text,
    curves,
    left_out_sentence,
    notable_cases,
    note,
    speed_text,
    timed_cases,
    times_copy_text,
)
from conformance.report.timing_charts import LogScale, comparison_drawing, curve_drawing, legend, scale_over


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
    assert times_copy_text(record) == shown


def test_speed_counts_the_bytes_of_the_data_once_and_a_view_has_none() -> None:
    assert speed_text(timing()) == "10.5 GB/s"
    assert speed_text(timing(is_view=True)) == "—"


@pytest.mark.parametrize(("nbytes", "shown"), [(48, "48 bytes"), (1 << 20, "1 MiB"), (1536, "1.5 KiB")])
def test_sizes_have_binary_units(nbytes: int, shown: str) -> None:
    assert bytes_text(nbytes) == shown


def test_the_fastest_is_named_with_how_far_the_next_is() -> None:
    case = case_of(timing(), timing(target="other", run=time(150_000)))
    assert note(case) == "toy@1.0 is fastest; the next takes 1.50 times as long."


def test_intervals_that_overlap_forbid_to_name_the_fastest() -> None:
    case = case_of(timing(), timing(target="other", run=time(101_000)), timing(target="slow", run=time(900_000)))
    assert note(case) == "The noise does not tell these apart: toy@1.0, other."


@pytest.mark.parametrize("noisy", [time(300_000, rounds_ns=[300_000]), time(300_000, low_ns=None, high_ns=None)])
def test_a_time_of_few_rounds_or_without_interval_forbids_to_compare(noisy: TimeEntry) -> None:
    assert note(case_of(timing(), timing(target="other", run=noisy))) == "Too noisy to compare: other."


def test_medians_that_two_runs_may_have_forbid_to_name_the_fastest() -> None:
    case = case_of(timing(), timing(target="other", run=time(108_000)))
    assert note(case) == "The noise does not tell these apart: toy@1.0, other."


def test_one_time_alone_says_nothing() -> None:
    assert note(case_of(timing(), timing(target="wrong", run=None, reason="wrong result"))) == ""


def test_a_case_says_what_is_cut() -> None:
    assert about(case_of(timing())) == "1 MiB of float32 in 4 parts, inner axis"


def by_size(*exponents: int, **fields: Any) -> list[TimedCase]:
    return [case_of(timing(f"size-{exponent}", nbytes=1 << exponent, **fields)) for exponent in exponents]


def test_cases_that_differ_in_size_alone_make_a_curve() -> None:
    (curve,) = curves(by_size(20, 10, 28))
    assert (curve.title, curve.against) == ("Time against size: float32, 4 parts, inner axis", "size")
    assert list(curve.series) == ["toy@1.0", "plain copy"]
    assert [place for place, _ in curve.series["toy@1.0"]] == [1 << 10, 1 << 20, 1 << 28]


def test_cases_that_differ_in_parts_alone_make_a_curve() -> None:
    (curve,) = curves([case_of(timing(f"parts-{parts}", parts=parts, axis=0)) for parts in (2, 16, 128)])
    assert curve.title == "Time against number of parts: float32, 1 MiB, outer axis"


def test_other_types_axes_or_too_few_places_make_no_curve() -> None:
    assert curves([*by_size(10, 20), *by_size(28, axis=0), *by_size(30, dtype="int8")]) == []


def test_a_short_table_has_the_largest_data_and_the_most_parts() -> None:
    many = case_of(timing("many", nbytes=1 << 10, parts=512))
    assert notable_cases([*by_size(10, 20), many]) == [by_size(20)[0], many]


def test_equal_ratios_have_equal_distances() -> None:
    scale = LogScale(1, 1000, 100, 400)
    assert [scale.place(value) for value in (1, 10, 100, 1000)] == pytest.approx([100, 200, 300, 400])


def test_a_scale_reaches_from_the_power_below_to_the_power_above() -> None:
    scale = scale_over([15, 15, 900], 0, 100)
    assert (scale.low, scale.high, scale.powers(10)) == (10, 1000, [10, 100, 1000])


def test_a_scale_over_one_value_has_an_extent() -> None:
    scale = scale_over([100.0], 0, 50)
    assert (scale.low, scale.high) == (100, 1000)


def test_a_scale_has_no_more_marks_than_can_be_read() -> None:
    assert len(scale_over([1, 2**40], 0, 100, 2).powers(2)) <= 9


def test_a_chart_says_in_words_what_it_shows() -> None:
    (curve,) = curves(by_size(10, 20, 28))
    drawn = str(markup(curve_drawing(curve, {"toy@1.0": 0})))
    assert 'role="img"' in drawn
    assert "toy@1.0: 100 µs, 100 µs, 100 µs; plain copy: 50.0 µs, 50.0 µs, 50.0 µs." in drawn


def test_intervals_are_drawn_from_low_to_high() -> None:
    (curve,) = curves(by_size(10, 20, 28))
    drawn = str(markup(curve_drawing(curve, {"toy@1.0": 0})))
    first = re.search(r'class="interval series-0" x1="64.0" x2="64.0" y1="([\d.]+)" y2="([\d.]+)"', drawn)
    assert first is not None
    assert float(first[1]) > float(first[2])


def test_a_comparison_has_a_row_for_each_case_and_a_mark_for_each_target() -> None:
    cases = [case_of(timing("a"), timing("a", target="other")), case_of(timing("b"))]
    drawing = comparison_drawing(cases, {"toy@1.0": 0, "other": 1})
    assert drawing is not None
    drawn = str(markup(drawing))
    assert drawn.count('class="row"') == 2
    assert drawn.count('class="mark series-0"') == 2
    assert drawn.count('class="mark series-1"') == 1


def test_a_comparison_of_nothing_is_no_drawing() -> None:
    assert comparison_drawing([case_of(timing(run=None, reason="wrong result"))], {}) is None


def test_the_legend_escapes_names() -> None:
    assert "<script>" not in str(markup(legend(["<script>"])))


def test_times_change_neither_counts_nor_result() -> None:
    without, beside = summarize(log_with()), summarize(log_with(timing(), timing("b", run=None, reason="wrong")))
    assert (beside.records, beside.counts("toy@1.0")) == (without.records, without.counts("toy@1.0"))
    assert len(beside.timings) == 2


def test_the_records_of_a_case_stand_in_the_order_of_the_targets() -> None:
    log = log_with(timing(target="second"), timing(target="first"))
    log[0] = header(target("first"), target("second"))
    (case,) = timed_cases(summarize(log), "onnx.Split-13")
    assert [one.target for one in case] == ["first", "second"]


def test_markdown_has_a_row_for_each_timed_case() -> None:
    text = markdown_of(tree_of(summarize(log_with(timing()))))
    assert "| `onnx.Split-13/a` | 2.00 \N{MULTIPLICATION SIGN}<br>100 µs |" in text


def test_a_time_survives_the_log(tmp_path: Any) -> None:
    written = timing(affinity=[0, 1], threads=3, prepare_ns=[5, 6], first_run_ns=[7, 8])
    path = tmp_path / "run.jsonl"
    with path.open("wb") as stream:
        RunLogWriter(stream, {}).timing(written)
    assert list(read_lines(path)) == [written]


def test_the_terminal_has_the_telling_cases_within_its_width() -> None:
    out = io.StringIO()
    log = log_with(timing("largest"), timing("other-" + "x" * 100, parts=512), timing("small", nbytes=8, parts=1))
    show_run(summarize(log), console=Console(file=out, width=60, highlight=False))
    assert "largest " in out.getvalue()
    assert "small" not in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 60


@pytest.mark.parametrize("odd", [0.0, -5.0, 1e-300, 1e300, float("inf"), float("nan")])
def test_odd_times_of_a_log_break_no_report(odd: float) -> None:
    run = time(1.0, median_ns=odd, low_ns=odd, high_ns=odd)
    records = [timing(f"size-{size}", nbytes=size, run=run, target=name) for size in (0, 8, 64, 512) for name in "ab"]
    log = log_with(*records)
    assert "Time against size" in page_of_log(log)
    assert "onnx.Split-13/size-8" in markdown_of(tree_of(summarize(log)))


def test_times_beyond_what_a_report_shows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.findings.summary._MAX_TIMINGS", 2)
    summary = summarize(log_with(*(timing(f"case-{number}") for number in range(5))))
    assert len(summary.timings) == 2
    assert left_out_sentence(summary) == "3 further times, which the log holds."
    assert "3 further times, which the log holds." in markdown_of(tree_of(summary))


def test_nothing_is_said_where_every_time_is_shown() -> None:
    assert left_out_sentence(summarize(log_with(timing()))) == ""
