from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from recorded import entry
from split_cases import integers, split_case

from conformance.judge.deviation import Deviation
from conformance.log.build_record import call_entry, not_run_record, record_of
from conformance.log.record import TensorEntry, recorded_elements, tensor_entry
from conformance.protocol.form import Form
from conformance.protocol.outcome import (
    AdapterFailed,
    Cost,
    Crashed,
    NotDeclaredOutcome,
    NotExpressibleOutcome,
    Outcome,
    Produced,
    Provenance,
    RejectedOutcome,
    Stage,
    TimedOut,
    Unstable,
    UnsupportedOutcome,
)
from conformance.spec.case import Rejection, Value
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, outputs_digest, pack_strings, tensor_from_array, unpack_strings

CASE = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
RIGHT = (Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\5"))
WRONG = (Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\7"))
DEVIATION = entry()


def recorded(outcome: Outcome, deviation: Deviation | None = None, form: Form = Form.CONSTANT) -> Any:
    return record_of(Check(CASE, form), "toy@1", outcome, [deviation] if deviation else [])


def test_pass_is_recorded_without_what_is_not_needed() -> None:
    item = recorded(Produced(runs=(RIGHT,), provenance=Provenance(ran_on="CPU", prepare_ns=5, run_ns=(7,))))
    assert (item.verdict, item.judged, item.outcome) == (Verdict.PASS, Verdict.PASS, "produced")
    assert (item.ran_on, item.prepare_ns, item.run_ns, item.clauses) == ("CPU", 5, [7], ["split_lengths.sum"])
    assert (item.call, item.where, item.differences) == (None, "", [])
    assert item.operator == "openvino.VariadicSplit-1"


@pytest.mark.parametrize("form", [Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC])
def test_a_record_names_case_form_and_target(form: Form) -> None:
    item = recorded(Produced(runs=(RIGHT,)), form=form)
    assert (item.case, item.form, item.target) == (CASE.id, form, "toy@1")


def test_wrong_result_is_recorded_with_call_and_elements() -> None:
    item = recorded(Produced(runs=(WRONG,)))
    (difference,) = item.differences
    assert (difference.output, difference.mismatch, difference.differing, difference.first) == (1, "bits", 1, 3)
    assert base64.b64decode(difference.expected.data) == b"\2\3\4\5"
    assert base64.b64decode(difference.actual.data) == b"\2\3\4\7"
    assert item.where == "a.yaml:1"
    assert [entry.name for entry in item.call.inputs] == ["data", "axis", "split_lengths"]


@pytest.mark.parametrize(
    ("outcome", "verdict", "fields"),
    [
        (
            RejectedOutcome(stage=Stage.PREPARING, message="no"),
            Verdict.REJECTED_VALID,
            {"stage": Stage.PREPARING, "message": "no"},
        ),
        (
            RejectedOutcome(stage=Stage.RUNNING, message="no", cost=Cost(cpu_ns=5, peak_bytes=7)),
            Verdict.REJECTED_VALID,
            {"cpu_ns": 5, "peak_bytes": 7},
        ),
        (UnsupportedOutcome(message="no kernel"), Verdict.UNSUPPORTED, {"message": "no kernel"}),
        (NotExpressibleOutcome(message="no axis"), Verdict.NOT_EXPRESSIBLE, {"message": "no axis"}),
        (NotDeclaredOutcome(message="no int8"), Verdict.NOT_DECLARED, {"message": "no int8"}),
        (Crashed(death="SIGSEGV", stderr="core"), Verdict.CRASHED, {"stderr": "core", "explanation": "SIGSEGV"}),
        (TimedOut(limit_s=3, stderr="..."), Verdict.TIMED_OUT, {"stderr": "..."}),
        (
            Unstable(first="SIGABRT", alone="produced", suspects=("a (constant)", "b (runtime)"), stderr="x"),
            Verdict.UNSTABLE,
            {"first": "SIGABRT", "alone": "produced", "suspects": ["a (constant)", "b (runtime)"], "stderr": "x"},
        ),
        (AdapterFailed(message="KeyError", stderr="y"), Verdict.HARNESS_ERROR, {"message": "KeyError", "stderr": "y"}),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, (Verdict, dict)) else "",
)
def test_each_outcome_is_recorded_with_its_fields(
    outcome: Outcome, verdict: Verdict, fields: dict[str, object]
) -> None:
    item = recorded(outcome)
    assert item.verdict is verdict
    assert {name: getattr(item, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("outputs", "verdict", "judged"),
    [(RIGHT[::-1], Verdict.KNOWN, Verdict.WRONG_RESULT), (RIGHT, Verdict.FIXED, Verdict.PASS)],
)
def test_deviation_is_named_and_the_judged_verdict_kept(
    outputs: tuple[Tensor, ...], verdict: Verdict, judged: Verdict
) -> None:
    item = recorded(Produced(runs=(outputs,)), DEVIATION)
    assert (item.verdict, item.judged, item.deviation) == (verdict, judged, "toy-1")
    assert item.call is not None


def test_long_message_is_cut() -> None:
    assert len(recorded(RejectedOutcome(stage=Stage.RUNNING, message="x" * 10_000)).message) == 4000


def test_check_that_was_not_run_is_recorded_with_the_reason() -> None:
    item = not_run_record(Check(CASE, Form.DYNAMIC), "toy@1", "the adapter ended")
    assert (item.verdict, item.form, item.explanation) == (Verdict.NOT_RUN, Form.DYNAMIC, "the adapter ended")


def test_call_is_recorded_as_it_was_put_to_the_backend() -> None:
    entry = call_entry(Check(CASE, Form.SECOND_CALL))
    data, axis, _ = entry.inputs
    assert (data.dims, data.constant, len(data.values)) == ([None], False, 3)
    assert (axis.dims, axis.constant, len(axis.values)) == ([], True, 1)
    assert entry.declared_outputs == 2


def test_digest_of_outputs_looks_at_type_shape_and_meaningful_bits() -> None:
    answers: list[list[list[Tensor]]] = [
        [],
        [[]],
        [[Tensor("int8", (2,), b"\0\1")]],
        [[Tensor("uint8", (2,), b"\0\1")]],
        [[Tensor("int8", (2, 1), b"\0\1")]],
        [[Tensor("int8", (2,), b"\0\2")]],
        [[Tensor("int8", (1,), b"\0"), Tensor("int8", (1,), b"\1")]],
        [[Tensor("int8", (2,), b"\0\1")], []],
    ]
    digests = {outputs_digest(runs) for runs in answers}
    assert len(digests) == 8
    one, other = Tensor("int4", (1,), b"\x01"), Tensor("int4", (1,), b"\xf1")
    assert outputs_digest([[one]]) == outputs_digest([[other]])


def test_small_tensor_is_recorded_whole_and_a_large_one_around_the_difference() -> None:
    small = tensor_entry(tensor_from_array(np.arange(512, dtype=np.int16)), 300)
    assert (small.start, small.count) == (0, 512)
    large = tensor_entry(tensor_from_array(np.arange(2000, dtype=np.int16)), 1000)
    assert (large.shape, large.start, large.count) == ([2000], 968, 256)
    assert np.frombuffer(recorded_elements(large).data, np.int16).tolist() == list(range(968, 1224))


@pytest.mark.parametrize(("around", "start", "count"), [(0, 0, 224), (10, 0, 234), (1999, 1967, 33)])
def test_recorded_stretch_stays_within_the_tensor(around: int, start: int, count: int) -> None:
    entry = tensor_entry(tensor_from_array(np.arange(2000, dtype=np.int16)), around)
    assert (entry.start, entry.count) == (start, count)


def test_long_strings_are_recorded_by_their_beginning() -> None:
    entry = tensor_entry(pack_strings([b"x" * 5000, b"y"], (2,)))
    assert [len(item) for item in unpack_strings(recorded_elements(entry))] == [1024, 1]


def test_data_that_is_not_base64_is_refused() -> None:
    with pytest.raises(ValueError, match="base64"):
        recorded_elements(TensorEntry(dtype="int8", shape=[1], count=1, data="!"))


def test_record_of_a_rejection_that_was_demanded_is_a_pass() -> None:
    case = replace(CASE, expectation=Rejection("axis.range")).with_value("axis", integers([5], ()))
    item = record_of(Check(case, Form.RUNTIME), "toy@1", RejectedOutcome(stage=Stage.RUNNING, message="axis"), [])
    assert (item.verdict, item.message, item.stage) == (Verdict.PASS, "axis", Stage.RUNNING)
