from __future__ import annotations

import pytest
from drawn import cuts, tensors
from hypothesis import assume, given
from hypothesis import strategies as st
from split_cases import split_case, value_of

from conformance.judge.explain import explain
from conformance.judge.judge import Exact, differences_of, judge
from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.protocol.outcome import Produced
from conformance.spec.case import Case, Parts, Value, expected_outputs
from conformance.spec.check import Check, forms_of, steps_of
from conformance.spec.verdict import Verdict
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, pack_strings, unpack_strings

pytestmark = pytest.mark.slow

NUMERIC = [name for name, dtype in DTYPES.items() if dtype.itemsize]


def right_answer(case: Case, form: Form = Form.CONSTANT) -> list[tuple[Tensor, ...]]:
    assert isinstance(case.expectation, Parts)
    return [expected_outputs(call.expectation, call) for call in steps_of(case, form)]


@given(cuts())
def test_right_bits_pass_in_every_form(case: Case) -> None:
    for form in forms_of(case):
        outcome = Produced(runs=tuple(right_answer(case, form)))
        assert judge(steps_of(case, form), outcome).verdict is Verdict.PASS


@given(st.data(), cuts())
def test_flipping_any_meaningful_bit_of_any_output_is_a_wrong_result(data: st.DataObject, case: Case) -> None:
    (outputs,) = right_answer(case)
    index = data.draw(st.integers(0, len(outputs) - 1))
    output = outputs[index]
    assume(output.size and output.dtype != "string")
    kind, content = output.element_type, bytearray(output.data)
    element, bit = data.draw(st.integers(0, output.size - 1)), data.draw(st.integers(0, kind.bits - 1))
    content[element * kind.itemsize + bit // 8] ^= 1 << (bit % 8)
    wrong = (*outputs[:index], Tensor(output.dtype, output.shape, bytes(content)), *outputs[index + 1 :])
    judgement = judge([case], Produced(runs=(wrong,)))
    assert judgement.verdict is Verdict.WRONG_RESULT
    assert [difference.output for difference in judgement.differences] == [index]
    assert judgement.cause
    assert judgement.explanation


@given(st.data(), cuts())
def test_flipping_unused_bits_changes_nothing(data: st.DataObject, case: Case) -> None:
    (outputs,) = right_answer(case)
    assume(0 < outputs[0].element_type.bits < 8)
    unused = 0xFF & ~((1 << outputs[0].element_type.bits) - 1)
    noisy = tuple(
        Tensor(t.dtype, t.shape, bytes(byte ^ data.draw(st.integers(0, 255)) & unused for byte in bytes(t.data)))
        for t in outputs
    )
    assert judge([case], Produced(runs=(noisy,))).verdict is Verdict.PASS


@given(st.data())
def test_changing_any_string_is_a_wrong_result(data: st.DataObject) -> None:
    strings = split_case(Value(dtype="string", shape=(5,)), [2, 3])
    (outputs,) = right_answer(strings)
    items = unpack_strings(outputs[1])
    changed = data.draw(st.lists(st.binary(max_size=4), min_size=3, max_size=3).filter(lambda new: new != items))
    outcome = Produced(runs=((outputs[0], pack_strings(changed, (3,))),))
    assert judge([strings], outcome).verdict is Verdict.WRONG_RESULT


@given(cuts(), st.lists(tensors(), max_size=5))
def test_any_outputs_are_judged_and_explained(case: Case, outputs: list[Tensor]) -> None:
    expected = right_answer(case)[0]
    judgement = judge([case], Produced(runs=(tuple(outputs),)))
    is_right = not differences_of(Exact(), expected, outputs, 0)
    assert judgement.verdict is (Verdict.PASS if is_right else Verdict.WRONG_RESULT)
    assert bool(judgement.cause) is not is_right


@given(st.data(), cuts())
def test_any_values_in_the_right_shapes_are_explained(data: st.DataObject, case: Case) -> None:
    """The causes that look at bits, and not at counts and shapes."""
    (expected,) = right_answer(case)
    assume(expected[0].dtype != "string")
    outputs = []
    for tensor in expected:
        size = len(tensor.data)
        content = data.draw(st.one_of(st.binary(min_size=size, max_size=size), st.just(bytes(tensor.data))))
        outputs.append(Tensor(tensor.dtype, tensor.shape, content))
    assume(differences_of(Exact(), expected, outputs, 0))
    assert isinstance(case.expectation, Parts)
    cause, sentence = explain([case], [outputs])
    assert cause
    assert sentence


@given(st.sampled_from(NUMERIC), st.data())
def test_any_answer_to_a_second_call_can_be_recorded(dtype: str, data: st.DataObject) -> None:
    case = split_case(Value(dtype=dtype, shape=(2, 3)), [1, 2], axis=1)
    outputs = tuple(data.draw(st.lists(tensors(), max_size=3)))
    first, second, third = right_answer(case, Form.SECOND_CALL)
    answers = [(first, outputs, third), (outputs, second, third), (outputs, outputs, outputs), (outputs,), ()]
    runs = data.draw(st.sampled_from(answers))
    item = record_of(Check(case, Form.SECOND_CALL), "toy@1", Produced(runs=runs), [])
    assert item.verdict in (Verdict.PASS, Verdict.WRONG_RESULT, Verdict.HARNESS_ERROR)


@given(tensors(st.sampled_from(NUMERIC)))
def test_described_tensor_is_itself(tensor: Tensor) -> None:
    assert differences_of(Exact(), [tensor], [value_of(tensor).tensor()], 0) == ()
