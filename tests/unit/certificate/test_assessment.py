"""What a profile makes of records: results, what is claimed, and what counts neither for nor against."""

from __future__ import annotations

from typing import Any

import pytest
from bundled import cases_of_operators
from recorded import entry
from report_records import record, target

from conformance.certificate.certificate_file import Assessment, Result, Tallies
from conformance.certificate.rules import read_profile
from conformance.judge.deviation import Deviation, Memory
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.spec.verdict import Severity, Verdict
from conformance.suite.suite import Suite, bundled_folder

FORMS = ["constant", "same-call-twice", "dynamic"]
OF_CORE = "onnx.Split-18/axis-of-cube[axis=0]"
_IN_CORE = record(case=OF_CORE, dtype="float32", clauses=[])


@pytest.fixture(scope="module")
def suite() -> Suite:
    return cases_of_operators("onnx.Split")


def assessed(
    suite: Suite, *records: CheckRecord, profile: str = "full", deviations: tuple[Deviation, ...] = (), **described: Any
) -> Assessment:
    described = {"operators": ["onnx.*"], "forms": FORMS, **described}
    tallies = Tallies(read_profile(profile, bundled_folder("profiles")), target(**described), deviations, suite)
    for item in (_IN_CORE, *records):
        tallies.add(item)
    return tallies.assessment()


def known(judged: Verdict, **fields: Any) -> CheckRecord:
    return record(Verdict.KNOWN, judged=judged, deviation="toy-1", **fields)


PASS = record(dtype="float32")


def test_all_that_passes_is_conformant(suite: Suite) -> None:
    assert assessed(suite, PASS, PASS).result is Result.CONFORMANT


@pytest.mark.parametrize(
    ("judged", "severity"),
    [
        (Verdict.REJECTED_VALID, Severity.REJECTION),
        (Verdict.ACCEPTED_INVALID, Severity.ACCEPTANCE),
        (Verdict.COSTLY_REJECTION, Severity.COST),
        (Verdict.WRONG_RESULT, Severity.WRONG),
        (Verdict.CRASHED, Severity.CRASH),
        (Verdict.TIMED_OUT, Severity.CRASH),
        (Verdict.UNSTABLE, Severity.MEMORY),
    ],
)
def test_the_worst_kind_of_known_deviation_stands_first(suite: Suite, judged: Verdict, severity: Severity) -> None:
    found = assessed(suite, PASS, PASS, known(judged), known(Verdict.COSTLY_REJECTION))
    assert found.result is Result.RECORDED
    assert next(iter(found.recorded)) == severity.value


def test_an_entry_about_foreign_memory_is_one_whatever_came(suite: Suite) -> None:
    found = assessed(
        suite, PASS, known(Verdict.WRONG_RESULT), deviations=(entry(memory=Memory.READS, depends_on="what was there"),)
    )
    assert found.recorded == {Severity.MEMORY.value: 1}


def test_where_most_answers_are_recorded_the_whole_does_not_conform(suite: Suite) -> None:
    found = assessed(suite, PASS, known(Verdict.REJECTED_VALID), known(Verdict.REJECTED_VALID), known(Verdict.CRASHED))
    assert found.result is Result.NOT_CONFORMANT
    assert found.below[0] == "all operators: 2 of 5 answers passed, less than 50 %"


def test_an_operator_of_which_little_passes_makes_the_whole_partial(suite: Suite) -> None:
    others = [record(case="onnx.Split-11/a")] * 3
    found = assessed(suite, *others, PASS, known(Verdict.REJECTED_VALID), known(Verdict.REJECTED_VALID))
    assert found.result is Result.PARTIAL
    assert found.below == ["onnx.Split-13: 1 of 3 answers passed, less than 50 %"]
    assert [entry.result for entry in found.operators if entry.operator == "onnx.Split-13"] == [Result.NOT_CONFORMANT]


def test_a_clause_of_which_little_passes_is_reported(suite: Suite) -> None:
    found = assessed(suite, PASS, PASS, known(Verdict.REJECTED_VALID, clauses=["axis.range"]))
    assert found.result is Result.PARTIAL
    assert found.below == ["onnx.Split-13 axis.range: 0 of 1 answers passed, less than 25 %"]


def test_what_failed_is_not_conformant_though_it_came_through_other_operators(suite: Suite) -> None:
    found = assessed(suite, PASS, record(Verdict.WRONG_RESULT, lowered="through Slice"))
    assert found.result is Result.NOT_CONFORMANT


def test_what_passed_through_other_operators_is_unanswered(suite: Suite) -> None:
    assert assessed(suite, PASS, record(lowered="through Slice")).result is Result.PARTIAL


def test_what_an_adapter_declines_while_it_runs_is_unanswered(suite: Suite) -> None:
    declined = record(Verdict.NOT_EXPRESSIBLE, outcome="not expressible", form=Form.DYNAMIC)
    assert assessed(suite, PASS, declined).result is Result.PARTIAL


def test_a_form_that_is_not_declared_counts_apart_and_is_listed(suite: Suite) -> None:
    declined = record(Verdict.NOT_DECLARED, outcome="not declared", form=Form.DYNAMIC_RANK)
    found = assessed(suite, PASS, declined)
    assert found.result is Result.CONFORMANT
    assert found.ruled_out == {"form dynamic-rank": 1}
    assert found.not_counted == {"ruled out ahead": 1}


def test_the_forms_of_core_are_not_optional(suite: Suite) -> None:
    declined = record(Verdict.NOT_DECLARED, outcome="not declared", case=OF_CORE, dtype="float32")
    found = assessed(suite, PASS, declined, forms=["dynamic"])
    assert found.includes["core"].result is Result.PARTIAL
    assert found.result is Result.PARTIAL


def test_full_is_no_better_than_core(suite: Suite) -> None:
    in_core = [known(Verdict.REJECTED_VALID, case=OF_CORE, dtype="float32", clauses=[])] * 3
    beyond = [record(case=OF_CORE, dtype="int8", clauses=[])] * 9
    found = assessed(suite, *in_core, *beyond)
    assert found.below == []
    assert found.includes["core"].result is Result.NOT_CONFORMANT
    assert found.result is Result.NOT_CONFORMANT


def test_an_operator_that_is_not_declared_is_not_claimed(suite: Suite) -> None:
    other = record(Verdict.NOT_DECLARED, outcome="not declared", case="onnx.Split-1/a")
    found = assessed(suite, PASS, other, operators=["onnx.Split-13", "onnx.Split-18"])
    assert found.claimed == ["onnx.Split-18", "onnx.Split-13"]
    assert found.not_claimed == ["onnx.Split-1"]
    assert found.result is Result.CONFORMANT


def test_an_omission_of_the_description_is_one_finding_with_the_number_of_operators(suite: Suite) -> None:
    answered = ["the type int4 of onnx.Split-13", "the type uint4 of onnx.Split-13", "the type int4 of onnx.Split-18"]
    assert assessed(suite, PASS, undeclared=[*answered, "the operator onnx.Split-2"]).findings == [
        "it answers the type int4 of 2 operators, which it does not declare",
        "it answers the type uint4 of onnx.Split-13, which it does not declare",
        "it answers the operator onnx.Split-2, which it does not declare",
    ]


def test_operators_are_in_the_order_of_their_versions(suite: Suite) -> None:
    versions = [record(case=f"onnx.Split-{version}/one", dtype="float32", clauses=[]) for version in (2, 13, 1, 11)]
    found = assessed(suite, *versions)
    assert found.claimed == [f"onnx.Split-{version}" for version in (18, 13, 11, 2, 1)]
    assert [item.operator for item in found.operators] == found.claimed
