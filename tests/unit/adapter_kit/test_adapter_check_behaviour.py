from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import refused, variadic

from conformance.adapter_kit import behaviour
from conformance.adapter_kit.interview import AnsweredCheck, State
from conformance.protocol.form import Form
from conformance.protocol.outcome import (
    AdapterFailed,
    Crashed,
    Outcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Stage,
    TimedOut,
)
from conformance.spec.case import Case, Parts, expected_outputs
from conformance.spec.check import Check
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import Tensor

VALID, INVALID = variadic(), refused([1, 1])


WHOLE = due.tensor().shape[VALID.split_dim or 0] if (due := VALID.data) else 0
SPECIAL = replace(VALID.data, data=None, fill=Fill.SPECIAL, start=14) if VALID.data else None
IDENTITY = replace(VALID, id="identity", expectation=Parts(((0, WHOLE),))).with_values({"data": SPECIAL or 0})


def right(case: Case = VALID) -> tuple[Tensor, ...]:
    return expected_outputs(case.expectation, case)


def wrong(tensor: Tensor) -> Tensor:
    return replace(tensor, data=bytes(255 - byte for byte in tensor.data))


def answered(outcome: Outcome, case: Case = VALID, form: Form = Form.CONSTANT) -> AnsweredCheck:
    return AnsweredCheck(Check(case, form), outcome)


def gave(*runs: tuple[Tensor, ...], form: Form = Form.CONSTANT, case: Case = VALID, **said: object) -> AnsweredCheck:
    provenance = Provenance(**{"ran_on": "CPU", **said})  # type: ignore[arg-type]
    return answered(Produced(runs=runs, provenance=provenance), case, form)


GOOD = gave(right())
REJECTED = answered(RejectedOutcome(stage=Stage.PREPARING, message="lengths do not sum"), INVALID)


def test_an_honest_adapter_passes_every_probe() -> None:
    answers = [GOOD, REJECTED]
    probes = [
        *(behaviour.lives, behaviour.fails_nowhere, behaviour.rejects_in_the_frameworks_name),
        *(behaviour.rejects_no_valid_call, behaviour.answers_nothing_invalid, behaviour.keeps_types),
        *(behaviour.leaves_inputs_alone, behaviour.says_where_it_ran, behaviour.is_right),
    ]
    assert {probe(answers).state for probe in probes} == {State.OK}


@pytest.mark.parametrize(
    ("outcome", "seen"),
    [
        (Crashed(death="SIGSEGV"), "the process died, SIGSEGV"),
        (TimedOut(limit_s=2.5), "no answer within 2.5 s"),
    ],
)
def test_a_lost_process_is_named_with_its_check(outcome: Outcome, seen: str) -> None:
    finding = behaviour.lives([GOOD, answered(outcome)])
    assert finding.state is State.PROBLEM
    assert finding.seen == (f"{VALID.id} (constant): {seen}",)


@pytest.mark.parametrize(
    ("message", "fix"),
    [
        ("ValueError: assignment destination is read-only", "never write to the inputs"),
        ("output 0 is neither a NumPy array nor a Tensor", "return the outputs in order"),
        ("KeyError: 'axis'", "wrap the framework's own error types"),
    ],
)
def test_an_error_of_the_adapter_comes_with_its_usual_cause(message: str, fix: str) -> None:
    finding = behaviour.fails_nowhere([answered(AdapterFailed(message=message))])
    assert finding.state is State.PROBLEM
    assert finding.fix.startswith(fix)


def test_a_rejection_needs_a_message() -> None:
    silent = answered(RejectedOutcome(stage=Stage.PREPARING, message=" \n"), INVALID)
    assert behaviour.rejects_in_the_frameworks_name([REJECTED, silent]).seen == (
        f"{INVALID.id} (constant) is rejected without a message",
    )


def test_a_valid_call_that_is_rejected_is_named_and_all_of_them_together() -> None:
    rejected = answered(RejectedOutcome(stage=Stage.PREPARING, message="no such type"))
    noted = behaviour.rejects_no_valid_call([GOOD, rejected])
    assert (noted.state, noted.seen) == (State.NOTE, (f"{VALID.id} (constant) is rejected: no such type",))
    assert behaviour.rejects_no_valid_call([rejected, rejected]).seen == (
        f"all 2 valid calls are rejected, the first, {VALID.id} (constant), with: no such type",
    )


def test_a_type_of_which_every_valid_call_is_rejected_is_a_problem() -> None:
    data = VALID.data
    assert data is not None
    other = VALID.with_data(replace(data, dtype="int16"))
    rejected = answered(RejectedOutcome(stage=Stage.PREPARING, message="no int16"), other)
    finding = behaviour.rejects_no_valid_call([GOOD, rejected])
    assert finding.state is State.PROBLEM
    assert finding.seen == (
        f"every valid call of the type int16 is rejected, the first, {VALID.id} (constant), with: no int16",
    )


def test_an_invalid_call_that_is_answered_is_named_with_its_clause() -> None:
    finding = behaviour.answers_nothing_invalid([gave(right(), case=INVALID)])
    assert finding.seen == (f"{INVALID.id} (constant) breaks split_lengths.sum, and was answered",)


def test_probes_without_such_calls_do_not_pass() -> None:
    assert behaviour.answers_nothing_invalid([GOOD]).state is State.INCONCLUSIVE
    assert behaviour.rejects_no_valid_call([REJECTED]).state is State.INCONCLUSIVE
    assert behaviour.answers_alike_twice([GOOD]).state is State.INCONCLUSIVE


def test_outputs_of_another_type_are_named() -> None:
    first, *rest = right()
    other = gave((replace(first, dtype="uint8"), *rest))
    assert behaviour.keeps_types([other]).seen == (f"{VALID.id} (constant): int8 came back as uint8",)


def test_the_type_of_an_answer_to_an_invalid_call_is_no_fault() -> None:
    first, *rest = right()
    assert behaviour.keeps_types([gave((replace(first, dtype="uint8"), *rest), case=INVALID)]).state is State.OK


def test_a_type_that_no_operator_returns_unchanged_has_a_broken_way() -> None:
    (data,) = right(IDENTITY)
    finding = behaviour.passes_data_on([gave((wrong(data),), case=IDENTITY)], [])
    assert finding.state is State.PROBLEM
    assert finding.seen[0].startswith(f"int8: {IDENTITY.id} (constant) returns other data: ")


def test_a_type_that_one_operator_returns_unchanged_has_a_sound_way() -> None:
    (data,) = right(IDENTITY)
    other = replace(IDENTITY, operator=replace(IDENTITY.operator, version=2))
    answers = [gave((wrong(data),), case=IDENTITY), gave((data,), case=other)]
    assert behaviour.passes_data_on(answers, []).state is State.OK


def test_a_type_whose_fault_is_recorded_as_the_frameworks_is_not_the_adapters() -> None:
    (data,) = right(IDENTITY)
    bad = gave((wrong(data),), case=IDENTITY)
    assert behaviour.passes_data_on([bad], [bad]).state is State.OK


def test_an_early_end_is_reported_with_what_was_seen() -> None:
    finding = behaviour.lives([answered(Crashed(death="SIGSEGV"))], "no call was survived, so 1 of 9 were made")
    assert finding.seen[0] == "no call was survived, so 1 of 9 were made"


def test_the_same_call_gives_the_same_bits_twice() -> None:
    first, last = right(), tuple(map(wrong, right()))
    same = gave(first, last, first, form=Form.SAME_CALL_TWICE)
    other = gave(first, first, last, form=Form.SAME_CALL_TWICE)
    assert behaviour.answers_alike_twice([same]).state is State.OK
    assert behaviour.answers_alike_twice([other]).state is State.PROBLEM


def test_outputs_that_a_later_run_changes_are_reported_from_outputs_given_again() -> None:
    check = Check(VALID, Form.SECOND_CALL)
    runs = [expected_outputs(step.expectation, step) for step in check.steps]
    changed = gave(runs[0], tuple(map(wrong, runs[1])), *runs[2:], form=Form.SECOND_CALL)
    again = gave(runs[0], runs[0], *runs[2:], form=Form.SECOND_CALL)
    assert (
        "was right, but a later call changed its outputs" in behaviour.leaves_earlier_outputs_alone([changed]).seen[0]
    )
    assert "returned the outputs of an earlier call" in behaviour.leaves_earlier_outputs_alone([again]).seen[0]


def test_inputs_that_changed_are_named() -> None:
    finding = behaviour.leaves_inputs_alone([gave(right(), changed_inputs=("data", "axis"))])
    assert finding.seen == (f"{VALID.id} (constant): data, axis changed",)


def test_answers_that_do_not_say_where_they_ran_are_a_note() -> None:
    finding = behaviour.says_where_it_ran([GOOD, gave(right(), ran_on="")])
    assert (finding.state, finding.seen) == (State.NOTE, ("1 answers do not",))


def test_wrong_values_are_a_note_unless_no_answer_is_right() -> None:
    bad = gave(tuple(map(wrong, right())))
    assert behaviour.is_right([GOOD, bad]).state is State.NOTE
    assert behaviour.is_right([bad, bad]).state is State.PROBLEM
