from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from split_cases import split_case

from conformance.judge.judge import Difference, Exact, Judgement, Mismatch, differences_of, judge
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
from conformance.spec.case import Case, Disputed, Expectation, Interpretation, Literals, Parts, Rejection, Value
from conformance.spec.verdict import Verdict
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import Tensor, has_same_bits, pack_strings, tensor_from_array

SIX = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
STRICT = Interpretation(name="strict", reason="the sum is needed", expectation=Rejection("split_lengths.sum"))
LOOSE = Interpretation(name="loose", reason="it is not", expectation=Parts(((0, 2), (2, 4))))
OTHER = Interpretation(name="other", reason="or so", expectation=Parts(((0, 3), (3, 6))))


def t(values: Any, dtype: str = "int8") -> Tensor:
    return tensor_from_array(np.array(values, dtype))


def produced(*outputs: Tensor) -> Produced:
    return Produced(runs=(outputs,))


def floats(bits: str) -> Tensor:
    data = bytes.fromhex(bits)
    return Tensor("float32", (len(data) // 4,), data)


def judged(expectation: Expectation, calls: Sequence[Case], outcome: Outcome) -> Judgement:
    return judge([replace(call, expectation=expectation) for call in calls], outcome)


def test_outputs_with_every_bit_as_demanded_pass() -> None:
    outcome = produced(t([0, 1]), t([2, 3, 4, 5]))
    assert judged(SIX.expectation, [SIX], outcome) == Judgement(verdict=Verdict.PASS)


@pytest.mark.parametrize(
    ("outputs", "mismatches"),
    [
        ([], [(0, Mismatch.MISSING), (1, Mismatch.MISSING)]),
        ([t([0, 1])], [(1, Mismatch.MISSING)]),
        ([t([0, 1]), t([2, 3, 4, 5]), t([], "int8")], [(2, Mismatch.SURPLUS)]),
        ([t([0, 1], "uint8"), t([2, 3, 4, 5])], [(0, Mismatch.DTYPE)]),
        ([t([0, 1]), t([[2, 3, 4, 5]])], [(1, Mismatch.SHAPE)]),
        ([t([0, 1], "int16"), t([2, 3, 4])], [(0, Mismatch.DTYPE), (1, Mismatch.SHAPE)]),
        ([t([0, 1]), t([2, 3, 4, 6])], [(1, Mismatch.BITS)]),
    ],
)
def test_each_output_that_is_not_as_demanded_is_a_difference(
    outputs: list[Tensor], mismatches: list[tuple[int, Mismatch]]
) -> None:
    judgement = judged(SIX.expectation, [SIX], produced(*outputs))
    assert judgement.verdict is Verdict.WRONG_RESULT
    assert [(difference.output, difference.mismatch) for difference in judgement.differences] == mismatches


def test_difference_holds_what_was_demanded_and_what_came() -> None:
    (difference,) = differences_of(Exact(), [t([1])], [t([2])], 3)
    assert (difference.run, difference.output, difference.expected, difference.actual) == (3, 0, t([1]), t([2]))


def test_difference_of_the_second_call_names_it() -> None:
    calls = (split_case(Value(dtype="int8", shape=(6,), start=7), [2, 4]), SIX)
    right = (t([7, 8]), t([9, 10, 11, 12]))
    judgement = judged(SIX.expectation, calls, Produced(runs=(right, (t([0, 1]), t([2, 3, 4, 0])))))
    assert [difference.run for difference in judgement.differences] == [1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("00000000", "00000080"),  # zero, negative zero
        ("0000c07f", "0000c0ff"),  # quiet NaNs of either sign
        ("0100c07f", "0200c07f"),  # quiet NaNs with other payloads
        ("0100807f", "0100c07f"),  # a signalling NaN and its quiet twin
        ("01000000", "00000000"),  # smallest subnormal and zero
    ],
)
def test_bits_count_and_not_values(one: str, other: str) -> None:
    assert has_same_bits(floats(one), floats(one))
    assert not has_same_bits(floats(one), floats(other))


def test_negative_zero_differs_from_positive_zero() -> None:
    case = split_case(Value(dtype="float32", shape=(2,), data=bytes.fromhex("00000080 00000000")), [1, 1])
    right = judged(case.expectation, [case], produced(floats("00000080"), floats("00000000")))
    wrong = judged(case.expectation, [case], produced(floats("00000000"), floats("00000000")))
    assert (right.verdict, wrong.verdict) == (Verdict.PASS, Verdict.WRONG_RESULT)


@pytest.mark.parametrize(
    ("dtype", "one", "other", "is_same"),
    [
        ("int4", b"\x0f", b"\xff", True),
        ("int4", b"\x07", b"\x0f", False),
        ("uint1", b"\x01", b"\x03", True),
        ("float4_e2m1fn", b"\x08", b"\x00", False),
        ("float6_e3m2fn", b"\x3f", b"\xff", True),
        ("bool", b"\x01", b"\x03", False),
        ("uint8", b"\x0f", b"\xff", False),
    ],
)
def test_unused_bits_of_narrow_types_do_not_count(dtype: str, one: bytes, other: bytes, is_same: bool) -> None:  # noqa: FBT001
    assert has_same_bits(Tensor(dtype, (1,), one), Tensor(dtype, (1,), other)) is is_same


def test_strings_differ_where_their_bounds_do() -> None:
    assert has_same_bits(pack_strings([b"ab", b"c"], (2,)), pack_strings([b"ab", b"c"], (2,)))
    assert not has_same_bits(pack_strings([b"ab", b"c"], (2,)), pack_strings([b"a", b"bc"], (2,)))


def test_difference_beyond_the_first_mebibyte_is_found() -> None:
    one = np.zeros(3 << 20, np.uint8)
    other = one.copy()
    other[-1] = 1
    assert has_same_bits(tensor_from_array(one), tensor_from_array(one.copy()))
    assert not has_same_bits(tensor_from_array(one), tensor_from_array(other))


@pytest.mark.parametrize("data", [bytearray(b"\0\1"), memoryview(b"\0\1"), b"\0\1"])
def test_kind_of_buffer_does_not_matter(data: Any) -> None:
    assert differences_of(Exact(), [Tensor("int8", (2,), b"\0\1")], [Tensor("int8", (2,), data)], 0) == ()


# Refusals


def test_refusal_of_an_invalid_call_passes() -> None:
    outcome = RejectedOutcome(stage=Stage.PREPARING, message="no")
    assert judged(Rejection("split_lengths.sum"), [SIX], outcome) == Judgement(verdict=Verdict.PASS)


GREAT = RejectedOutcome(stage=Stage.RUNNING, message="no", cost=Cost(cpu_ns=1, peak_bytes=1526 << 20))


def test_refusal_of_an_invalid_call_that_took_gigabytes_is_reported_with_what_it_took() -> None:
    assert judged(Rejection("split_lengths.sum"), [SIX], GREAT) == Judgement(
        verdict=Verdict.COSTLY_REJECTION,
        cause="cost of rejecting a violation of split_lengths.sum",
        explanation="the rejection took 1,526 MiB of memory (at most 1,024)",
    )


def test_refusal_that_one_reading_demands_may_not_take_gigabytes_either() -> None:
    judgement = judged(Disputed((LOOSE, STRICT)), [SIX], GREAT)
    assert judgement.verdict is Verdict.COSTLY_REJECTION


def test_refusal_of_a_valid_call_is_wrong_whatever_it_took() -> None:
    assert judged(SIX.expectation, [SIX], GREAT).verdict is Verdict.REJECTED_VALID
    assert judged(Disputed((LOOSE, OTHER)), [SIX], GREAT).verdict is Verdict.REJECTED_VALID


@pytest.mark.parametrize(
    ("answered", "verdict"), [(0, Verdict.REJECTED_VALID), (1, Verdict.PASS)], ids=["valid call", "invalid call"]
)
def test_refusal_after_a_valid_call_is_right_for_the_invalid_one_alone(answered: int, verdict: Verdict) -> None:
    invalid = replace(SIX, expectation=Rejection("split_lengths.sum"))
    assert (
        judge([SIX, invalid], RejectedOutcome(stage=Stage.RUNNING, message="no", answered=answered)).verdict is verdict
    )


def test_refusal_comes_too_late_after_an_answer_to_the_same_invalid_call() -> None:
    judgement = judged(
        Rejection("split.sum"), [SIX, SIX], RejectedOutcome(stage=Stage.RUNNING, message="no", answered=1)
    )
    assert (judgement.verdict, judgement.cause) == (Verdict.ACCEPTED_INVALID, "violates split.sum")


def test_of_a_valid_and_an_accepted_invalid_call_only_what_is_wrong_differs() -> None:
    parts = (t([0, 1]), t([2, 3, 4, 5]))
    judgement = judge([SIX, replace(SIX, expectation=Rejection("split.sum"))], Produced(runs=(parts, parts)))
    assert judgement.verdict is Verdict.ACCEPTED_INVALID
    assert [(difference.run, difference.mismatch) for difference in judgement.differences] == [
        (1, Mismatch.SURPLUS),
        (1, Mismatch.SURPLUS),
    ]


@pytest.mark.parametrize("expectation", [SIX.expectation, Literals((Value(dtype="int8", shape=(1,)),))])
def test_refusal_of_a_valid_call_is_reported_with_its_message(expectation: Parts | Literals) -> None:
    message = "in node Split_0x7f:\n  axis 7 is not within rank 1  \n\n"
    assert judged(expectation, [SIX], RejectedOutcome(stage=Stage.RUNNING, message=message)) == Judgement(
        verdict=Verdict.REJECTED_VALID,
        cause="rejected while running: axis # is not within rank #",
        explanation=message,
    )


@pytest.mark.parametrize(
    ("message", "cause"),
    [("", "rejected while running: no message"), ("x" * 200, f"rejected while running: {'x' * 117}...")],
)
def test_cause_of_a_refusal_stays_short(message: str, cause: str) -> None:
    assert judged(SIX.expectation, [SIX], RejectedOutcome(stage=Stage.RUNNING, message=message)).cause == cause


@pytest.mark.parametrize(
    ("outputs", "explanation"),
    [
        ([t([0, 1]), t([2, 3])], "the call violates split_lengths.sum; the framework returned int8[2], int8[2]"),
        ([], "the call violates split_lengths.sum; the framework returned no outputs"),
    ],
)
def test_answer_to_an_invalid_call_is_reported_with_its_clause(outputs: list[Tensor], explanation: str) -> None:
    judgement = judged(Rejection("split_lengths.sum"), [SIX], produced(*outputs))
    assert judgement.verdict is Verdict.ACCEPTED_INVALID
    assert (judgement.cause, judgement.explanation) == ("violates split_lengths.sum", explanation)
    assert [difference.mismatch for difference in judgement.differences] == [Mismatch.SURPLUS] * len(outputs)


# What is no answer


@pytest.mark.parametrize(
    ("outcome", "judgement"),
    [
        (UnsupportedOutcome(message="no kernel"), Judgement(verdict=Verdict.UNSUPPORTED, explanation="no kernel")),
        (NotExpressibleOutcome(message="no axis"), Judgement(verdict=Verdict.NOT_EXPRESSIBLE, explanation="no axis")),
        (NotDeclaredOutcome(message="no int8"), Judgement(verdict=Verdict.NOT_DECLARED, explanation="no int8")),
        (
            Crashed(death="SIGSEGV", stderr="core"),
            Judgement(verdict=Verdict.CRASHED, cause="process died: SIGSEGV", explanation="SIGSEGV"),
        ),
        (
            Crashed(death="SIGABRT", stage=Stage.RELEASING),
            Judgement(verdict=Verdict.CRASHED, cause="process died while releasing: SIGABRT", explanation="SIGABRT"),
        ),
        (
            TimedOut(limit_s=2.5),
            Judgement(verdict=Verdict.TIMED_OUT, cause="no answer in time", explanation="no answer within 2.5 s"),
        ),
        (
            Unstable(first="SIGABRT", alone="produced"),
            Judgement(
                verdict=Verdict.UNSTABLE,
                cause="only once: SIGABRT",
                explanation="SIGABRT; alone in a fresh process: produced",
            ),
        ),
        (
            AdapterFailed(message="KeyError: 'x'"),
            Judgement(verdict=Verdict.HARNESS_ERROR, cause="adapter failed", explanation="KeyError: 'x'"),
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, Judgement) else "",
)
@pytest.mark.parametrize(
    "expectation", [SIX.expectation, Rejection("x"), Disputed((STRICT, LOOSE))], ids=["", "x", "d"]
)
def test_what_is_no_answer_is_judged_alike_whatever_was_demanded(
    expectation: Any, outcome: Outcome, judgement: Judgement
) -> None:
    assert judged(expectation, [SIX], outcome) == judgement


@pytest.mark.parametrize("runs", [(), ((t([0, 1]), t([2, 3, 4, 5])),) * 2])
@pytest.mark.parametrize(
    "expectation",
    [
        SIX.expectation,
        Rejection("split_lengths.sum"),
        Disputed((STRICT, LOOSE)),
        Disputed((Interpretation(name="nan", reason="", expectation=LOOSE.expectation, nan_payloads_may_differ=True),)),
    ],
    ids=["parts", "rejection", "disputed", "disputed NaNs"],
)
def test_wrong_number_of_runs_says_nothing_about_the_framework(
    expectation: Any, runs: tuple[tuple[Tensor, ...], ...]
) -> None:
    judgement = judged(expectation, [SIX], Produced(runs=runs))
    assert judgement.verdict is Verdict.HARNESS_ERROR
    assert judgement.explanation == f"1 calls were sent and {len(runs)} answered"


# Disputed interpretations


@pytest.mark.parametrize(
    ("outcome", "reading"),
    [
        (RejectedOutcome(stage=Stage.RUNNING, message="no"), "strict"),
        (produced(t([0, 1]), t([2, 3])), "loose"),
        (produced(t([0, 1, 2]), t([3, 4, 5])), "other"),
    ],
)
def test_disputed_case_names_the_reading_that_is_followed(outcome: Outcome, reading: str) -> None:
    judgement = judged(Disputed((STRICT, LOOSE, OTHER)), [SIX], outcome)
    assert judgement == Judgement(verdict=Verdict.FOLLOWS, interpretation=reading)


def test_answer_that_follows_no_reading_is_wrong() -> None:
    judgement = judged(Disputed((STRICT, LOOSE, OTHER)), [SIX], produced(t([0, 1]), t([2])))
    assert (judgement.verdict, judgement.cause) == (
        Verdict.WRONG_RESULT,
        "matches none of the allowed readings of the spec",
    )
    assert judgement.explanation == (
        "matches none of the allowed readings of the spec; under loose: "
        "along axis 0 the data was split at [0, 2, 3], expected [0, 2, 4]"
    )
    assert len(judgement.differences) == 1


def test_refusal_that_follows_no_reading_is_a_refusal_of_a_valid_call() -> None:
    judgement = judged(Disputed((LOOSE, OTHER)), [SIX], RejectedOutcome(stage=Stage.PREPARING, message="no"))
    assert (judgement.verdict, judgement.cause) == (Verdict.REJECTED_VALID, "rejected while preparing: no")


def test_answer_where_all_readings_demand_a_refusal_is_wrong() -> None:
    other = Interpretation(name="range", reason="", expectation=Rejection("split_lengths.range"))
    judgement = judged(Disputed((STRICT, other)), [SIX], produced(t([0])))
    assert judgement == Judgement(
        verdict=Verdict.ACCEPTED_INVALID,
        cause="matches none of the allowed readings of the spec",
        explanation="every interpretation requires a rejection",
        differences=(Difference(run=0, output=0, mismatch=Mismatch.SURPLUS, expected=None, actual=t([0])),),
    )


@pytest.mark.parametrize(
    ("bits", "follows"),
    [
        ("0100807f 0000803f", "exact"),
        ("0100c07f 0000803f", "any payload"),
        ("ffffffff 0000803f", "any payload"),
        ("0000807f 0000803f", ""),
        ("0100c07f 0000403f", ""),
    ],
)
def test_reading_may_leave_the_payloads_of_nans_open(bits: str, follows: str) -> None:
    case = split_case(Value(dtype="float32", shape=(2,), data=bytes.fromhex("0100807f 0000803f")), [2])
    whole = Parts(((0, 2),))
    exact = Interpretation(name="exact", reason="", expectation=whole)
    payload = Interpretation(name="any payload", reason="", expectation=whole, nan_payloads_may_differ=True)
    judgement = judged(Disputed((exact, payload)), [case], produced(floats(bits)))
    assert judgement.interpretation == follows
    assert judgement.verdict is (Verdict.FOLLOWS if follows else Verdict.WRONG_RESULT)


def test_open_payloads_do_not_excuse_a_wrong_shape() -> None:
    case = split_case(Value(dtype="float32", shape=(6,), fill=Fill.SPECIAL), [6])
    reading = Interpretation(name="any", reason="", expectation=Parts(((0, 6),)), nan_payloads_may_differ=True)
    judgement = judged(Disputed((reading,)), [case], produced(floats("0100c07f")))
    assert judgement.verdict is Verdict.WRONG_RESULT


CHANGED = Provenance(changed_inputs=("data",))


def test_write_to_an_input_makes_right_outputs_a_wrong_result() -> None:
    outcome = replace(produced(t([0, 1]), t([2, 3, 4, 5])), provenance=CHANGED)
    assert judge([SIX], outcome) == Judgement(
        verdict=Verdict.WRONG_RESULT, cause="input changed", explanation="the run wrote to its input data"
    )


def test_write_to_an_input_is_reported_before_what_is_wrong_with_the_outputs() -> None:
    judgement = judge([SIX], replace(produced(t([0, 1])), provenance=CHANGED))
    assert (judgement.cause, judgement.explanation) == (
        "input changed",
        "the run wrote to its input data; 2 outputs expected, 1 returned",
    )
    assert [difference.output for difference in judgement.differences] == [1]


def test_answer_to_an_invalid_call_is_that_whatever_it_wrote_to() -> None:
    invalid = replace(SIX, expectation=Rejection("split_lengths.sum"))
    judgement = judge([invalid], replace(produced(t([0])), provenance=CHANGED))
    assert judgement.verdict is Verdict.ACCEPTED_INVALID


def test_each_call_has_an_expectation_of_its_own() -> None:
    whole = replace(SIX, expectation=Parts(((0, 6),)))
    runs = ((t([0, 1, 2, 3, 4, 5]),), (t([0, 1]), t([2, 3, 4, 5])))
    assert judge([whole, SIX], Produced(runs=runs)).verdict is Verdict.PASS
