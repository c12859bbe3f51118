from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import pytest
from split_cases import split_case, value_of

from conformance.judge.explain import explain
from conformance.judge.hypotheses import differing_indices, only_nan_bits_differ
from conformance.protocol.form import Form
from conformance.spec.case import Literals, Value
from conformance.spec.check import steps_of
from conformance.tensors.fill import Fill
from conformance.tensors.tensor import Tensor, array_from_tensor, pack_strings, tensor_from_array

MATRIX = np.arange(24, dtype=np.int32).reshape(4, 6)


def t(array: Any) -> Tensor:
    return tensor_from_array(np.asarray(array))


def explained(data: Any, lengths: Sequence[int], outputs: Sequence[Any], axis: int = 0) -> tuple[str, str]:
    case = split_case(value_of(t(data)), lengths, axis)
    return explain([case], [[t(output) for output in outputs]])


def bits(dtype: str, *patterns: int) -> np.ndarray[Any, Any]:
    width = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 4}.get(dtype, 1)
    data = b"".join(pattern.to_bytes(width, "little") for pattern in patterns)
    return array_from_tensor(Tensor(dtype, (len(data) // {"complex64": 8}.get(dtype, width),), data))


M = MATRIX
CAUSES: list[tuple[str, Any, list[int], int, list[Any], str]] = [
    ("empty output dropped", M, [2, 0, 2], 0, [M[:2], M[2:]],
     "3 outputs expected, 2 returned: the empty ones are missing"),
    ("wrong number of outputs", M, [2, 2], 0, [M],
     "2 outputs expected, 1 returned"),
    ("wrong number of outputs", M, [2, 2], 0, [M[:2], M[2:], M[:0]],
     "2 outputs expected, 3 returned"),
    ("int32 became int64", M, [2, 2], 0, [M[:2], M[2:].astype(np.int64)],
     "output 1 has the type int64, expected int32"),
    ("outputs swapped", M, [2, 2], 0, [M[2:], M[:2]],
     "the outputs are in the order [1, 0]"),
    ("outputs swapped", M, [1, 1, 2], 0, [M[2:], M[:1], M[1:2]],
     "the outputs are in the order [2, 0, 1]"),
    ("boundary off by one", M, [2, 2], 0, [M[:1], M[1:]],
     "along axis 0 the data was split at [0, 1, 4], expected [0, 2, 4]"),
    ("boundary off by one", M, [2, 4], 1, [M[:, :3], M[:, 3:]],
     "along axis 1 the data was split at [0, 3, 6], expected [0, 2, 6]"),
    ("boundary off by one", M, [2, 4], 1, [M[:, :2], M[:, 2:5]],
     "along axis 1 the data was split at [0, 2, 5], expected [0, 2, 6]"),
    ("boundary off by one", M, [2, 2], 0, [M[:2], M[1:3]],
     "output 1 starts at 1 along axis 0, expected 2"),
    ("boundary off by one", np.arange(5), [2, 3], 0, [np.arange(3), np.arange(3, 5)],
     "along axis 0 the data was split at [0, 3, 5], expected [0, 2, 5]"),
    ("boundary off by one", M, [0, 4], 0, [M[:1], M[1:]],
     "along axis 0 the data was split at [0, 1, 4], expected [0, 0, 4]"),
    ("boundary off by one", np.arange(6), [6], 0, [np.array([0, 1, 2, 2, 3, 4])],
     "from 3 to 5 along axis 0 the output holds the elements one place earlier"),
    ("boundary off by one", np.arange(6), [6], 0, [np.array([0, 1, 3, 4, 4, 5])],
     "from 2 to 3 along axis 0 the output holds the elements one place later"),
    ("other values", np.bool_([1, 0, 1, 1]), [1, 1, 1, 1], 0, [np.bool_([0]), np.bool_([1]), np.bool_([0]),
     np.bool_([0])],
     "".join(f"output {number}: 1 of 1 element differ, the first at [0]; " for number in range(4))[:-2]),
    ("remainder spread over the first parts", np.arange(10), [4, 4, 2], 0,
     [np.arange(4), np.arange(4, 7), np.arange(7, 10)],
     "along axis 0 the data was split at [0, 4, 7, 10], expected [0, 4, 8, 10]"),
    ("remainder spread over the first parts", np.arange(7), [3, 3, 1], 0,
     [np.arange(3), np.arange(3, 5), np.arange(5, 7)],
     "along axis 0 the data was split at [0, 3, 5, 7], expected [0, 3, 6, 7]"),
    ("boundary off by one", np.arange(7), [3, 3, 1], 0, [np.arange(2), np.arange(2, 5), np.arange(5, 7)],
     "along axis 0 the data was split at [0, 2, 5, 7], expected [0, 3, 6, 7]"),
    ("boundary off by one", np.arange(9), [4, 4, 1], 0, [np.arange(4), np.arange(4, 7), np.arange(7, 9)],
     "along axis 0 the data was split at [0, 4, 7, 9], expected [0, 4, 8, 9]"),
    ("split at other places", M, [1, 5], 1, [M[:, :4], M[:, 4:]],
     "along axis 1 the data was split at [0, 4, 6], expected [0, 1, 6]"),
    ("split at other places", np.arange(9), [3, 3, 3], 0, [np.arange(3), np.arange(3, 6), np.arange(3)],
     "output 2 starts at 0 along axis 0, expected 6"),
    ("wrong axis", M, [2, 2], 0, [M[:, :2], M[:, 2:4]],
     "the data was split along axis 1, expected axis 0"),
    ("wrong shape", M, [2, 2], 0, [M[:2], M[2:].reshape(12)],
     "output 1 has the shape (12,), expected (2, 6)"),
    ("wrong shape", M, [2, 2], 0, [M[:2], np.zeros((1, 6), np.int32)],
     "output 1 has the shape (1, 6), expected (2, 6)"),
    ("NaN quieted", bits("float32", 0x7FA00001, 0x3F800000), [2], 0, [bits("float32", 0x7FE00001, 0x3F800000)],
     "1 element: a signalling NaN became quiet, with the rest of its payload kept"),
    ("NaN quieted", bits("float16", 0x7C01, 0xFC01), [2], 0, [bits("float16", 0x7E01, 0xFE01)],
     "2 elements: a signalling NaN became quiet, with the rest of its payload kept"),
    ("NaN payload changed", bits("float32", 0x7FC12345), [1], 0, [bits("float32", 0x7FC00000)],
     "1 element: a NaN became another NaN"),
    ("NaN payload changed", bits("bfloat16", 0x7FC1), [1], 0, [bits("bfloat16", 0xFFC1)],
     "1 element: a NaN became another NaN"),
    ("NaN payload changed", bits("float8_e4m3fn", 0x7F), [1], 0, [bits("float8_e4m3fn", 0xFF)],
     "1 element: a NaN became another NaN"),
    ("-0.0 lost", bits("float32", 0x80000000, 1, 0x80000000), [3], 0, [bits("float32", 0, 1, 0)],
     "2 elements: a negative zero became positive"),
    ("-0.0 lost", bits("float4_e2m1fn", 0x8, 0x1), [2], 0, [bits("float4_e2m1fn", 0x0, 0x1)],
     "1 element: a negative zero became positive"),
    ("-0.0 lost", bits("complex64", 0, 0x80000000), [1], 0, [bits("complex64", 0, 0)],
     "1 element: a negative zero became positive"),
    ("subnormals flushed to zero", bits("float32", 1, 0x807FFFFF, 0x3F800000), [3], 0,
     [bits("float32", 0, 0x80000000, 0x3F800000)],
     "2 elements: a subnormal number became zero"),
    ("truncated to 32 bits", np.array([1 << 40, 5]), [2], 0, [np.array([0, 5])],
     "1 element: converted to a 32-bit type and back"),
    ("truncated to 32 bits", np.array([(1 << 64) - 1], np.uint64), [1], 0, [np.array([(1 << 32) - 1], np.uint64)],
     "1 element: converted to a 32-bit type and back"),
    ("truncated to 32 bits", np.array([0.1, 1e300]), [2], 0, [np.array([0.1, np.inf]).astype("f4").astype("f8")],
     "2 elements: converted to a 32-bit type and back"),
    ("other values", M, [2, 2], 0, [M[:2], np.where(M[2:] == 15, 0, M[2:])],
     "output 1: 1 of 12 elements differ, the first at [0, 3]"),
    ("other values", np.arange(3), [1, 2], 0, [np.array([7]), np.array([1, 9])],
     "output 0: 1 of 1 element differ, the first at [0]; output 1: 1 of 2 elements differ, the first at [1]"),
    ("other values", bits("float8_e4m3fnuz", 0x80), [1], 0, [bits("float8_e4m3fnuz", 0x00)],
     "output 0: 1 of 1 element differ, the first at [0]"),
    ("truncated to 32 bits", np.array([1, 0, 2**32]), [1, 1, 1], 0,
     [np.array([1]), np.array([0]), np.array([0])],
     "1 element: converted to a 32-bit type and back"),
    ("other values", np.arange(10), [1] * 10, 0, [np.array([50 - number]) for number in range(10)],
     "".join(f"output {number}: 1 of 1 element differ, the first at [0]; " for number in range(8))
     + "and 2 more outputs"),
    ("other values", np.array(["a", "b"]), [2], 0, [np.array(["a", "c"])],
     "output 0: 1 of 2 elements differ, the first at [1]"),
]  # fmt: skip


@pytest.mark.parametrize("row", CAUSES, ids=[f"{cause}-{number}" for number, (cause, *_) in enumerate(CAUSES)])
def test_cause_is_named_in_the_terms_of_the_operator(row: tuple[str, Any, list[int], int, list[Any], str]) -> None:
    cause, data, lengths, axis, outputs, sentence = row
    assert explained(data, lengths, outputs, axis) == (cause, sentence)


def test_answer_of_the_earlier_call_is_stale() -> None:
    case = split_case(Value(dtype="int8", shape=(2, 2)), [1, 1], axis=1)
    second, first, _ = steps_of(case, Form.SECOND_CALL)
    old = [t(np.array([[14], [16], [18]], np.int8)), t(np.array([[15], [17], [19]], np.int8))]
    assert explain([first, second], [old, old]) == (
        "stale values of an earlier call",
        "call 2 of 2: the answer equals that of call 1",
    )


def test_first_call_that_differs_is_explained() -> None:
    case = split_case(Value(dtype="int8", shape=(2, 2)), [1, 1], axis=1)
    second, first, _ = steps_of(case, Form.SECOND_CALL)
    wrong = [t(np.zeros((3, 1), np.int8))] * 2
    cause, sentence = explain([first, second], [wrong, []])
    assert cause == "other values"
    assert sentence == (
        "call 1 of 2: output 0: 3 of 3 elements differ, the first at [0, 0]; "
        "output 1: 3 of 3 elements differ, the first at [0, 0]"
    )


@pytest.mark.parametrize(
    "kept",
    [[[0, 2, 18], [1, 3, 19]], [[0, 2, 1], [3, 17, 19]]],
    ids=["each output in memory of its own", "all in one piece"],
)
def test_outputs_that_a_later_call_overwrote_are_recognised(kept: list[list[int]]) -> None:
    case = split_case(Value(dtype="int8", shape=(2, 2)), [1, 1], axis=1)
    second, first, _ = steps_of(case, Form.SECOND_CALL)
    new = [t(np.array([[0], [2]], np.int8)), t(np.array([[1], [3]], np.int8))]
    old = [t(np.array(column, np.int8).reshape(3, 1)) for column in kept]
    assert explain([first, second], [old, new]) == (
        "overwritten by a later call",
        "call 1 of 2: the outputs hold what call 2 wrote to the same memory",
    )


def test_the_data_being_the_same_is_no_proof_that_a_later_call_overwrote_it() -> None:
    """All in one piece, the outputs of a call that is cut elsewhere are those that the same call gives later."""
    case = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
    calls = steps_of(case, Form.SAME_CALL_TWICE)
    first, other = np.arange(6, dtype=np.int8), np.arange(7, 13, dtype=np.int8)
    cut = [[t(data[:3]), t(data[3:])] for data in (first, other, first)]
    assert explain(calls, cut) == (
        "boundary off by one",
        "call 1 of 3: along axis 0 the data was split at [0, 3, 6], expected [0, 2, 6]",
    )


def test_one_value_everywhere_does_not_prove_that_a_later_call_put_it_there() -> None:
    case = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
    first, other, _ = steps_of(case, Form.SAME_CALL_TWICE)
    sevens = [t(np.array([7], np.int8))] * 2
    assert (
        explain([first, other], [sevens, [t(np.array([7], np.int8)), t(np.array([8], np.int8))]])[0] == "other values"
    )


def test_answer_without_elements_is_not_stale() -> None:
    case = split_case(Value(dtype="int8", shape=(2, 0)), [1, 1])
    other = split_case(Value(dtype="int8", shape=(2, 3)), [1, 1])
    empty = [t(np.zeros((1, 0), np.int8))] * 2
    assert explain([case, other], [empty, empty]) == (
        "wrong shape",
        "call 2 of 2: output 0 has the shape (1, 0), expected (1, 3)",
    )


def test_boundary_behind_a_relu_is_one_in_what_the_relu_gives() -> None:
    case = split_case(Value(dtype="float32", shape=(6,)), [2, 4])
    calls = steps_of(case, Form.AFTER_RELU)
    rectified = [np.array([7, 0, 9, 0, 11, 0], np.float32), np.arange(6, dtype=np.float32)]
    assert explain(calls, [[t(data[:3]), t(data[3:])] for data in rectified])[0] == "boundary off by one"


def test_fault_that_shows_in_several_calls_is_named_by_what_fits_them_all() -> None:
    """The first call alone could have lost its negative zero; the second has none."""
    calls = [split_case(value_of(t(np.array(data, np.float32))), [1, 1]) for data in ([0.0, -0.0], [1.0, 2.0])]
    twice = [[t(np.array([first], np.float32))] * 2 for first in (0.0, 1.0)]
    assert explain(calls[:1], twice[:1])[0] == "-0.0 lost"
    assert explain(calls, twice)[0] == "boundary off by one"


def test_literal_outputs_are_explained_too() -> None:
    case = split_case(Value(dtype="int8", shape=(2,)), [1, 1])
    literals = Literals((value_of(t(np.array([5], np.int8))), value_of(t(np.array([6], np.int8)))))
    outputs = [t(np.array([6], np.int8)), t(np.array([5], np.int8))]
    assert explain([replace(case, expectation=literals)], [outputs]) == (
        "outputs swapped",
        "the outputs are in the order [1, 0]",
    )


def test_explaining_what_does_not_differ_is_an_error() -> None:
    case = split_case(Value(dtype="int8", shape=(2,)), [2])
    with pytest.raises(ValueError, match=r"^no output differs$"):
        explain([case], [[t(np.array([0, 1], np.int8))]])


def test_differing_elements_are_counted_without_their_unused_bits() -> None:
    one, other = Tensor("int4", (3,), b"\x01\x02\x03"), Tensor("int4", (3,), b"\xf1\xf3\x03")
    assert differing_indices(one, other) == [1]


def test_strings_that_are_not_utf8_can_be_compared() -> None:
    one, other = pack_strings([b"a", b"\xff"], (2,)), pack_strings([b"a", b"\xfe"], (2,))
    assert differing_indices(one, other) == [1]


@pytest.mark.parametrize(
    ("one", "other", "only"),
    [
        (bits("float32", 0x7FC00000), bits("float32", 0xFFC00001), True),
        (bits("float32", 0x7FC00000), bits("float32", 0x7F800000), False),
        (bits("float32", 0x7FC00000), bits("float64", 0x7FF8000000000000), False),
        (bits("float8_e8m0fnu", 0xFF), bits("float8_e8m0fnu", 0xFE), False),
        (np.array([1]), np.array([2]), False),
    ],
)
def test_nans_may_be_all_that_differs(one: Any, other: Any, only: bool) -> None:  # noqa: FBT001
    assert only_nan_bits_differ(t(one), t(other)) is only


def test_missing_output_is_more_than_nans() -> None:
    assert not only_nan_bits_differ(None, t(np.array([1], np.float32)))
    assert not only_nan_bits_differ(t(np.array([1], np.float32)), None)


def cpu_s(step: Callable[[], object]) -> float:
    """What a step takes, where nothing else takes a core from it."""

    def once() -> float:
        began = process_time()
        step()
        return process_time() - began

    return min(once() for _ in range(3))


@pytest.mark.parametrize("order", [lambda n: [*range(n)][::-1], lambda n: [*range(1, n), 0]], ids=["back", "on"])
def test_sixteen_times_as_many_outputs_take_less_than_the_square_of_that(order: Callable[[int], list[int]]) -> None:
    def explained_in_order(number: int) -> tuple[str, str]:
        data = np.arange(number)
        return explained(data, [1] * number, [data[at : at + 1] for at in order(number)])

    assert cpu_s(lambda: explained_in_order(4096)) < 100 * cpu_s(lambda: explained_in_order(256))
    cause, sentence = explained_in_order(4096)
    assert cause == "outputs swapped"
    assert sentence.endswith(", ...]")


def test_sixteen_times_the_axis_takes_less_than_the_square_of_that() -> None:
    """A search for where an output starts would compare each place with megabytes."""

    def cause(length: int) -> str:
        value = Value(dtype="uint8", shape=(2, 2 * length), fill=Fill.DISTINCT)
        garbage = t(np.full((2, length), 255, np.uint8))
        return explain([split_case(value, [length, length], axis=1)], [[garbage, garbage]])[0]

    assert cpu_s(lambda: cause(500_000)) < 100 * cpu_s(lambda: cause(31_250))
    assert cause(500_000) == "other values"
