from __future__ import annotations

from split_cases import split_case

from conformance.log.build_record import unrun_record, untimed_record
from conformance.protocol.form import Form
from conformance.protocol.outcome import Produced, Provenance, UnsupportedOutcome
from conformance.spec.case import Value
from conformance.spec.check import Check
from conformance.tensors.tensor import Tensor

CHECK = Check(split_case(Value(dtype="int8", shape=(6,)), [2, 4]), Form.CONSTANT)
RIGHT = (Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\5"))
WRONG = (Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\7"))


def test_a_check_that_passes_is_timed_and_says_how_it_was_answered() -> None:
    provenance = Provenance(aliases_input=True, lowered="by slices", ran_on="CPU")
    record = untimed_record(CHECK, "toy@1", Produced(runs=(RIGHT,), provenance=provenance))
    assert (record.reason, record.is_view, record.lowered, record.ran_on) == ("", True, "by slices", "CPU")


def test_a_check_that_does_not_pass_has_the_reason_in_place_of_a_time() -> None:
    assert untimed_record(CHECK, "toy@1", Produced(runs=(WRONG,))).reason.startswith("wrong result: ")
    assert untimed_record(CHECK, "toy@1", UnsupportedOutcome(message="no kernel")).reason.startswith("unsupported: ")


def test_a_reason_is_one_line_of_bounded_length() -> None:
    assert unrun_record(CHECK, "toy@1", "first\n  second").reason == "first second"
    assert len(unrun_record(CHECK, "toy@1", "x" * 1000).reason) == 400
