from __future__ import annotations

import math
from dataclasses import replace

import pytest
from bundled import bundled_operators
from split_cases import split_case

from conformance.judge.wrong_answer import WRONG_ANSWERS, has_wrong_answer, is_wrong_answer, wrong_answers
from conformance.spec.case import Argument, Case, Disputed, Interpretation, Parts, Rejection, Value
from conformance.spec.operator import Role
from conformance.tensors.tensor import (
    Tensor,
    outputs_digest,
    pack_integers,
    pack_strings,
    slices_along,
    unpack_integers,
    unpack_strings,
)

OPERATORS = bundled_operators()


def case_over(data: Tensor, lengths: list[int]) -> Case:
    return split_case(Value.of(data), lengths)


def the_wrong_answer(name: str, case: Case) -> tuple[Tensor, ...]:
    ((outputs,),) = wrong_answers(name, [case])
    return outputs


@pytest.mark.parametrize(
    ("name", "dtype", "given", "wrong"),
    [
        ("low 32 bits", "int64", [2**32 + 1, -1, 2**31], [1, -1, -(2**31)]),
        ("low 32 bits", "uint64", [2**32 + 1, 2**31, 5], [1, 2**64 - 2**31, 5]),
        ("saturated to int32", "int64", [2**40, -(2**40), 7], [2**31 - 1, -(2**31), 7]),
        ("saturated to int32", "uint32", [2**32 - 1, 2**31, 7], [2**31 - 1, 2**31 - 1, 7]),
    ],
)
def test_integers_become_what_32_bits_hold(name: str, dtype: str, given: list[int], wrong: list[int]) -> None:
    outputs = the_wrong_answer(name, case_over(pack_integers(given, dtype, (3,)), [1, 2]))
    assert [value for tensor in outputs for value in unpack_integers(tensor)] == wrong


def test_float64_loses_low_bits_subnormals_and_infinities_in_float32() -> None:
    bits = [0x3FB999999999999A, 0x7FF0000000000000, 0x0000000000000001]
    (output,) = the_wrong_answer("through float32", case_over(float64(bits), [3]))
    assert output == float64([0x3FB99999A0000000, 0x47EFFFFFE0000000, 0])


def test_negative_zero_loses_its_sign_and_nothing_else_does() -> None:
    data = Tensor("float16", (3,), bytes.fromhex("0080 0000 0180"))
    (output,) = the_wrong_answer("negative zeros lost", case_over(data, [3]))
    assert output.data == bytes.fromhex("0000 0000 0180")


def test_a_subnormal_number_becomes_zero_with_its_sign_and_no_other_changes() -> None:
    data = Tensor("bfloat16", (5,), bytes.fromhex("0100 7f80 0080 8000 817f"))
    (output,) = the_wrong_answer("subnormals flushed", case_over(data, [5]))
    assert output.data == bytes.fromhex("0000 0080 0080 8000 817f")
    assert not has_wrong_answer(["subnormals flushed"], [case_over(pack_integers([1], "int16", (1,)), [1])])


def test_parts_of_strings_start_over() -> None:
    data = pack_strings([b"a", b"b", b"c"], (3,))
    assert the_wrong_answer("parts start over", case_over(data, [1, 2])) == (
        pack_strings([b"a"], (1,)),
        pack_strings([b"a", b"b"], (2,)),
    )


def test_parts_of_several_rows_do_not_start_over() -> None:
    case = split_case(Value(dtype="int8", shape=(2, 3)), [1, 2], axis=1)
    assert not has_wrong_answer(["parts start over"], [case])


def test_parts_follow_in_memory_whatever_the_axis() -> None:
    case = split_case(Value(dtype="int8", shape=(2, 2)), [1, 1], axis=1)
    assert [bytes(tensor.data) for tensor in the_wrong_answer("parts follow in memory", case)] == [b"\0\1", b"\2\3"]


def test_equal_parts_ignore_the_lengths() -> None:
    outputs = the_wrong_answer("equal parts", split_case(Value(dtype="int8", shape=(7,)), [1, 6]))
    assert [tensor.shape for tensor in outputs] == [(4,), (3,)]


def test_share_of_a_long_axis_is_rounded_to_24_bits() -> None:
    case = split_case(Value(dtype="int8", shape=(2**25 + 6, 0)), [2**24 + 3, 2**24 + 3])
    outputs = the_wrong_answer("share through float32", case)
    assert [tensor.shape for tensor in outputs] == [(2**24 + 4, 0), (2**24 + 2, 0)]


def test_faults_that_come_together_change_the_outputs_in_turn() -> None:
    case = case_over(pack_integers([2**32, 1, 2, 3], "int64", (4,)), [1, 3])
    outputs = the_wrong_answer("equal parts + low 32 bits", case)
    assert [unpack_integers(tensor) for tensor in outputs] == [[0, 1], [2, 3]]


def test_answer_that_is_right_in_every_bit_is_no_wrong_one() -> None:
    assert not has_wrong_answer(["low 32 bits"], [case_over(pack_integers([1, 2], "int64", (2,)), [1, 1])])


def test_call_that_must_be_refused_has_no_wrong_answer() -> None:
    case = replace(split_case(Value(dtype="int8", shape=(7,)), [1, 6]), expectation=Rejection("split_lengths.sum"))
    assert not has_wrong_answer(["equal parts"], [case])


def test_disputed_case_has_a_wrong_answer_for_each_interpretation_with_outputs() -> None:
    ways = [Interpretation(name=str(stop), reason="", expectation=Parts(((0, stop), (stop, 7)))) for stop in (1, 2)]
    refused = Interpretation(name="refused", reason="", expectation=Rejection("split_lengths.sum"))
    case = replace(split_case(Value(dtype="int8", shape=(7,)), [1, 6]), expectation=Disputed((*ways, refused)))
    assert len(list(wrong_answers("outputs reversed", [case]))) == 2


def test_digest_of_another_wrong_answer_is_not_taken_for_it() -> None:
    case = split_case(Value(dtype="int8", shape=(7,)), [1, 6])
    ((turned,),) = wrong_answers("outputs reversed", [case])
    assert is_wrong_answer(["outputs reversed"], [case], outputs_digest([turned]))
    others = slices_along(Tensor("int8", (7,), bytes(7)), 0, [(0, 6), (6, 7)])
    assert not is_wrong_answer(["outputs reversed"], [case], outputs_digest([others]))


def test_outputs_without_elements_keep_their_type_and_other_dims() -> None:
    right = (Tensor("int8", (2, 3), bytes(6)), Tensor("int8", (), bytes(1)))
    emptied = WRONG_ANSWERS["no elements"](split_case(Value(dtype="int8", shape=(7,)), [7]), right)
    assert emptied == (Tensor("int8", (0, 3), b""), right[1])


def test_the_main_data_comes_back_as_it_was_given() -> None:
    data = Value(dtype="int8", shape=(7,))
    right = (Tensor("int8", (7,), bytes(7)),)
    assert WRONG_ANSWERS["the main data"](split_case(data, [7]), right) == (data.tensor(),)


def test_arguments_in_32_bits_are_those_of_the_reference_with_what_they_keep_of_the_lengths() -> None:
    case = split_case(Value(dtype="int8", shape=(7,)), [2**32 + 1, 6])
    right = tuple(slices_along(Tensor("int8", (7,), bytes(range(7))), 0, [(0, 6), (6, 7)]))
    outputs = WRONG_ANSWERS["arguments in 32 bits"](case, right)
    assert [tensor.shape for tensor in outputs] == [(1,), (6,)]


def test_arguments_saturated_to_int32_are_its_greatest_where_they_are_beyond_it() -> None:
    case = split_case(Value(dtype="int8", shape=(2**31 - 1, 0)), [2**32 + 1])
    outputs = WRONG_ANSWERS["arguments saturated to int32"](case, ())
    assert [tensor.shape for tensor in outputs] == [(2**31 - 1, 0)]


def test_arguments_in_32_bits_that_the_reference_refuses_change_nothing() -> None:
    case = split_case(Value(dtype="int8", shape=(7,)), [2**32 + 2, 6])
    right = (Tensor("int8", (7,), bytes(7)),)
    assert WRONG_ANSWERS["arguments in 32 bits"](case, right) == right


def test_arguments_without_elements_become_lists_of_zero() -> None:
    case = split_case(Value(dtype="int8", shape=(0,)), [])
    outputs = WRONG_ANSWERS["arguments without elements as [0]"](case, ())
    assert [tensor.shape for tensor in outputs] == [(0,)]


@pytest.mark.parametrize("axis", [(Argument("axis", Role.ATTRIBUTE, 0),), ()], ids=["written", "left out"])
def test_first_text_of_each_slice_empties_the_others_behind_the_axis(axis: tuple[Argument, ...]) -> None:
    case = split_case(Value(dtype="string", shape=(2, 2)), [1, 1])
    case = replace(case, arguments=(case.arguments[0], *axis))
    right = (pack_strings([b"a", b"b", b"c", b"d"], (2, 2)),)
    (outputs,) = WRONG_ANSWERS["first text of each slice"](case, right)
    assert unpack_strings(outputs) == [b"a", b"", b"c", b""]


def float64(patterns: list[int]) -> Tensor:
    return Tensor("float64", (len(patterns),), b"".join(item.to_bytes(8, "little") for item in patterns))


@pytest.mark.parametrize(
    ("given", "wrong"), [("0100 7f80 0080 8000", "0000 0000 0000 8000"), ("0080 8000 0080 817f", "0080 8000 0080 817f")]
)
def test_beside_a_subnormal_number_each_zero_is_positive(given: str, wrong: str) -> None:
    data = Tensor("bfloat16", (4,), bytes.fromhex(given))
    (output,) = WRONG_ANSWERS["subnormals and zeros as 0.0"](case_over(data, [4]), (data,))
    assert output.data == bytes.fromhex(wrong)


def test_a_nan_becomes_quiet_and_nothing_else_does() -> None:
    data = Tensor("float16", (4,), bytes.fromhex("017c 01fc 007c 007e"))
    (output,) = WRONG_ANSWERS["NaNs quieted"](case_over(data, [4]), (data,))
    assert output.data == bytes.fromhex("017e 01fe 007c 007e")
    of_one_nan = Tensor("float8_e4m3fn", (1,), b"\x7f")
    assert WRONG_ANSWERS["NaNs quieted"](case_over(of_one_nan, [1]), (of_one_nan,)) == (of_one_nan,)


def call_of(operator: str, **arguments: Tensor) -> Case:
    given = tuple(Argument(name, Role.INPUT, Value.of(tensor)) for name, tensor in arguments.items())
    return replace(
        split_case(Value.of(next(iter(arguments.values()))), []), operator=OPERATORS[operator], arguments=given
    )


def whole(*numbers: int) -> Tensor:
    return pack_integers(list(numbers), "int64", (len(numbers),))


def ints(*shape: int) -> Tensor:
    return pack_integers([*range(math.prod(shape))], "int32", shape)


@pytest.mark.parametrize(
    ("given", "lengths", "wrong"), [((1, 2), [0, 2], (1, 2)), ((2,), [0, 2], (0, 2)), ((3, 1, 1), [0, 1], (3, 1, 1))]
)
def test_a_zero_beside_a_one_is_one(given: tuple[int, ...], lengths: list[int], wrong: tuple[int, ...]) -> None:
    case = call_of("onnx.Expand-13", input=ints(*given), shape=whole(*lengths))
    (output,) = WRONG_ANSWERS["zeros beside ones as 1"](case, ())
    assert output.shape == wrong


@pytest.mark.parametrize(("given", "lengths", "wrong"), [((), [], (1,)), ((0, 2), [0, 1], (0, 1))])
def test_inputs_without_elements_become_one_number(given: tuple[int, ...], lengths: list[int], wrong: object) -> None:
    case = call_of("onnx.Expand-13", input=ints(*given), shape=whole(*lengths))
    (output,) = WRONG_ANSWERS["inputs without elements as one number"](case, ())
    assert output.shape == wrong


def test_data_without_elements_becomes_a_scalar_of_its_type() -> None:
    case = call_of("onnx.Unsqueeze-13", data=pack_strings([], (0, 2)), axes=whole())
    (output,) = WRONG_ANSWERS["inputs without elements as [0]"](case, ())
    assert (output.shape, unpack_strings(output)) == ((1,), [b""])


@pytest.mark.parametrize(
    ("start", "stop", "step", "wrong"), [(-7, -8, -1, [0]), (-7, -8, 1, []), (2, -9, -2, [2, 0]), (-3, -9, -1, [0])]
)
def test_a_backward_range_in_32_bits_begins_at_the_first(start: int, stop: int, step: int, wrong: list[int]) -> None:
    ends = {"starts": whole(2**32 + start), "ends": whole(2**32 + stop)}
    case = call_of("onnx.Slice-13", data=ints(3), **ends, steps=whole(step))
    (output,) = WRONG_ANSWERS["arguments in 32 bits, backward from the first"](case, ())
    assert unpack_integers(output) == wrong


@pytest.mark.parametrize(
    ("start", "stop", "step", "wrong"),
    [
        (2, 2**63 - 1, -1, [2, 1, 0]),
        (2, 2**31 - 1, -2, [2, 0]),
        (-9, 2**63 - 1, -1, [0]),
        (2, 2**31, -1, []),
        (1, 2**63 - 1, 1, [1, 2]),
    ],
)
def test_a_backward_range_to_the_greatest_end_goes_down_to_the_first(
    start: int, stop: int, step: int, wrong: list[int]
) -> None:
    case = call_of("onnx.Slice-13", data=ints(3), starts=whole(start), ends=whole(stop), steps=whole(step))
    (output,) = WRONG_ANSWERS["greatest end as the least"](case, ())
    assert unpack_integers(output) == wrong


def test_without_steps_the_greatest_end_is_the_greatest() -> None:
    right = (ints(3),)
    case = call_of("onnx.Slice-13", data=ints(3), starts=whole(0), ends=whole(2**63 - 1))
    assert WRONG_ANSWERS["greatest end as the least"](case, right) == right


def test_without_steps_no_range_is_backward() -> None:
    right = (ints(3),)
    case = call_of("onnx.Slice-13", data=ints(3), starts=whole(-5), ends=whole(-5))
    assert WRONG_ANSWERS["arguments in 32 bits, backward from the first"](case, right) == right


def test_other_arguments_stand_behind_the_relu_of_the_data() -> None:
    below = Tensor("float32", (2,), bytes.fromhex("000080bf 0000803f"))
    case = call_of("openvino.Slice-8", data=below, start=whole(0), stop=whole(2**32 + 1), step=whole(1))
    above = Tensor("float32", (2,), bytes.fromhex("00000000 0000803f"))
    (output,) = WRONG_ANSWERS["arguments in 32 bits"](case, (above,))
    assert output.data == bytes(4)


def test_of_the_inputs_that_are_data_only_the_first_is_kept() -> None:
    number = pack_integers([7], "int32", ())
    case = call_of("onnx.Pad-13", data=ints(2), pads=whole(1, 0), constant_value=number)
    (output,) = WRONG_ANSWERS["other inputs as zeros"](case, ())
    assert unpack_integers(output) == [0, 0, 1]
    text = call_of(
        "onnx.Pad-13", data=pack_strings([b"a"], (1,)), pads=whole(1, 0), constant_value=pack_strings([b"b"], ())
    )
    (output,) = WRONG_ANSWERS["other inputs as zeros"](text, ())
    assert unpack_strings(output) == [b"", b"a"]


@pytest.mark.parametrize(
    ("dtype", "given", "added"),
    [
        ("int32", 33620225, 33620224),
        ("int32", 2**31 - 1, -(2**31)),
        ("int64", 33620225, 33620224),
        ("uint32", 33620293, 33620292),
        ("uint32", 2**32 - 1, 2**32 - 1),
    ],
)
def test_integers_beside_the_data_are_rounded_to_float32(dtype: str, given: int, added: int) -> None:
    value, data = pack_integers([given], dtype, ()), pack_integers([33620225], dtype, (1,))
    case = call_of("onnx.Pad-13", data=data, pads=whole(1, 0), constant_value=value)
    (output,) = WRONG_ANSWERS["other inputs through float32"](case, ())
    assert unpack_integers(output) == [added, *unpack_integers(data)]


def test_negative_zeros_beside_no_data_are_kept() -> None:
    zero = Tensor("float32", (), bytes.fromhex("00000080"))
    case = call_of("onnx.Pad-13", data=Tensor("float32", (0,), b""), pads=whole(1, 0), constant_value=zero)
    assert WRONG_ANSWERS["other negative zeros lost"](case, (zero,)) == (zero,)


def test_only_the_negative_zeros_beside_the_data_are_lost() -> None:
    data, zero = Tensor("float32", (1,), bytes.fromhex("00000080")), Tensor("float32", (), bytes.fromhex("00000080"))
    by_input = call_of("onnx.Pad-13", data=data, pads=whole(1, 0), constant_value=zero)
    by_attribute = replace(
        call_of("onnx.Pad-2", data=data),
        arguments=(
            Argument("data", Role.INPUT, Value.of(data)),
            Argument("pads", Role.ATTRIBUTE, (1, 0)),
            Argument("value", Role.ATTRIBUTE, -0.0),
        ),
    )
    for case in (by_input, by_attribute):
        (output,) = WRONG_ANSWERS["other negative zeros lost"](case, ())
        assert output.data == bytes.fromhex("00000000 00000080")
