"""Records judged again: of checks whose control was asked, of costly rejections, and of shapes that were inferred."""

from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import split_case

from conformance.judge.controls import TwinAnswer
from conformance.log.build_record import Basis, control_entry, recompute, record_of, with_control
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.outcome import OUT_OF_MEMORY, Cost, Crashed, Produced, RejectedOutcome, Stage
from conformance.run.target_runner import Twins
from conformance.spec.case import Rejection, Value, due_runs, expected_outputs
from conformance.spec.check import Check
from conformance.spec.control import plain_of
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import KnownShape, Tensor, outputs_digest

REFUSED = RejectedOutcome(stage=Stage.PREPARING, message="no")


def folded(elements: int) -> tuple[Check, CheckRecord]:
    """A check of a constant whose elements all become 0, with the control that tells so."""
    check = Check(split_case(Value(dtype="int8", shape=(elements,)), [2, elements - 2]), Form.CONSTANT_FOLDED)
    parts = Tensor("int8", (2,), bytes(2)), Tensor("int8", (elements - 2,), bytes(elements - 2))
    record = record_of(check, "toy@1", Produced(runs=(parts, parts)), [])
    control = Produced(runs=((Tensor("int8", (elements,), bytes(elements)),),) * 2)
    right = outputs_digest(due_runs(plain_of(check).steps)[""])
    return check, with_control(check, record, replace(control_entry(check, record, control), plain=right))


@pytest.mark.parametrize(("elements", "basis"), [(6, Basis.WHOLE), (6000, Basis.DIGEST)])
def test_the_verdict_on_a_neighbour_follows_from_the_record(elements: int, basis: Basis) -> None:
    check, record = folded(elements)
    again = recompute(check, record, [])
    assert record.verdict is Verdict.NEIGHBOUR
    assert (again.problems, again.basis) == ((), basis)


@pytest.mark.parametrize("elements", [6, 6000])
def test_a_neighbour_that_did_something_else_is_no_excuse(elements: int) -> None:
    check, record = folded(elements)
    assert record.control is not None
    forged = replace(record, control=replace(record.control, outputs="0" * 64))
    assert recompute(check, forged, []).problems == (
        "verdict is 'caused by another node' in the log, but 'wrong result' when computed again",
    )


def test_a_call_that_is_to_be_refused_has_no_neighbour_to_blame() -> None:
    check, record = folded(6)
    invalid = Check(replace(check.case, expectation=Rejection("split_lengths.sum")), check.form)
    refused = record_of(invalid, "toy@1", RejectedOutcome(stage=Stage.PREPARING, message="no"), [])
    assert recompute(invalid, replace(refused, control=record.control), []).problems == (
        "it has a control, but a call without a neighbour, or one that must be rejected, has none",
    )


def refused_at_great_cost() -> tuple[Check, CheckRecord]:
    invalid = Check(replace(folded(6)[0].case, expectation=Rejection("split_lengths.sum")), Form.CONSTANT)
    outcome = RejectedOutcome(stage=Stage.PREPARING, message="no", cost=Cost(cpu_ns=1, peak_bytes=2 << 30))
    return invalid, record_of(invalid, "toy@1", outcome, [], twin_answered(invalid))


def test_a_call_that_filled_all_memory_is_judged_again() -> None:
    check, _ = refused_at_great_cost()
    record = record_of(check, "toy@1", Crashed(death=OUT_OF_MEMORY, stage=Stage.PREPARING), [])
    assert (record.judged, record.cause) == (
        Verdict.COSTLY_REJECTION,
        "cost of rejecting a violation of split_lengths.sum",
    )
    assert recompute(check, record, []).problems == ()


def test_an_answer_that_was_too_large_to_read_is_judged_again() -> None:
    check = Check(split_case(Value(dtype="int8", shape=(6,)), [2, 4]), Form.CONSTANT)
    unread = Tensor("int8", (2,), b""), Tensor("int8", (1 << 40,), b"")
    record = record_of(check, "toy@1", Produced(runs=(unread,)), [])
    assert (record.judged, record.cause) == (Verdict.WRONG_RESULT, "wrong shape")
    assert [difference.output for difference in record.differences] == [1]
    assert recompute(check, record, []).problems == ()


def twin_answered(check: Check) -> TwinAnswer | None:
    return Twins(lambda _: Produced(runs=())).answer(check, REFUSED)


def twin_refused(check: Check) -> TwinAnswer | None:
    return Twins(lambda _: REFUSED).answer(check, REFUSED)


def test_a_refusal_is_a_pass_only_beside_the_answer_to_its_twin() -> None:
    check, _ = refused_at_great_cost()
    passed = record_of(check, "toy@1", REFUSED, [], twin_answered(check))
    assert (passed.verdict, recompute(check, passed, []).problems) == (Verdict.PASS, ())
    assert recompute(check, replace(passed, twin=None), []).problems == (
        "a rejection is judged by the answer to the valid call nearest to it, and it has none",
    )
    assert passed.twin is not None
    assert recompute(check, replace(passed, twin=TwinAnswer(arguments="axis=7", outcome="produced")), []).problems == (
        f"its twin is the call with 'axis=7', and that of the suite has {passed.twin.arguments!r}",
    )


def test_a_refusal_like_that_of_its_twin_cannot_be_recorded_as_a_pass() -> None:
    check, _ = refused_at_great_cost()
    alike = record_of(check, "toy@1", REFUSED, [], twin_refused(check))
    assert (alike.verdict, recompute(check, alike, []).problems) == (Verdict.NOT_SHOWN, ())
    forged = replace(alike, verdict=Verdict.PASS, judged=Verdict.PASS, cause="", explanation="")
    assert recompute(check, forged, []).problems[0] == (
        "verdict is 'pass' in the log, but 'rejection not judged' when computed again"
    )


def test_the_cost_of_a_refusal_is_judged_again_from_its_numbers() -> None:
    check, record = refused_at_great_cost()
    assert recompute(check, record, []).problems == ()
    assert recompute(check, replace(record, peak_bytes=5 << 20), []).problems[:1] == (
        "verdict is 'rejection too expensive' in the log, but 'pass' when computed again",
    )


def test_a_refusal_that_cost_too_much_cannot_be_recorded_as_a_pass() -> None:
    check, record = refused_at_great_cost()
    forged = replace(record, verdict=Verdict.PASS, judged=Verdict.PASS, cause="", explanation="", where="", call=None)
    assert recompute(check, forged, []).problems[:1] == (
        "verdict is 'pass' in the log, but 'rejection too expensive' when computed again",
    )


def inferred(*shapes: KnownShape) -> tuple[Check, CheckRecord]:
    """A check with the right elements, and with these shapes told before it ran."""
    check = Check(split_case(Value(dtype="int8", shape=(6,)), [2, 4]), Form.CONSTANT)
    (right,) = check.steps
    runs = (tuple(expected_outputs(right.expectation, right)),)
    return check, record_of(check, "toy@1", Produced(runs=runs, inferred=shapes), [])


@pytest.mark.parametrize(
    ("shapes", "verdict"),
    [
        (((2,), (4,)), Verdict.PASS),
        (((2,), (5,)), Verdict.WRONG_RESULT),
        (((2,), (-4,)), Verdict.WRONG_RESULT),
    ],
)
def test_the_verdict_on_inferred_shapes_follows_from_the_record(
    shapes: tuple[KnownShape, ...], verdict: Verdict
) -> None:
    check, record = inferred(*shapes)
    assert record.verdict is verdict
    assert recompute(check, record, []).problems == ()


@pytest.mark.parametrize("shape", [(-4,), (-2, -2), (-(1 << 63), 3)])
def test_the_verdict_on_an_answer_with_a_negative_dim_follows_from_the_record(shape: tuple[int, ...]) -> None:
    check, _ = inferred()
    first, _ = expected_outputs(check.case.expectation, check.case)
    record = record_of(check, "toy@1", Produced(runs=((first, Tensor("int8", shape, b"")),)), [])
    assert (record.verdict, record.cause) == (Verdict.WRONG_RESULT, "wrong shape")
    again = recompute(check, record, [])
    assert (again.problems, again.basis) == ((), Basis.WHOLE)


def test_inferred_shapes_that_a_log_made_up_are_judged_again() -> None:
    check, record = inferred((2,), (5,))
    forged = replace(record, inferred=[[2], [4]])
    assert (
        "verdict is 'wrong result' in the log, but 'pass' when computed again" in recompute(check, forged, []).problems
    )


def test_a_pass_beside_inferred_shapes_that_contradict_it_is_reported() -> None:
    check, record = inferred((2,), (4,))
    forged = replace(record, inferred=[[2], [5]])
    assert (
        "verdict is 'pass' in the log, but 'wrong result' when computed again" in recompute(check, forged, []).problems
    )
