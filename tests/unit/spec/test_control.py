from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from split_cases import split_case

from conformance.log.build_record import control_entry, record_of, with_control
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form, Graph
from conformance.protocol.outcome import (
    Crashed,
    Outcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Stage,
    TimedOut,
    UnsupportedOutcome,
)
from conformance.spec.case import Disputed, Interpretation, Parts, Rejection, Value, due_runs
from conformance.spec.check import Check
from conformance.spec.control import control_of, effects_of, plain_of
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, outputs_digest

CASE = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
FOLDED = Check(CASE, Form.CONSTANT_FOLDED)
JOINED = Check(split_case(Value(dtype="int8", shape=(2, 3)), [1, 2], axis=1), Form.BEFORE_CONCAT)
DATA, OTHER_DATA = bytes(range(6)), bytes(range(7, 13))
SATURATED = bytes([*DATA[:5], 127])


def tensor(data: Sequence[int], shape: tuple[int, ...] | None = None) -> Tensor:
    return Tensor("int8", (len(data),) if shape is None else shape, bytes(data))


def control_gave(*runs: Tensor) -> Produced:
    return Produced(runs=tuple((run,) for run in runs))


def split_gave(*runs: Sequence[int]) -> Produced:
    return Produced(runs=tuple((tensor(run[:2]), tensor(run[2:])) for run in runs))


def recorded(outcome: Outcome, check: Check = FOLDED) -> CheckRecord:
    return record_of(check, "toy@1", outcome, [])


def plain_digest(check: Check) -> str:
    """The digest of what the case requires without a neighbour, under its first interpretation with outputs."""
    return outputs_digest(next(iter(due_runs(plain_of(check).steps).values())))


def verdict(outcome: Outcome, control: Outcome, check: Check = FOLDED, plain: str | None = None) -> Verdict:
    """The verdict where the call without a neighbour gave these outputs; by default the right ones."""
    record = recorded(outcome, check)
    entry = replace(control_entry(check, record, control), plain=plain_digest(check) if plain is None else plain)
    return with_control(check, record, entry).verdict


@pytest.mark.parametrize("plain", ["", outputs_digest(((tensor(bytes(2)), tensor(bytes(4))),))])
def test_a_control_excuses_nothing_where_the_call_deviates_without_a_neighbour(plain: str) -> None:
    zeros, alone = split_gave(bytes(6), bytes(6)), control_gave(tensor(bytes(6)), tensor(bytes(6)))
    assert verdict(zeros, alone) is Verdict.NEIGHBOUR
    assert verdict(zeros, alone, plain=plain) is Verdict.WRONG_RESULT


def test_without_a_reference_a_control_says_nothing_of_the_operator() -> None:
    check = replace(FOLDED, case=replace(CASE, operator=replace(CASE.operator, name="Unknown")))
    assert effects_of(check, control_gave(tensor(DATA))) == ()


@pytest.mark.parametrize("form", [form for form in Form if not form.neighbour], ids=lambda form: form.value)
def test_a_form_without_a_neighbour_has_no_control(form: Form) -> None:
    assert control_of(Check(CASE, form)) is None


def test_the_call_without_a_neighbour_has_none() -> None:
    assert not plain_of(FOLDED).form.neighbour


def test_a_control_hands_the_data_on_and_knows_no_argument() -> None:
    request = control_of(Check(CASE, Form.STRIDED))
    assert request is not None
    call = request.call
    assert (call.is_control, call.attributes, call.declared_outputs) == (True, {}, 1)
    assert [(item.name, item.dims) for item in call.inputs] == [("data", (6,))]
    assert request.runs[0]["data"] == tensor(DATA)


def test_the_data_of_a_control_is_a_constant_where_the_check_has_one() -> None:
    request = control_of(FOLDED)
    assert request is not None
    assert (request.runs, request.call.inputs[0].constant) == (({}, {}), tensor(DATA))


def test_a_concat_gets_the_parts_that_the_operator_should_have_given() -> None:
    request = control_of(JOINED)
    assert request is not None
    assert (request.call.graph, request.call.concat_axis) == (Graph.BEFORE_CONCAT, 1)
    assert request.runs[1] == {"part_0": tensor([0, 3], (2, 1)), "part_1": tensor([1, 2, 4, 5], (2, 2))}
    assert [item.name for item in request.call.passed_on] == ["part_0", "part_1", "part_0", "part_1"]


def test_a_call_that_is_to_be_refused_has_no_control() -> None:
    assert control_of(Check(replace(CASE, expectation=Rejection("split_lengths.sum")), Form.CONSTANT_FOLDED)) is None


def test_a_neighbour_is_named_where_the_page_is_open_too() -> None:
    assert isinstance(CASE.expectation, Parts)
    interpretations = (
        Interpretation(name="a refusal", reason="", expectation=Rejection("types")),
        Interpretation(name="bits", reason="", expectation=CASE.expectation),
    )
    check = Check(replace(CASE, expectation=Disputed(interpretations)), Form.CONSTANT_FOLDED)
    lost = split_gave(bytes(6), bytes(6))
    assert recorded(lost, check).verdict is Verdict.WRONG_RESULT
    assert verdict(lost, control_gave(tensor(bytes(6)), tensor(bytes(6))), check) is Verdict.NEIGHBOUR


def test_what_the_neighbour_changed_is_not_put_down_to_the_operator() -> None:
    control = control_gave(tensor(SATURATED), tensor(SATURATED))
    assert verdict(split_gave(SATURATED, SATURATED), control) is Verdict.NEIGHBOUR


@pytest.mark.parametrize(
    "control",
    [
        control_gave(tensor(DATA), tensor(DATA)),
        control_gave(tensor([*DATA[:5], 7]), tensor([*DATA[:5], 7])),
        control_gave(tensor(SATURATED), tensor(DATA)),
        control_gave(tensor(SATURATED)),
        UnsupportedOutcome(message="no"),
        RejectedOutcome(stage=Stage.RUNNING, message="no"),
    ],
    ids=["right", "another value", "right in the second call", "one call", "unsupported", "refused"],
)
def test_an_operator_is_blamed_for_what_its_neighbour_does_not_account_for(control: Outcome) -> None:
    assert verdict(split_gave(SATURATED, SATURATED), control) is Verdict.WRONG_RESULT


def test_an_operator_is_blamed_for_what_it_does_beside_its_neighbour() -> None:
    both = [9, *SATURATED[1:]]
    control = control_gave(tensor(SATURATED), tensor(SATURATED))
    assert verdict(split_gave(both, both), control) is Verdict.WRONG_RESULT


def joined(left: Sequence[int], right: Sequence[int]) -> Tensor:
    """Two tensors of two rows side by side."""
    return tensor([*left[:3], *right[:3], *left[3:], *right[3:]], (2, 6))


@pytest.mark.parametrize("places", [(bytes(6), DATA), (DATA, bytes(6))], ids=["first", "second"])
def test_a_concat_did_it_if_it_does_so_in_one_of_two_places(places: tuple[bytes, bytes]) -> None:
    control = control_gave(joined(OTHER_DATA, OTHER_DATA), joined(*places))
    lost = control_gave(tensor(OTHER_DATA, (2, 3)), tensor(bytes(6), (2, 3)))
    assert verdict(lost, control, JOINED) is Verdict.NEIGHBOUR


def test_a_concat_that_gives_another_shape_accounts_for_nothing() -> None:
    control = control_gave(tensor(DATA, (2, 3)), tensor(DATA, (2, 3)))
    assert effects_of(JOINED, control) == ()
    assert verdict(control_gave(tensor(bytes(6), (2, 3)), tensor(DATA, (2, 3))), control, JOINED) is (
        Verdict.WRONG_RESULT
    )


@pytest.mark.parametrize(("message", "stage"), [("no Split of u1", Stage.PREPARING), ("no u1", Stage.RUNNING)])
def test_a_refusal_is_the_neighbours_only_in_the_same_words_at_the_same_stage(message: str, stage: Stage) -> None:
    control = RejectedOutcome(stage=Stage.PREPARING, message="no u1")
    assert verdict(control, control) is Verdict.NEIGHBOUR
    assert verdict(RejectedOutcome(stage=stage, message=message), control) is Verdict.REJECTED_VALID


def test_a_refusal_is_right_where_the_page_forbids_what_the_neighbour_made_of_the_data() -> None:
    control = control_gave(tensor([0, 1, 2]), tensor([0, 1, 2]))
    (effect,) = effects_of(FOLDED, control)
    assert isinstance(effect, RejectedOutcome)
    assert effect.stage is None
    refusal = RejectedOutcome(stage=Stage.PREPARING, message="the lengths do not add up")
    assert verdict(refusal, control) is Verdict.NEIGHBOUR


def test_a_death_is_the_neighbours_where_it_dies_alike() -> None:
    died = Crashed(death="SIGSEGV")
    assert verdict(died, died) is Verdict.NEIGHBOUR
    assert verdict(died, replace(died, stderr="free(): invalid pointer\n")) is Verdict.NEIGHBOUR
    assert verdict(died, Crashed(death="SIGABRT")) is Verdict.CRASHED
    assert verdict(TimedOut(limit_s=60.0), TimedOut(limit_s=60.0)) is Verdict.NEIGHBOUR


def test_an_operator_that_writes_to_its_input_is_blamed_for_it() -> None:
    wrote = replace(split_gave(DATA, DATA), provenance=Provenance(changed_inputs=("data",)))
    assert verdict(wrote, control_gave(tensor(DATA), tensor(DATA))) is Verdict.WRONG_RESULT


def test_a_check_that_conforms_stays_so_whatever_its_neighbour_does_alone() -> None:
    assert verdict(split_gave(DATA, DATA), control_gave(tensor(DATA), tensor(DATA))) is Verdict.PASS


def test_what_a_control_did_is_recorded_where_it_accounts_for_nothing_too() -> None:
    record = recorded(split_gave(SATURATED, DATA))
    entry = control_entry(FOLDED, record, control_gave(tensor(DATA), tensor(DATA)))
    assert (entry.outcome, entry.judged, entry.cause) == ("produced", Verdict.PASS, "")
    assert with_control(FOLDED, record, entry) == replace(record, control=entry)


def test_shapes_that_were_inferred_otherwise_are_not_the_neighbours() -> None:
    right = replace(split_gave(DATA, DATA), inferred=((2,), (3,)))
    assert recorded(right).cause == "inferred shape"
    assert verdict(right, control_gave(tensor(DATA), tensor(DATA))) is Verdict.WRONG_RESULT
