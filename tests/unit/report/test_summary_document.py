from __future__ import annotations

import json
from typing import Any

import jsonschema
from report_records import deviation, header, lines, record, target

from conformance.cli.listing import schema
from conformance.log.record import Line
from conformance.log.summary import summarize
from conformance.report.documents import render_summary
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


def test_an_operator_has_its_rate_and_median_times() -> None:
    (shown,) = document_of(lines(record(outputs="aa", prepare_ns=1024, run_ns=[2048])))["targets"]
    (operator,) = shown["operators"]
    assert operator["operator"] == "onnx.Split-13"
    assert (operator["prepare"], operator["run"]) == ({"median_ns": 1024, "count": 1}, {"median_ns": 2048, "count": 1})


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
