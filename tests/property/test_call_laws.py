"""Laws of every operator of the suite, on calls that its page allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from drawn import FAMILIES, calls_of, tensors
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.authoring.made_rows import made_case_file
from conformance.judge.explain import explain
from conformance.judge.judge import judge
from conformance.judge.wrong_answer import WRONG_ANSWERS, is_wrong_answer, wrong_answers
from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.protocol.outcome import Crashed, Produced, RejectedOutcome, Stage
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import Case, call_arguments, due_outputs
from conformance.spec.check import Check, forms_of, steps_of
from conformance.spec.condition import facts_of, holds
from conformance.spec.law import lawful_outputs, lawful_shapes
from conformance.spec.operator import Role
from conformance.spec.reference import evaluate
from conformance.spec.verdict import Verdict
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.tensor import Tensor, has_same_bits, outputs_digest, unpack_strings, zero_of

pytestmark = pytest.mark.slow

CALLS = st.sampled_from(FAMILIES).flatmap(calls_of)
FEW = settings(max_examples=30)


def answers_of(case: Case) -> tuple[Tensor, ...]:
    """The outputs that the page requires."""
    return evaluate(case.operator.id, call_arguments(case), case.declared_outputs)


def elements_of(tensor: Tensor) -> Counter[bytes]:
    if tensor.dtype == "string":
        return Counter(unpack_strings(tensor))
    size, data = tensor.element_type.itemsize, bytes(tensor.data)
    return Counter(data[at : at + size] for at in range(0, len(data), size))


def changed(tensor: Tensor, element: int, bit: int) -> Tensor:
    """The tensor with one bit of an element flipped."""
    content = bytearray(tensor.data)
    content[element * tensor.element_type.itemsize + bit // 8] ^= 1 << (bit % 8)
    return replace(tensor, data=bytes(content))


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
@settings(max_examples=15)
def test_the_law_gives_what_the_reference_gives(family: str, data: st.DataObject) -> None:
    case = data.draw(calls_of(family))
    assert lawful_outputs(case.operator, call_arguments(case), case.declared_outputs) == answers_of(case)


@FEW
@given(CALLS)
def test_the_law_tells_shapes_without_elements(case: Case) -> None:
    shapes = lawful_shapes(case.operator, call_arguments(case), case.declared_outputs)
    assert list(map(tuple, shapes)) == [output.shape for output in answers_of(case)]


@FEW
@given(CALLS)
def test_a_call_has_one_answer(case: Case) -> None:
    assert answers_of(case) == answers_of(case) == due_outputs(case)


@FEW
@given(CALLS)
def test_outputs_hold_elements_of_the_inputs_and_zeros_alone(case: Case) -> None:
    values = [value.tensor() for value in case.data_inputs.values()]
    known = {element for value in values for element in elements_of(value)}
    known |= {element for value in values for element in elements_of(zero_of(value))}
    others = [value for name, value in call_arguments(case).items() if "value" in name and isinstance(value, Tensor)]
    known |= {element for value in others for element in elements_of(value)}
    came = {element for output in answers_of(case) for element in elements_of(output)}
    assume(not any(one.role is Role.ATTRIBUTE and "value" in one.name for one in case.arguments))
    assume("reduction" not in {one.name for one in case.arguments})
    assert came <= known


@FEW
@given(CALLS)
def test_outputs_have_the_type_of_the_data(case: Case) -> None:
    assert case.data is not None
    assert {output.dtype for output in answers_of(case)} <= {case.data.dtype}


@FEW
@given(CALLS)
def test_right_bits_pass_in_every_form(case: Case) -> None:
    for form in forms_of(case):
        steps = steps_of(case, form)
        assert judge(steps, Produced(runs=tuple(map(due_outputs, steps)))).verdict is Verdict.PASS


@FEW
@given(CALLS)
def test_every_form_asks_for_an_answer_that_the_page_gives(case: Case) -> None:
    """Also of the other calls that a form makes of the case."""
    for form in forms_of(case):
        for step in steps_of(case, form):
            if any(value is not None and value.data is None for value in step.data_inputs.values()):
                assert due_outputs(step) == answers_of(step), form


@FEW
@given(CALLS)
def test_forms_of_the_same_call_ask_for_the_same_answer(case: Case) -> None:
    for form in forms_of(case):
        steps = steps_of(case, form)
        if len(steps) == 1 and call_arguments(steps[0]) == call_arguments(case):
            assert outputs_digest([due_outputs(steps[0])]) == outputs_digest([due_outputs(case)]), form


@FEW
@given(CALLS)
def test_chosen_forms_are_those_of_all_that_were_chosen(case: Case) -> None:
    every = forms_of(case)
    assert list(every) == sorted(every, key=list(Form).index)
    for form in Form:
        assert forms_of(case, [form]) == ((form,) if form in every else ())


@FEW
@given(st.data(), CALLS)
def test_flipping_any_bit_of_any_output_is_a_wrong_result(data: st.DataObject, case: Case) -> None:
    outputs = list(answers_of(case))
    filled = [number for number, output in enumerate(outputs) if output.size and output.dtype != "string"]
    assume(filled)
    number = data.draw(st.sampled_from(filled))
    output = outputs[number]
    element, bit = data.draw(st.integers(0, output.size - 1)), data.draw(st.integers(0, output.element_type.bits - 1))
    outputs[number] = changed(output, element, bit)
    judgement = judge([case], Produced(runs=(tuple(outputs),)))
    assert judgement.verdict is Verdict.WRONG_RESULT
    assert judgement.cause
    assert judgement.explanation


@FEW
@given(CALLS)
def test_outputs_in_another_order_are_a_wrong_result(case: Case) -> None:
    outputs = answers_of(case)
    for order in list(permutations(outputs[:4]))[:6]:
        came = (*order, *outputs[4:])
        verdict = judge([case], Produced(runs=(came,))).verdict
        is_same = all(map(has_same_bits, came, outputs)) and [one.shape for one in came] == [o.shape for o in outputs]
        assert verdict is (Verdict.PASS if is_same else Verdict.WRONG_RESULT)


@FEW
@given(CALLS)
def test_an_output_more_or_less_is_a_wrong_result(case: Case) -> None:
    outputs = answers_of(case)
    for came in (outputs[:-1], (*outputs, outputs[0])):
        assert judge([case], Produced(runs=(came,))).verdict is Verdict.WRONG_RESULT


@FEW
@given(CALLS)
def test_the_same_bits_in_another_shape_are_a_wrong_result(case: Case) -> None:
    first, *others = answers_of(case)
    longer = replace(first, shape=(*first.shape, 1))
    assert judge([case], Produced(runs=((longer, *others),))).verdict is Verdict.WRONG_RESULT


@FEW
@given(st.data(), CALLS)
def test_the_same_bits_of_another_type_are_a_wrong_result(data: st.DataObject, case: Case) -> None:
    first, *others = answers_of(case)
    alike = [
        name for name, kind in DTYPES.items() if kind.itemsize == first.element_type.itemsize and name != first.dtype
    ]
    assume(alike)
    other = replace(first, dtype=data.draw(st.sampled_from(alike)))
    assert judge([case], Produced(runs=((other, *others),))).verdict is Verdict.WRONG_RESULT


@FEW
@given(CALLS, st.sampled_from(Stage), st.text(max_size=20))
def test_a_refused_valid_call_is_a_failure_whatever_is_said(case: Case, stage: Stage, message: str) -> None:
    assert judge([case], RejectedOutcome(stage=stage, message=message)).verdict is Verdict.REJECTED_VALID


@FEW
@given(CALLS, st.sampled_from([None, *Stage]), st.sampled_from(["SIGSEGV", "SIGABRT", "exit code 3"]))
def test_a_crash_is_a_failure_in_every_stage(case: Case, stage: Stage | None, death: str) -> None:
    assert judge([case], Crashed(death=death, stage=stage)).verdict is Verdict.CRASHED


@FEW
@given(CALLS, st.lists(tensors(), max_size=4))
def test_any_outputs_are_judged_recorded_and_explained_alike_twice(case: Case, outputs: list[Tensor]) -> None:
    outcome = Produced(runs=(tuple(outputs),))
    check = Check(case, Form.CONSTANT)
    first, second = (record_of(check, "toy@1", outcome, []) for _ in range(2))
    assert first == second
    assert first.judged is judge([case], outcome).verdict
    if first.judged is Verdict.WRONG_RESULT:
        assert explain([case], [outputs]) == (first.cause, first.explanation)


@FEW
@given(st.data(), CALLS)
def test_a_named_fault_is_told_by_its_name_and_never_for_the_right_answer(data: st.DataObject, case: Case) -> None:
    name = data.draw(st.sampled_from(sorted(WRONG_ANSWERS)))
    right = outputs_digest([answers_of(case)])
    for wrong in wrong_answers(name, [case]):
        digest = outputs_digest(wrong)
        assert is_wrong_answer([name], [case], digest)
        assert digest != right or name == "other shape inferred"
    assert not is_wrong_answer([name], [case], right) or name == "other shape inferred"


@FEW
@given(CALLS)
def test_a_case_file_gives_back_the_call_that_was_written(case: Case) -> None:
    _, (read,) = made_case_file("a", [(case, "made", Form.CONSTANT, "")])
    assert (call_arguments(read), read.declared_outputs) == (call_arguments(case), case.declared_outputs)
    assert due_outputs(read) == due_outputs(case)


@FEW
@given(CALLS)
def test_a_call_without_its_data_breaks_a_clause(case: Case) -> None:
    data = case.operator.data[0]
    given_without = {name: value for name, value in call_arguments(case).items() if not name.startswith(data)}
    with pytest.raises(BrokenClauseError) as raised:
        evaluate(case.operator.id, given_without, case.declared_outputs)
    assert raised.value.clause


CONDITIONS = st.sampled_from(
    ["True", "1 < 0", "declared == 1", "declared > 1", "version > 11", "data_type == 'float32'", "size(inputs) > 1",
     "rank(data) > 2", "rank(data) == 0", "0 in data.shape", "surplus_inputs > 0"]
)  # fmt: skip


@FEW
@given(CALLS, CONDITIONS, CONDITIONS)
def test_conditions_follow_the_laws_of_logic(case: Case, one: str, other: str) -> None:
    def is_true(text: str) -> bool:
        return holds(text, facts_of(case))

    assert is_true(f"not ({one})") is not is_true(one)
    assert is_true(f"({one}) and ({other})") is (is_true(one) and is_true(other))
    assert is_true(f"({one}) or ({other})") is (is_true(one) or is_true(other))
    assert is_true(f"not (({one}) and ({other}))") is is_true(f"not ({one}) or not ({other})")


@FEW
@given(CALLS)
def test_conditions_read_what_the_call_has(case: Case) -> None:
    assert case.data is not None
    facts = facts_of(case)
    assert holds(f"data_type == '{case.data.dtype}'", facts)
    assert holds(f"rank(data) == {len(case.data.shape)}", facts)
    assert holds(f"data.shape == {list(case.data.shape)}", facts)
    assert holds(f"version == {case.operator.version} and declared == {case.declared_outputs}", facts)
