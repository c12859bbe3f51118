from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recorded import entry
from split_cases import split_case

from conformance.judge.deviation import Deviation
from conformance.log.build_record import record_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.outcome import Cost, Crashed, Outcome, Produced, RejectedOutcome, Stage
from conformance.run.target_runner import Confirmation
from conformance.spec.case import Rejection, Value
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor

CHECK = Check(split_case(Value(dtype="int8", shape=(6,)), [2, 4]), Form.CONSTANT)
RIGHT = Produced(runs=((Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\5")),))
WRONG = Produced(runs=(RIGHT.runs[0][::-1],))
OTHERWISE_WRONG = Produced(runs=((Tensor("int8", (2,), b"\0\1"),),))
REFUSED = RejectedOutcome(stage=Stage.PREPARING, message="no")
EARLIER = ("toy/earlier (constant)",)
ALWAYS_WRONG = entry(id="always-wrong")


class Fresh:
    """A target that gives one answer in each fresh process, and counts them."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.count = 0

    def ask(self, _: Check, times: int) -> Outcome:
        self.count += times
        return self.outcome


def recorder(*deviations: Deviation) -> Callable[[Check, Outcome], CheckRecord]:
    return lambda check, outcome: record_of(check, "toy@1", outcome, deviations)


def confirmed(
    first: Outcome, fresh: Fresh, deviations: tuple[Deviation, ...] = (), before: tuple[str, ...] = EARLIER
) -> CheckRecord:
    confirmation = Confirmation(fresh.ask, recorder(*deviations))
    record = record_of(CHECK, "toy@1", first, deviations)
    return confirmation.confirmed(CHECK, record, before)


def test_a_difference_that_a_fresh_process_shows_too_stands_as_it_is() -> None:
    fresh = Fresh(WRONG)
    record = confirmed(WRONG, fresh)
    assert (record.verdict, record.cause, fresh.count) == (Verdict.WRONG_RESULT, "outputs swapped", 1)


def test_a_difference_that_a_fresh_process_does_not_show_is_unstable_with_both() -> None:
    record = confirmed(WRONG, Fresh(RIGHT))
    assert (record.verdict, record.cause) == (Verdict.UNSTABLE, "only once: wrong result: outputs swapped")
    assert record.explanation == "wrong result: outputs swapped; alone in a fresh process: pass"
    assert record.suspects == ["toy/earlier (constant)"]


def test_a_refusal_that_becomes_a_death_is_unstable_with_both() -> None:
    record = confirmed(REFUSED, Fresh(Crashed(death="SIGSEGV")))
    assert record.explanation == (
        "rejected a valid call: rejected while preparing: no; alone in a fresh process: crashed: process died: SIGSEGV"
    )


def test_one_who_is_wrong_in_another_way_when_alone_is_wrong() -> None:
    record = confirmed(WRONG, Fresh(OTHERWISE_WRONG))
    assert (record.verdict, record.cause) == (Verdict.WRONG_RESULT, "outputs swapped")


def test_what_conforms_and_what_a_fresh_process_showed_is_not_repeated() -> None:
    fresh = Fresh(RIGHT)
    assert confirmed(RIGHT, fresh).verdict is Verdict.PASS
    assert confirmed(WRONG, fresh, before=()).verdict is Verdict.WRONG_RESULT
    assert fresh.count == 0


INVALID = replace(CHECK, case=replace(CHECK.case, expectation=Rejection("split_lengths.sum")))
COSTLY = RejectedOutcome(stage=Stage.RUNNING, message="no", cost=Cost(peak_bytes=2 << 30))


def confirmed_cost(fresh: Fresh, before: tuple[str, ...] = EARLIER) -> CheckRecord:
    record = record_of(INVALID, "toy@1", COSTLY, ())
    return Confirmation(fresh.ask, recorder()).confirmed(INVALID, record, before)


def test_the_cost_of_a_refusal_is_that_of_the_second_in_a_process() -> None:
    fresh = Fresh(replace(COSTLY, cost=Cost(peak_bytes=3 << 30)))
    record = confirmed_cost(fresh)
    assert (record.verdict, record.peak_bytes, fresh.count) == (Verdict.COSTLY_REJECTION, 3 << 30, 2)


def test_what_only_the_first_refusal_of_a_process_takes_is_no_cost() -> None:
    for before in (EARLIER, ()):
        fresh = Fresh(REFUSED)
        assert (confirmed_cost(fresh, before).verdict, fresh.count) == (Verdict.PASS, 2)


def test_a_costly_refusal_that_becomes_a_death_is_unstable() -> None:
    assert confirmed_cost(Fresh(Crashed(death="SIGKILL"))).verdict is Verdict.UNSTABLE


def test_what_deviates_as_recorded_is_not_repeated() -> None:
    fresh = Fresh(RIGHT)
    assert confirmed(WRONG, fresh, (ALWAYS_WRONG,)).verdict is Verdict.KNOWN
    assert fresh.count == 0


def test_a_deviation_is_fixed_only_where_a_fresh_process_conforms_too() -> None:
    assert confirmed(RIGHT, Fresh(RIGHT), (ALWAYS_WRONG,)).verdict is Verdict.FIXED
    assert confirmed(RIGHT, Fresh(WRONG), (ALWAYS_WRONG,)).verdict is Verdict.KNOWN


def test_two_of_a_kind_are_repeated_and_those_after_them_stand() -> None:
    fresh = Fresh(WRONG)
    confirmation = Confirmation(fresh.ask, recorder())
    for form in (*[Form.CONSTANT] * 5, *[Form.RUNTIME] * 5):
        check = replace(CHECK, form=form)
        record = record_of(check, "toy@1", WRONG, ())
        assert confirmation.confirmed(check, record, EARLIER) is record
    assert fresh.count == 4


def test_one_of_a_kind_that_a_fresh_process_does_not_show_leaves_the_next_to_be_repeated() -> None:
    fresh = Fresh(RIGHT)
    confirmation = Confirmation(fresh.ask, recorder())
    record = record_of(CHECK, "toy@1", WRONG, ())
    for _ in range(5):
        assert confirmation.confirmed(CHECK, record, EARLIER) is not record
    assert fresh.count == 5
