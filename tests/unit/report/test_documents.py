"""JSON documents and JUnit XML for programs."""

from __future__ import annotations

import io
import json
from typing import Any

import jsonschema
import numpy as np
from junitparser import JUnitXml
from lxml import etree
from report_records import (
    TARGET,
    call,
    deviation,
    difference,
    difference_of_arrays,
    entry,
    header,
    lines,
    record,
    target,
)

from conformance.cli.listing import schema
from conformance.log.record import Line
from conformance.log.summary import summarize
from conformance.protocol.form import Form
from conformance.report.junit import write_junit
from conformance.report.writers import render_summary
from conformance.spec.verdict import Verdict


def document_of(log: list[Line]) -> dict[str, Any]:
    """The document, which keeps the published schema."""
    document: dict[str, Any] = json.loads(render_summary(summarize(log)).decode("utf-8"))
    jsonschema.Draft202012Validator(schema("summary")).validate(document)
    return document


def test_a_target_has_its_rate_its_verdicts_and_its_sentence() -> None:
    (shown,) = document_of(lines(record(), record(Verdict.WRONG_RESULT)))["targets"]
    assert (shown["name"], shown["result"]) == ("toy@1.0", "does not conform")
    assert shown["sentence"] == "does not conform: 1 of 2 compared checks conforms; 1 wrong result"
    assert shown["tally"] == {
        "compared": 2,
        "conforming": 1,
        "lowered": 0,
        "verdicts": {"pass": 1, "wrong result": 1},
    }


def test_an_operator_has_its_rate() -> None:
    (shown,) = document_of(lines(record()))["targets"]
    (operator,) = shown["operators"]
    assert (operator["operator"], operator["tally"]["conforming"]) == ("onnx.Split-13", 1)


def test_a_cause_names_its_checks() -> None:
    (cause,) = document_of(lines(record(Verdict.WRONG_RESULT, cause="wrong axis")))["causes"]
    assert (cause["verdict"], cause["cause"], cause["count"]) == ("wrong result", "wrong axis", 1)
    assert cause["checks"] == [{"case": "onnx.Split-13/unequal[dtype=float32]", "form": "constant"}]


def test_a_deviation_has_the_verdicts_that_it_covers() -> None:
    known = record(Verdict.KNOWN, deviation="toy-001")
    (shown,) = document_of(lines(known, head=header(deviations=[deviation()])))["deviations"]
    assert shown == {
        "id": "toy-001",
        "target": "toy@1.0",
        "what": "the last part is dropped",
        "verdicts": {"known": 1},
    }


def test_the_exit_code_stands_beside_its_reasons() -> None:
    document = document_of(lines(record(), is_closed=False))
    assert (document["exit_code"], document["ended"]) == (3, None)
    assert document["reasons"] == ["the log has no closing line: it was cut off after 1 record"]


def test_hostile_texts_keep_the_schema() -> None:
    bad = '\x00\x1b\u202e\ud800"<b>&'
    head = header(target(bad, problem=bad * 10_000), deviations=[deviation(bad, what=bad)])
    document = document_of(lines(record(Verdict.CRASHED, target=bad, case=bad, cause=bad * 100_000), head=head))
    assert document["targets"][0]["name"] == '\x00\x1b\u202e?"<b>&'
    assert len(json.dumps(document)) < 20_000


def xml_of(log: list[Line]) -> bytes:
    stream = io.BytesIO()
    write_junit(log, summarize(log), stream)
    return stream.getvalue()


def test_each_verdict_becomes_a_child_element() -> None:
    verdicts = [Verdict.PASS, Verdict.WRONG_RESULT, Verdict.CRASHED, Verdict.UNSUPPORTED, Verdict.KNOWN]
    root = etree.fromstring(xml_of(lines(*map(record, verdicts))))
    children = [[child.tag for child in case] for case in root.iter("testcase")]
    assert children == [[], ["failure"], ["error"], ["skipped"], ["skipped"]]


def test_a_suite_counts_its_cases() -> None:
    log = lines(record(prepare_ns=10**9, run_ns=[5 * 10**8]), record(Verdict.WRONG_RESULT), record(Verdict.UNSUPPORTED))
    (suite,) = JUnitXml.fromstring(xml_of(log))
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == (TARGET, 3, 1, 0, 1)
    assert suite.time == 1.5


def test_a_case_is_named_by_its_id_and_form() -> None:
    (suite,) = JUnitXml.fromstring(xml_of(lines(record(form=Form.RUNTIME, run_ns=[2_000_000]))))
    (case,) = suite
    assert (case.classname, case.name) == ("onnx.Split-13", "onnx.Split-13/unequal[dtype=float32]@runtime")
    assert case.time == 0.002


def test_a_failure_has_message_type_and_difference() -> None:
    differences = [difference_of_arrays(np.array([1, 2]), np.array([1, 3]))]
    wrong = record(Verdict.WRONG_RESULT, cause="wrong axis", differences=differences, call=call(entry([[1, 2]])))
    (suite,) = JUnitXml.fromstring(xml_of(lines(wrong)))
    (case,) = suite
    (failure,) = case.result
    assert (failure.message, failure.type) == ("wrong result: wrong axis", "wrong result")
    assert failure.text == "output 0: 1 of 2 elements differs, the first at [1]"
    assert "conformance run --target 'toy@1.0'" in case.system_out


def test_an_accepted_invalid_call_names_the_clause_and_the_outputs() -> None:
    differences = [difference(None, entry([1, 2]))]
    accepted = record(Verdict.ACCEPTED_INVALID, cause="violates split.non_negative", differences=differences)
    (case,) = next(iter(JUnitXml.fromstring(xml_of(lines(accepted)))))
    assert case.result[0].message == "accepted an invalid call: violates split.non_negative; returned float32[2]"


def test_characters_that_xml_forbids_are_written_out() -> None:
    bad = "a\x00\x1b\ufffe</failure>&\u202e"
    log = lines(
        record(Verdict.CRASHED, target=bad, case=bad, cause=bad, explanation=bad, stderr=bad),
        head=header(target(bad, options={bad: bad})),
    )
    (suite,) = JUnitXml.fromstring(xml_of(log))
    assert suite.name == "a\\x00\\x1b\\ufffe</failure>&\\u202e"


def test_each_target_has_a_suite_even_without_records() -> None:
    head = header(target(), target("other@1", problem="no such module"))
    suites = list(JUnitXml.fromstring(xml_of(lines(record(), head=head))))
    assert [(suite.name, suite.tests) for suite in suites] == [("opconform", 1), (TARGET, 1), ("other@1", 0)]


def test_a_truncated_log_is_an_error_of_its_own() -> None:
    suite = next(iter(JUnitXml.fromstring(xml_of(lines(record(), is_closed=False)))))
    (case,) = suite
    assert suite.errors == 1
    assert case.result[0].message == "the log has no closing line: it was cut off after 1 record"
