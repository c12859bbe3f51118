"""A neighbour that deviates, in every report."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from lxml import html
from report_records import lines, page_of_log, record

from conformance.log.record import CheckRecord, ControlEntry, Header, ShardEntry
from conformance.log.summary import cause_text, exit_code, summarize
from conformance.protocol.form import Form
from conformance.report.case_view import control_text
from conformance.report.junit import write_junit
from conformance.report.page import markdown_of
from conformance.report.terminal import screen_of, show
from conformance.report.wording import headline, rate, target_sentence
from conformance.spec.verdict import ExitCode, Verdict

DID_IT = "Without the operator, the same graph deviates in the same way: the Concat does it."
LOST = ControlEntry(outcome="produced", judged=Verdict.WRONG_RESULT, cause="-0.0 lost")


def joined(verdict: Verdict, control: ControlEntry = LOST) -> CheckRecord:
    return record(
        verdict, judged=Verdict.WRONG_RESULT, form=Form.BEFORE_CONCAT, cause="-0.0 lost", outputs="ab", control=control
    )


LOG = lines(*[record()] * 19, joined(Verdict.NEIGHBOUR))


def test_a_neighbours_deviation_is_in_no_rate_and_fails_nothing() -> None:
    summary = summarize(LOG)
    (target,) = summary.targets
    assert rate(summary.counts(target.name)) == "19/19"
    assert target_sentence(summary, target) == "conforms: 19 of 19 compared checks conform, 1 caused by another node"
    assert exit_code(summary) is ExitCode.CONFORMING


def test_a_run_in_which_controls_excuse_more_than_a_twentieth_of_an_operator_is_no_pass() -> None:
    summary = summarize(lines(*[record()] * 18, joined(Verdict.NEIGHBOUR)))
    (target,) = summary.targets
    assert exit_code(summary) is ExitCode.NOT_CONFORMING
    assert (
        headline(summary) == "Controls excuse more than a twentieth of the checks of an operator. This is not a pass."
    )
    assert target_sentence(summary, target) == (
        "is excused too often: 18 of 18 compared checks conform, 1 caused by another node; "
        "onnx.Split-13: controls excuse 1 of 19 checks, more than a twentieth"
    )


def test_a_shard_has_too_few_checks_to_tell_whether_controls_excuse_too_many() -> None:
    header, *rest = lines(*[record()] * 18, joined(Verdict.NEIGHBOUR))
    assert isinstance(header, Header)
    selection = replace(header.selection, shard=ShardEntry(number=1, of=2, whole=38))
    assert exit_code(summarize([replace(header, selection=selection), *rest])) is ExitCode.CONFORMING


def test_it_has_a_heading_of_its_own_and_names_the_neighbour() -> None:
    (group,) = html.fromstring(page_of_log(LOG)).xpath("//section[@class='group']")
    assert group.get("id") == "group-neighbours"
    assert group.findtext("h3").startswith("Caused by another node: ")
    assert group.xpath("details/summary/h4/text()") == ["the Concat: wrong result: -0.0 lost"]
    assert cause_text(joined(Verdict.WRONG_RESULT)) == "-0.0 lost"


def test_every_report_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    summary = summarize(LOG)
    show(screen_of(summary))
    assert "1 caused by another node" in capsys.readouterr().out
    assert "caused by another node" in markdown_of(screen_of(summary))
    assert DID_IT in page_of_log(LOG)
    stream = io.BytesIO()
    write_junit(LOG, summary, stream)
    assert DID_IT in stream.getvalue().decode()


@pytest.mark.parametrize(
    ("control", "sentence"),
    [
        (
            ControlEntry(outcome="produced", judged=Verdict.PASS),
            "Without the operator, the same graph is right.",
        ),
        (LOST, "Without the operator, the same graph does something else: wrong result: -0.0 lost"),
        (
            replace(LOST, outputs="ab"),
            (
                "Without the operator, the same graph deviates in the same way. That excuses nothing: the call does "
                "not conform without the Concat either."
            ),
        ),
        (
            ControlEntry(outcome="unsupported", judged=Verdict.UNSUPPORTED, explanation="no Concat"),
            "Without the operator, the same graph does something else: unsupported: no Concat",
        ),
    ],
)
def test_a_deviation_of_the_operator_comes_with_what_its_control_did(control: ControlEntry, sentence: str) -> None:
    assert control_text(joined(Verdict.WRONG_RESULT, control), control) == sentence
