from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from report_records import record

from conformance.log import summary
from conformance.log.record import CheckRecord
from conformance.log.summary import Causes, cause_name, cause_text, dtype_of
from conformance.protocol.form import Form
from conformance.spec.verdict import Severity, Verdict


def wrong(cause: str = "wrong axis", **changes: Any) -> CheckRecord:
    usual: dict[str, Any] = {"verdict": Verdict.WRONG_RESULT, "judged": Verdict.WRONG_RESULT, "cause": cause}
    return replace(record(), **{**usual, **changes})


def gathered(*records: CheckRecord) -> tuple[summary.Cause, ...]:
    found = Causes()
    for item in records:
        found.add(item)
    return found.gathered()


def test_checks_of_one_target_verdict_and_cause_are_one_group() -> None:
    first, second = wrong(), wrong(case="onnx.Split-13/other", form=Form.DYNAMIC)
    (cause,) = gathered(first, second, replace(first, form=Form.RUNTIME))
    assert (cause.count, cause.cases) == (3, 2)
    assert (cause.text, cause.severity) == ("wrong axis", Severity.WRONG)
    assert cause.forms == {"constant": 1, "dynamic": 1, "runtime": 1}


def test_another_cause_verdict_or_target_is_another_group() -> None:
    crashed = wrong(verdict=Verdict.CRASHED, judged=Verdict.CRASHED)
    found = gathered(wrong(), wrong("other values"), crashed, wrong(target="other@1"))
    assert [item.count for item in found] == [1, 1, 1, 1]


def test_the_worst_stands_first_then_the_most_frequent() -> None:
    crashed = wrong("crashed", verdict=Verdict.CRASHED, judged=Verdict.CRASHED)
    found = gathered(wrong("rare"), wrong("usual"), wrong("usual", form=Form.DYNAMIC), crashed)
    assert [item.text for item in found] == ["crashed", "usual", "rare"]


def test_recorded_deviations_are_grouped_by_their_entry_whatever_their_cause() -> None:
    known = wrong(verdict=Verdict.KNOWN, deviation="toy-001")
    (cause,) = gathered(known, replace(known, cause="other values", judged=Verdict.CRASHED))
    assert (cause.deviation, cause.text) == ("toy-001", "")
    assert cause.severity is Severity.CRASH


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"cause": "wrong axis"}, "wrong axis"),
        ({"cause": "", "explanation": "no answer"}, "no answer"),
        ({"cause": "", "explanation": ""}, "no cause was recorded"),
        ({"verdict": Verdict.BROKEN_BEFORE}, "wrong result: wrong axis"),
        ({"verdict": Verdict.NEIGHBOUR, "form": Form.AFTER_RELU}, "the Relu: wrong result: wrong axis"),
        ({"cause": "two\nlines"}, "two lines"),
    ],
)
def test_a_cause_is_one_line_that_says_what_happened(changes: dict[str, Any], text: str) -> None:
    assert cause_text(wrong(**changes)) == text


def test_full_records_are_kept_up_to_a_number_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "KEPT_PER_CAUSE", 2)
    (cause,) = gathered(*(wrong(case=f"onnx.Split-13/{number}") for number in range(5)))
    assert (cause.count, cause.cases, len(cause.records), cause.left_out) == (5, 5, 2, 3)


def test_causes_beyond_a_number_are_gathered_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "_MAX_CAUSES", 2)
    found = gathered(*(wrong(f"cause {number}") for number in range(4)))
    assert [(item.text, item.count) for item in found] == [("other causes", 2), ("cause 0", 1), ("cause 1", 1)]


def test_the_type_is_that_of_the_record_else_that_of_its_first_input() -> None:
    assert dtype_of(wrong(dtype="bfloat16")) == "bfloat16"
    assert dtype_of(replace(wrong(), dtype="", call=None)) == ""


def test_a_fixed_check_has_the_name_of_its_entry() -> None:
    fixed = replace(record(), verdict=Verdict.FIXED, judged=Verdict.PASS, deviation="toy-001")
    assert cause_name(fixed) == (Verdict.FIXED, "", "toy-001")
