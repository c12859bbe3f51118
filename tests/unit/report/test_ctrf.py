from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
from report_records import TARGET, call, difference, entry, footer, header, lines, record, target

from conformance.findings.summary import summarize
from conformance.language.verdict import Verdict
from conformance.log.record import Line
from conformance.report.ctrf import write_ctrf

SCHEMA = json.loads((Path(__file__).parent / "ctrf" / "ctrf-schema-0.0.json").read_text(encoding="utf-8"))
BAD = "</script>\x00\x1b\u202e\ud800\"'`|<b>&"


def ctrf_of(log: list[Line]) -> dict[str, Any]:
    """The document, which keeps the schema of its format."""
    stream = io.BytesIO()
    write_ctrf(log, summarize(log), stream)
    document: dict[str, Any] = json.loads(stream.getvalue().decode("utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(document)
    results: dict[str, Any] = document["results"]
    return results


def test_each_verdict_has_a_status() -> None:
    verdicts = [
        Verdict.PASS,
        Verdict.WRONG_RESULT,
        Verdict.CRASHED,
        Verdict.UNSUPPORTED,
        Verdict.KNOWN,
        Verdict.FOLLOWS,
    ]
    tests = ctrf_of(lines(*map(record, verdicts)))["tests"]
    assert [test["status"] for test in tests] == ["passed", "failed", "failed", "skipped", "skipped", "passed"]
    assert [test["rawStatus"] for test in tests] == [verdict.value for verdict in verdicts]


def test_every_verdict_makes_a_document_of_the_format_whose_summary_counts_its_tests() -> None:
    results = ctrf_of(lines(*map(record, Verdict)))
    statuses = [test["status"] for test in results["tests"]]
    assert results["summary"]["tests"] == len(statuses)
    for status in ("passed", "failed", "skipped", "pending", "other"):
        assert results["summary"][status] == statuses.count(status)


def test_a_failure_has_message_difference_and_call() -> None:
    differs = difference(entry([1, 2]), entry([1, 3]), differing=1, first=1)
    wrong = record(
        Verdict.WRONG_RESULT,
        cause="wrong axis",
        differences=[differs],
        call=call(entry([[1, 2]])),
        where="cases/a.yaml:12",
    )
    (test,) = ctrf_of(lines(wrong))["tests"]
    assert test["message"] == "wrong result: wrong axis"
    assert test["trace"] == "output 0: 1 of 2 elements differs, the first at [1]"
    assert "conformance run --target 'toy@1.0'" in test["snippet"]
    assert (test["filePath"], test["line"], test["suite"]) == ("cases/a.yaml", 12, [TARGET, "onnx.Split-13"])


def test_a_run_that_was_cut_off_is_no_healthy_one_and_fails_a_test_of_its_own() -> None:
    results = ctrf_of(lines(record(), is_closed=False))
    assert results["environment"]["healthy"] is False
    assert results["tests"][0] == {
        "name": "run-1",
        "status": "failed",
        "rawStatus": "not judged",
        "duration": 0,
        "suite": ["opconform"],
        "message": "the log has no closing line: it was cut off after 1 record",
    }


def test_times_are_milliseconds() -> None:
    results = ctrf_of(lines(record(prepare_ns=2_600_000, run_ns=[400_000])))
    assert results["tests"][0]["duration"] == 3
    assert results["summary"]["start"] == 1767323045000
    assert results["summary"]["duration"] == 60_000


def test_a_time_that_is_none_is_0() -> None:
    log: list[Line] = [header(), record(), footer(1)]
    object.__setattr__(log[0], "started", "yesterday")
    assert ctrf_of(log)["summary"]["start"] == 0


def test_hostile_texts_keep_the_format_and_are_bounded() -> None:
    long = BAD + "x" * 1_000_000
    hostile = record(
        Verdict.CRASHED, target=BAD, case=long, cause=long, message=long, explanation=long, stderr=long, clauses=[BAD]
    )
    _, test = ctrf_of(lines(hostile, head=header(target(BAD, problem=BAD))))["tests"]
    assert len(json.dumps(test)) < 60_000
    assert "\u202e" not in json.dumps(test, ensure_ascii=False)
