from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import split_case

from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.protocol.outcome import NotExpressibleOutcome, Outcome, Produced, RejectedOutcome, Stage
from conformance.run.target_runner import attributed
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor

CHECK = Check(split_case(Value(dtype="int8", shape=(2,)), [1, 1]), Form.CONSTANT_FOLDED)


def tensor(*data: int) -> Tensor:
    return Tensor("int8", (len(data),), bytes(data))


RIGHT = Produced(runs=((tensor(0), tensor(1)),))
WRONG = Produced(runs=((tensor(9), tensor(1)),) * 2)
SAME_FAULT = Produced(runs=((tensor(9, 1),),) * 2)


class Target:
    """Answers each control alike, and each call without a neighbour, and keeps what it was asked."""

    def __init__(self, outcome: Outcome, plain: Outcome = RIGHT) -> None:
        self.outcome, self.plain = outcome, plain
        self.asked: list[Check] = []

    def ask(self, check: Check) -> Outcome:
        self.asked.append(check)
        return self.outcome if check.is_control else self.plain


def verdict(target: Target, outcome: Outcome = WRONG, forms: tuple[str, ...] = ("constant-folded",)) -> Verdict:
    record = record_of(CHECK, "toy@1", outcome, [])
    return attributed(CHECK, record, target.ask, forms).verdict


def test_a_deviation_whose_control_deviates_alike_is_the_neighbours() -> None:
    target = Target(SAME_FAULT)
    assert verdict(target) is Verdict.NEIGHBOUR
    assert target.asked == [replace(CHECK, is_control=True), Check(CHECK.case, Form.CONSTANT)]


@pytest.mark.parametrize(
    "plain",
    [
        Produced(runs=((tensor(9), tensor(1)),)),
        RejectedOutcome(stage=Stage.PREPARING, message="no"),
        NotExpressibleOutcome(message="no"),
    ],
    ids=["wrong", "rejected", "not expressible"],
)
def test_a_control_excuses_nothing_unless_the_call_without_a_neighbour_is_right(plain: Outcome) -> None:
    assert verdict(Target(SAME_FAULT, plain)) is Verdict.WRONG_RESULT


def test_a_deviation_stays_the_operators_where_the_control_is_right_or_cannot_be_expressed() -> None:
    assert verdict(Target(Produced(runs=((tensor(0, 1),),) * 2))) is Verdict.WRONG_RESULT
    assert verdict(Target(NotExpressibleOutcome(message="no"))) is Verdict.WRONG_RESULT


def test_a_control_runs_only_for_a_deviation_and_a_form_that_has_one() -> None:
    target = Target(SAME_FAULT)
    right = Produced(runs=((tensor(0), tensor(1)),) * 2)
    assert verdict(target, right) is Verdict.PASS
    assert verdict(target, forms=("before-concat",)) is Verdict.WRONG_RESULT
    assert verdict(target, NotExpressibleOutcome(message="no")) is Verdict.NOT_EXPRESSIBLE
    assert target.asked == []


def test_a_rejection_is_the_neighbours_only_where_it_rejects_alike() -> None:
    rejected = RejectedOutcome(stage=Stage.PREPARING, message="no")
    assert verdict(Target(rejected), rejected) is Verdict.NEIGHBOUR
    assert verdict(Target(RejectedOutcome(stage=Stage.PREPARING, message="other")), rejected) is Verdict.REJECTED_VALID
