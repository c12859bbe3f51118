"""Laws of what is said of a run: every record is counted once, and a screen holds it."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_records import header, lines, record, target
from rich.console import Console

from conformance.log.record import CheckRecord, Line
from conformance.log.summary import exit_code, summarize
from conformance.protocol.form import Form
from conformance.report.terminal import screen_of, show
from conformance.spec.verdict import ExitCode, Rank, RateMark, Section, Standing, Verdict

pytestmark = pytest.mark.slow

NAMES = ["toy@1.0", "toy@1.0[mode=b]", "a-target-with-a-rather-long-name@2026.12.31-rc1[device=GPU,route=ir]"]
OPERATORS = [f"onnx.{name}-{version}" for name in ("Split", "Concat", "ScatterND") for version in (11, 13, 18)]
TEXTS = st.sampled_from(["", "wrong number of outputs", "a cause " * 40, "\x1b[2J\u202e", "::error::x"])
JUDGED = [verdict for verdict in Verdict if verdict is not Verdict.BROKEN_BEFORE]


@st.composite
def logs(draw: st.DrawFn) -> list[Line]:
    """A log of up to three targets with any verdicts."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    cases = st.builds("{}/{}".format, st.sampled_from(OPERATORS), st.text("abc", min_size=1, max_size=40))
    keys = draw(st.lists(st.tuples(st.sampled_from(names), cases), unique=True, max_size=30))
    records = [
        record(
            draw(st.sampled_from(JUDGED)),
            target=name,
            case=case,
            form=draw(st.sampled_from([Form.CONSTANT, Form.RUNTIME])),
            cause=draw(TEXTS),
            explanation=draw(TEXTS),
            message=draw(TEXTS),
        )
        for name, case in keys
    ]
    return lines(*records, head=header(*(target(name, options={}) for name in names), planned=len(records)))


def records_of(log: list[Line]) -> list[CheckRecord]:
    return [line for line in log if isinstance(line, CheckRecord)]


@given(logs())
def test_every_record_is_counted_once(log: list[Line]) -> None:
    summary = summarize(log)
    assert sum(summary.counts(one.name).total for one in summary.targets) == len(records_of(log))


@given(logs())
def test_every_record_that_needs_a_reason_belongs_to_one_cause(log: list[Line]) -> None:
    due = Counter(one.verdict for one in records_of(log) if one.verdict.meaning.section is not None)
    found: Counter[Verdict] = Counter()
    for cause in summarize(log).causes:
        found[cause.verdict] += cause.count
    assert found == due


@given(logs())
def test_the_order_of_records_changes_no_count(log: list[Line]) -> None:
    head, *records, end = log
    one, other = summarize(log), summarize([head, *reversed(records), end])
    assert exit_code(one) is exit_code(other)
    for name in {entry.name for entry in one.targets}:
        assert one.counts(name) == other.counts(name)


@given(logs())
def test_a_failure_that_nobody_recorded_never_ends_with_0(log: list[Line]) -> None:
    code = exit_code(summarize(log))
    if any(one.verdict.meaning.exit_code is not ExitCode.CONFORMING for one in records_of(log)):
        assert code is not ExitCode.CONFORMING
    assert code in (ExitCode.CONFORMING, ExitCode.NOT_CONFORMING, ExitCode.HARNESS)


def test_a_screen_shows_a_log_that_ended_before_its_first_record() -> None:
    out = io.StringIO()
    show(screen_of(summarize(lines(is_closed=False))), Console(file=out, width=80, color_system=None))
    assert "(exit code 3)" in out.getvalue()


@settings(max_examples=50)
@given(logs())
def test_a_screen_has_50_lines_of_80_columns(log: list[Line]) -> None:
    out = io.StringIO()
    show(screen_of(summarize(log)), Console(file=out, width=80, color_system=None))
    shown = out.getvalue().splitlines()
    assert len(shown) <= 50
    assert all(len(line) <= 80 for line in shown if "conformance " not in line)
    assert out.getvalue().replace("\n", "").isprintable()


@given(st.sampled_from(Verdict))
def test_the_table_of_verdicts_agrees_with_itself(verdict: Verdict) -> None:
    meaning = verdict.meaning
    is_failure = meaning.standing is Standing.DEVIATING
    assert [other for other in Verdict if other.value == verdict.value] == [verdict]
    assert is_failure is (meaning.exit_code is ExitCode.NOT_CONFORMING)
    assert is_failure is (meaning.severity is not None)
    assert is_failure is (meaning.section is Section.NEW)
    assert (meaning.rank is None) is (meaning.section is Section.NOT_JUDGED)
    assert (meaning.mark is RateMark.NOT_JUDGED) is (meaning.rank is None)
    assert not meaning.recorded_by or is_failure
    assert not meaning.may_be_neighbours or is_failure
    assert (meaning.standing is Standing.CONFORMING) <= (meaning.rank is Rank.HOLDS)
    assert meaning.was_asked or not meaning.is_certifiable
