from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import refused, variadic

from conformance.adapter import PLAIN_FORMS, Description
from conformance.adapter_kit import advice
from conformance.adapter_kit.adapter_check import AnsweredCheck
from conformance.adapter_kit.advice import (
    ADVICE,
    ERRORS,
    INPUTS,
    LIVES,
    REFUSES,
    REJECTIONS,
    STATE,
    TYPES,
    State,
    finding_of,
)
from conformance.log.build_record import record_of
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
from conformance.spec.verdict import Verdict
from conformance.suite.suite import Suite
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
    check = Check(case, form)
    return AnsweredCheck(check, record_of(check, "mine", outcome, ()))


def gave(*runs: tuple[Tensor, ...], form: Form = Form.CONSTANT, case: Case = VALID, **said: object) -> AnsweredCheck:
    provenance = Provenance(**{"ran_on": "CPU", **said})  # type: ignore[arg-type]
    return answered(Produced(runs=runs, provenance=provenance), case, form)


GOOD = gave(right())
REJECTED = answered(RejectedOutcome(stage=Stage.PREPARING, message="lengths do not sum"), INVALID)


def test_an_honest_adapter_passes_every_probe() -> None:
    check = Check(VALID, Form.SAME_CALL_TWICE)
    twice = gave(*(expected_outputs(step.expectation, step) for step in check.steps), form=check.form)
    answers = [GOOD, REJECTED, twice]
    found = [finding_of(row, answers) for row in ADVICE]
    found += [advice.rejects_no_valid_call(answers), advice.says_where_it_ran(answers), advice.is_right(answers)]
    assert {finding.state for finding in found} == {State.OK}


@pytest.mark.parametrize(
    ("outcome", "seen"),
    [
        (Crashed(death="SIGSEGV"), "SIGSEGV"),
        (TimedOut(limit_s=2.5), "no answer within 2.5 s"),
    ],
)
def test_a_lost_process_is_named_with_its_check(outcome: Outcome, seen: str) -> None:
    finding = finding_of(LIVES, [GOOD, answered(outcome)])
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
    finding = finding_of(ERRORS, [answered(AdapterFailed(message=message))])
    assert finding.state is State.PROBLEM
    assert finding.fix.startswith(fix)


def test_a_rejection_needs_a_message() -> None:
    silent = answered(RejectedOutcome(stage=Stage.PREPARING, message=" \n"), INVALID)
    assert finding_of(REJECTIONS, [REJECTED, silent]).seen == (
        f"{INVALID.id} (constant): is rejected without a message",
    )


def test_a_valid_call_that_is_rejected_is_named_and_all_of_them_together() -> None:
    rejected = answered(RejectedOutcome(stage=Stage.PREPARING, message="no such type"))
    noted = advice.rejects_no_valid_call([GOOD, rejected])
    assert (noted.state, noted.seen) == (State.NOTE, (f"{VALID.id} (constant) is rejected: no such type",))
    assert advice.rejects_no_valid_call([rejected, rejected]).seen == (
        f"all 2 valid calls are rejected, the first, {VALID.id} (constant), with: no such type",
    )


def test_a_type_of_which_every_valid_call_is_rejected_is_a_problem() -> None:
    data = VALID.data
    assert data is not None
    other = VALID.with_data(replace(data, dtype="int16"))
    rejected = answered(RejectedOutcome(stage=Stage.PREPARING, message="no int16"), other)
    finding = advice.rejects_no_valid_call([GOOD, rejected])
    assert finding.state is State.PROBLEM
    assert finding.seen == (
        f"every valid call of the type int16 is rejected, the first, {VALID.id} (constant), with: no int16",
    )


def test_an_invalid_call_that_is_answered_is_named_with_its_clause() -> None:
    finding = finding_of(REFUSES, [gave(right(), case=INVALID)])
    assert finding.seen[0].startswith(f"{INVALID.id} (constant): the call violates split_lengths.sum; ")


def test_probes_without_such_calls_do_not_pass() -> None:
    assert finding_of(REFUSES, [GOOD]).state is State.INCONCLUSIVE
    assert advice.rejects_no_valid_call([REJECTED]).state is State.INCONCLUSIVE
    assert finding_of(STATE, [GOOD]).state is State.INCONCLUSIVE


def test_outputs_of_another_type_are_named() -> None:
    first, *rest = right()
    other = gave((replace(first, dtype="uint8"), *rest))
    assert finding_of(TYPES, [other]).seen == (f"{VALID.id} (constant): output 0 has the type uint8, expected int8",)


def test_the_type_of_an_answer_to_an_invalid_call_is_no_fault() -> None:
    first, *rest = right()
    assert finding_of(TYPES, [gave((replace(first, dtype="uint8"), *rest), case=INVALID)]).state is State.OK


def converted(cause: str, verdict: Verdict = Verdict.WRONG_RESULT) -> AnsweredCheck:
    item = gave(tuple(map(wrong, right(IDENTITY))), case=IDENTITY)
    return replace(item, record=replace(item.record, cause=cause, verdict=verdict))


@pytest.mark.parametrize(("cause", "state"), [("truncated to 32 bits", State.PROBLEM), ("NaN quieted", State.NOTE)])
def test_a_type_that_no_operator_returns_unchanged_has_a_broken_way(cause: str, state: State) -> None:
    finding = advice.passes_data_on([converted(cause)])
    assert (finding.state, finding.seen) == (state, (f"int8: identity (constant) returns other data: {cause}",))


def test_a_type_that_one_operator_returns_unchanged_has_a_sound_way() -> None:
    other = replace(IDENTITY, operator=replace(IDENTITY.operator, name="Other"))
    answers = [converted("truncated to 32 bits"), gave(right(other), case=other)]
    assert advice.passes_data_on(answers).state is State.OK


def test_a_conversion_that_is_recorded_as_the_frameworks_is_not_the_adapters() -> None:
    assert advice.passes_data_on([converted("truncated to 32 bits", Verdict.KNOWN)]).state is State.OK


def test_an_early_end_is_reported_with_what_was_seen() -> None:
    finding = finding_of(LIVES, [answered(Crashed(death="SIGSEGV"))], "no call was survived, so 1 of 9 were made")
    assert finding.seen[0] == "no call was survived, so 1 of 9 were made"


def test_the_same_call_gives_the_same_bits_twice() -> None:
    bad, check = tuple(map(wrong, right())), Check(VALID, Form.SAME_CALL_TWICE)
    first, between, last = (expected_outputs(step.expectation, step) for step in check.steps)
    assert finding_of(STATE, [gave(first, between, bad, form=check.form)]).state is State.PROBLEM
    assert finding_of(STATE, [gave(bad, between, last, form=check.form)]).state is State.PROBLEM
    assert finding_of(STATE, [gave(bad, between, bad, form=check.form)]).state is State.OK
    assert finding_of(STATE, [gave(first, bad, last, form=check.form)]).state is State.OK


def test_outputs_that_an_earlier_call_had_are_no_new_ones() -> None:
    check = Check(VALID, Form.SECOND_CALL)
    runs = [expected_outputs(step.expectation, step) for step in check.steps]
    again = gave(runs[0], runs[0], *runs[2:], form=Form.SECOND_CALL)
    assert again.record.cause == "stale values of an earlier call"
    assert finding_of(STATE, [again]).state is State.PROBLEM


def test_inputs_that_changed_are_named() -> None:
    finding = finding_of(INPUTS, [gave(right(), changed_inputs=("data", "axis"))])
    assert finding.seen == (f"{VALID.id} (constant): the run wrote to its input data, axis",)


def test_answers_that_do_not_say_where_they_ran_are_a_note() -> None:
    finding = advice.says_where_it_ran([GOOD, gave(right(), ran_on="")])
    assert (finding.state, finding.seen) == (State.NOTE, ("1 answers do not",))


def test_wrong_values_are_a_note_unless_no_answer_is_right() -> None:
    bad = gave(tuple(map(wrong, right())))
    assert advice.is_right([GOOD, bad]).state is State.NOTE
    assert advice.is_right([bad, bad]).state is State.PROBLEM


def test_controls_are_of_forms_that_the_adapter_takes(liars_suite: Suite) -> None:
    described = Description(
        framework="Toy",
        version="1",
        operators=["*"],
        forms=[*PLAIN_FORMS, "after-relu"],
        controls=["after-relu", "before-concat"],
    )
    finding = advice.declares_what_there_is(described, liars_suite.operators)
    assert finding.seen == ("it names 'before-concat' in `controls`, but not in `forms`",)
