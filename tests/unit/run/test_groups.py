"""Finds of one cause are one group, and a recorded deviation explains what it describes, whatever its case ids are."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from bundled import bundled_operators

from conformance.judge.deviation import Deviation
from conformance.log.build_record import record_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.outcome import Outcome, Produced, RejectedOutcome, Stage
from conformance.run.fuzz import MOST_WITNESSES, FindCause, FuzzSource, FuzzState, cause_of
from conformance.run.fuzz_calls import MadeCheck, made_check
from conformance.spec.case import expected_outputs
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
REJECTED = RejectedOutcome(message="no kernel for rank 3 at node 17", stage=Stage.PREPARING)


def new_state() -> FuzzState:
    return FuzzState(source=FuzzSource(seed="1", operators=(), target="toy@1"))


def made(**features: str) -> MadeCheck:
    usual = {"dtype": "float32", "rank": "3", "dims": "unequal", "values": "distinct", "perm": "reversed"}
    found = made_check(TRANSPOSE, {**usual, **features}, 3, Form.CONSTANT)
    assert found is not None
    return found


def record(check: MadeCheck, outcome: Outcome, *deviations: Deviation) -> CheckRecord:
    return record_of(check.check, "toy@1", outcome, deviations)


def cause(outcome: Outcome, *deviations: Deviation, check: MadeCheck | None = None) -> FindCause | None:
    check = check or made()
    return cause_of(check.check, record(check, outcome, *deviations))


def right(check: MadeCheck) -> Tensor:
    (expectation, *_) = check.case.expectations
    (tensor,) = expected_outputs(expectation, check.case)
    return tensor


def deviation(**fields: object) -> Deviation:
    usual = {
        "id": "ranks",
        "kind": "plainly wrong",
        "where": {"versions": ">=1"},
        "operators": ["onnx.Transpose-*"],
        "when": "rank(data) == 3",
        "verdict": "rejected a valid call",
        "clauses": ["outputs.values"],
        "forms": ["constant"],
        "messages": ["no kernel for rank *"],
        "what": "w",
        "why": "w",
        "since": date(2026, 11, 1),
        "review": date(2027, 11, 1),
        "reproducer": "r.py",
    }
    return Deviation.model_validate({**usual, **fields})


def test_what_conforms_has_no_cause() -> None:
    assert cause(Produced(runs=((right(made()),),))) is None


def test_digits_of_a_cause_are_masked() -> None:
    found = cause(REJECTED)
    assert found is not None
    assert found.sentence == (
        "onnx.Transpose: rejected a valid call: rejected while preparing: no kernel for rank # at node #"
    )


def test_bits_of_nans_alone_are_no_find() -> None:
    check = made(dtype="float16", values="special", dims="long")
    tensor = right(check)
    quiet = b"".join(
        (bits | 0x200 if bits & 0x7C00 == 0x7C00 and bits & 0x3FF else bits).to_bytes(2, "little")
        for bits in memoryview(bytes(tensor.data)).cast("H")
    )
    outcome = Produced(runs=((replace(tensor, data=quiet),),))
    assert record(check, outcome).interpretation == "payload-free"
    assert cause(outcome, check=check) is None


@pytest.mark.parametrize(
    ("fields", "explains"),
    [
        ({}, True),
        ({"when": "rank(data) == 2"}, False),
        ({"forms": ["dynamic"]}, False),
        ({"operators": ["onnx.Split-13"]}, False),
        ({"messages": ["another message"]}, False),
        ({"verdict": "timed out"}, False),
    ],
)
def test_an_entry_explains_what_it_describes(fields: dict[str, object], explains: bool) -> None:  # noqa: FBT001
    found = cause(REJECTED, deviation(**fields))
    assert found is not None
    assert found.deviation == ("ranks" if explains else "")


def test_a_group_counts_all_finds_and_keeps_a_few() -> None:
    state, found = new_state(), cause(REJECTED)
    assert found is not None
    for _ in range(5):
        state.add(found, made(), "as it was said")
    (group,) = state.groups
    assert (group.count, len(group.witnesses)) == (5, MOST_WITNESSES)
    group.drop_alike()
    assert len(group.witnesses) == 1


def test_causes_that_a_deviation_explains_are_apart_and_not_new() -> None:
    state = new_state()
    for found in (cause(REJECTED), cause(REJECTED, deviation())):
        assert found is not None
        state.add(found, made(), "")
    assert [group.cause.deviation for group in state.groups] == ["", "ranks"]
    assert [group.cause.deviation for group in state.new] == [""]


def test_the_number_of_groups_has_a_limit() -> None:
    state = new_state()
    for number in range(300):
        state.add(FindCause(operator="onnx.Split", verdict=Verdict.CRASHED, text=str(number)), made(), "")
    assert (len(state.groups), state.num_beyond) == (200, 100)


def test_a_find_that_does_not_show_alone_is_unstable() -> None:
    state, found = new_state(), cause(REJECTED)
    assert found is not None
    state.add(found, made(), "as it was said")
    (group,) = state.groups
    state.withdraw(group, group.witnesses[0])
    (unstable,) = state.groups
    assert (unstable.cause.verdict, unstable.count) == (Verdict.UNSTABLE, 1)
    assert unstable.cause.text.startswith("only once: rejected a valid call: rejected while preparing")
