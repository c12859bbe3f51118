from __future__ import annotations

from split_cases import split_case

from conformance.records.attribution import attributed
from conformance.records.build_record import record_of
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.spec.form import Form
from conformance.spec.outcome import NotExpressibleOutcome, Outcome, Produced, RejectedOutcome
from conformance.spec.verdict import Verdict
from conformance.values.tensor import Tensor

CHECK = Check(split_case(Value(dtype="int8", shape=(2,)), [1, 1]), Form.CONSTANT_FOLDED)


def tensor(*data: int) -> Tensor:
    return Tensor("int8", (len(data),), bytes(data))


WRONG = Produced(runs=((tensor(9), tensor(1)),) * 2)
SAME_FAULT = Produced(runs=((tensor(9, 1),),) * 2)


class Target:
    """Answers each control alike, and keeps what it was asked."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked: list[Check] = []

    def ask(self, check: Check) -> Outcome:
        self.asked.append(check)
        return self.outcome


def verdict(target: Target, outcome: Outcome = WRONG, forms: tuple[str, ...] = ("constant-folded",)) -> Verdict:
    record = record_of(CHECK, "toy@1", outcome, [])
    return attributed(CHECK, record, target.ask, forms).verdict


def test_a_deviation_whose_control_deviates_alike_is_the_neighbours() -> None:
    target = Target(SAME_FAULT)
    assert verdict(target) is Verdict.NEIGHBOUR
    assert [(check.case, check.form, check.is_control) for check in target.asked] == [(CHECK.case, CHECK.form, True)]


def test_a_deviation_stays_the_operators_where_the_control_is_right_or_cannot_be_expressed() -> None:
    assert verdict(Target(Produced(runs=((tensor(0, 1),),) * 2))) is Verdict.WRONG_RESULT
    assert verdict(Target(NotExpressibleOutcome(reason="no"))) is Verdict.WRONG_RESULT


def test_a_control_runs_only_for_a_deviation_and_a_form_that_has_one() -> None:
    target = Target(SAME_FAULT)
    right = Produced(runs=((tensor(0), tensor(1)),) * 2)
    assert verdict(target, right) is Verdict.PASS
    assert verdict(target, forms=("before-concat",)) is Verdict.WRONG_RESULT
    assert verdict(target, NotExpressibleOutcome(reason="no")) is Verdict.NOT_EXPRESSIBLE
    assert target.asked == []


def test_a_rejection_is_the_neighbours_only_where_it_rejects_alike() -> None:
    rejected = RejectedOutcome(stage="preparing", message="no")
    assert verdict(Target(rejected), rejected) is Verdict.NEIGHBOUR
    assert verdict(Target(RejectedOutcome(stage="preparing", message="other")), rejected) is Verdict.REJECTED_VALID
