from __future__ import annotations

from dataclasses import replace

import pytest
from report_records import header, lines, record, target

from conformance.log.summary import summarize
from conformance.report.wording import cause_title, headline
from conformance.spec.verdict import Verdict


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ([Verdict.PASS], "The target conforms."),
        ([Verdict.PASS, Verdict.PASS], "Both targets conform."),
        ([Verdict.KNOWN], "The target deviates only as recorded."),
        ([Verdict.PASS, Verdict.KNOWN], "1 of 2 targets conforms; 1 deviates only as recorded."),
        ([Verdict.KNOWN, Verdict.KNOWN], "0 of 2 targets conform; 2 deviate only as recorded."),
        ([Verdict.WRONG_RESULT], "The target does not conform."),
        ([Verdict.PASS, Verdict.HARNESS_ERROR], "1 check could not be judged."),
    ],
)
def test_the_headline_never_calls_a_deviating_target_conforming(verdicts: list[Verdict], sentence: str) -> None:
    names = [f"toy{number}@1.0" for number in range(len(verdicts))]
    records = [record(verdict, target=name) for name, verdict in zip(names, verdicts, strict=True)]
    head = header(*(target(name) for name in names))
    assert headline(summarize(lines(*records, head=head))) == sentence


def test_titles_differ_where_causes_do() -> None:
    records = [
        replace(record(Verdict.WRONG_RESULT), cause="matches none"),
        replace(record(Verdict.ACCEPTED_INVALID), cause="matches none"),
        replace(record(Verdict.WRONG_RESULT), cause="swapped"),
        replace(record(Verdict.KNOWN), deviation="toy-001"),
        replace(record(Verdict.KNOWN), deviation="toy-002"),
        replace(record(Verdict.FIXED), deviation="toy-002"),
    ]
    summary = summarize(lines(*records))
    titles = [cause_title(summary, cause) for cause in summary.causes]
    assert len(set(titles)) == len(titles) == 6
    assert "swapped" in titles
