"""The twin of an invalid call, and what a rejection shows beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bundled import cases_of_operators
from split_cases import split_case

from conformance.judge.controls import TwinAnswer, needs_twin
from conformance.judge.judge import judge
from conformance.protocol.form import Form
from conformance.protocol.outcome import Crashed, NotExpressibleOutcome, Outcome, Produced, RejectedOutcome, Stage
from conformance.run.target_runner import Twins
from conformance.spec.case import Case, Rejection, Value
from conformance.spec.check import Check
from conformance.spec.control import changes_of, is_valid, twin_of
from conformance.spec.verdict import Verdict

INVALID = replace(split_case(Value(dtype="int8", shape=(7,)), [2, 4]), expectation=Rejection("split_lengths.sum"))
REFUSED = RejectedOutcome(stage=Stage.PREPARING, message="lengths add up to 6, not to 7")
ANSWERED = Produced(runs=())


def twin_in_words(case: Case) -> str:
    twin = twin_of(case)
    assert twin is not None
    assert is_valid(twin)
    return changes_of(case, twin)


def test_one_length_is_repaired_and_nothing_else() -> None:
    assert twin_in_words(INVALID) == "split_lengths=int64[2] [3, 4]"


def test_a_twin_that_a_case_names_comes_before_one_that_is_found() -> None:
    named = replace(INVALID, twin=split_case(Value(dtype="int8", shape=(6,)), [2, 4]).arguments)
    assert twin_in_words(named) == "data=int8[6]"


@pytest.mark.parametrize("family", ["onnx.Concat", "openvino.Slice", "openvino.StridedSlice", "onnx.Reshape"])
def test_every_bundled_call_that_must_be_rejected_has_a_valid_twin(family: str) -> None:
    families = cases_of_operators(family).families
    for case in (case for item in families for case in item.cases() if isinstance(case.expectation, Rejection)):
        assert twin_in_words(case), case.id


def verdict(twin: Outcome) -> Verdict:
    check = Check(INVALID, Form.CONSTANT)
    return judge(check.steps, REFUSED, Twins(lambda _: twin).answer(check, REFUSED)).verdict


def test_a_rejection_passes_only_if_its_twin_is_not_rejected_alike() -> None:
    assert verdict(ANSWERED) is Verdict.PASS
    assert verdict(replace(REFUSED, message="this type has no kernel")) is Verdict.PASS
    assert verdict(replace(REFUSED, message="lengths add up to 12, not to 0x7f")) is Verdict.NOT_SHOWN


@pytest.mark.parametrize("outcome", [Crashed(death="SIGSEGV"), NotExpressibleOutcome(message="not declared")])
def test_a_rejection_whose_twin_has_no_answer_is_not_judged(outcome: Outcome) -> None:
    assert verdict(outcome) is Verdict.NOT_SHOWN


def test_a_rejection_without_a_twin_is_not_judged() -> None:
    judgement = judge((INVALID,), REFUSED, TwinAnswer())
    assert (judgement.verdict, judgement.cause) == (Verdict.NOT_SHOWN, "no twin")


def test_a_twin_is_asked_once_in_a_form() -> None:
    asked: list[Check] = []

    def run(check: Check) -> Outcome:
        asked.append(check)
        return ANSWERED

    twins = Twins(run)
    for form in (Form.CONSTANT, Form.RUNTIME, Form.CONSTANT):
        twins.answer(Check(INVALID, form), REFUSED)
    assert [check.form for check in asked] == [Form.CONSTANT, Form.RUNTIME]


def test_a_valid_call_of_the_same_model_that_was_answered_takes_the_place_of_a_twin() -> None:
    steps = Check(INVALID, Form.SECOND_CALL).steps
    assert not needs_twin(steps, replace(REFUSED, answered=1))
    assert not needs_twin((INVALID,), ANSWERED)
