from __future__ import annotations

import pytest
from asking import Answers, answers_of, shared_answers
from gallery import MadeOnce
from packaging.version import Version

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

VECTOR = "onnx.Split-13/written-vector"
STRINGS = """
operator: onnx.Split
about: No strings at all.
cases:
  - id: strings-without-elements
    versions: ">=13"
    clauses: [types.T]
    arguments: {input: {dtype: string, shape: [0, 3]}, axis: 0, split: [0, 0]}
    outputs: ["0:0", "0:0"]
"""
REFUSED = {
    "openvino.VariadicSplit-1/axis-no-integer[axis=float32]": "Mismatched attribute type",
    "openvino.VariadicSplit-1/surplus-input": "has input size 3 not in range",
    "openvino.VariadicSplit-1/lengths-as-attribute": "Unrecognized attribute: split_lengths",
    "openvino.VariadicSplit-1/no-data": "input 0 is marked single but has an empty string",
    "openvino.Split-1/num-splits-out-of-range[count=0]": "has output size 0 not in range",
}
CASES = (
    VECTOR,
    "onnx.Split-13/special-values-with-nans[dtype=bfloat16]",
    "onnx.Split-13/special-values-with-nans[dtype=float16]",
    "onnx.Split-13/special-values-with-nans[dtype=float32]",
    "onnx.Split-13/special-values-with-nans[dtype=complex64]",
    "onnx.Split-13/written-strings",
    "onnx.Split-13/strings-without-elements",
    "onnx.Split-13/sum-too-small[cut=one-short]",
    "onnx.Split-13/lengths[data=inner,cut=rising]",
    "onnx.Split-13/type-in-no-list[dtype=int4]",
    "onnx.Split-13/type-in-no-list[dtype=float8_e5m2]",
    "onnx.Split-1/written-vector",
    "openvino.Split-1/axis-of-each-type[axis_type=int4]",
    "openvino.VariadicSplit-1/axis-of-cube[axis=1]",
    "openvino.VariadicSplit-1/remainder[axis=-1,cut=middle]",
    "openvino.VariadicSplit-1/two-remainders[lengths=alone]",
    "openvino.VariadicSplit-1/no-axis",
    *REFUSED,
    "openvino.VariadicSplit-1/special-values-with-nans[dtype=bfloat16]",
)


@pytest.fixture(scope="module")
def onnxruntime(made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "onnxruntime", "onnxruntime", CASES, {"onnx/Split/strings.yaml": STRINGS})


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.DYNAMIC], ids=lambda form: form.value)
def test_nans_keep_every_bit(onnxruntime: Answers, dtype: str, form: Form) -> None:
    """NumPy has no bfloat16: it goes in and out as bytes with an element type."""
    record = onnxruntime.to(f"onnx.Split-13/special-values-with-nans[dtype={dtype}]", form)
    assert record.interpretation == "payload-kept", record.explanation


def test_strings_go_in_and_out_whatever_they_are_written_in(onnxruntime: Answers) -> None:
    assert onnxruntime.to("onnx.Split-13/written-strings").verdict is Verdict.PASS


def test_no_strings_at_all_go_in_and_out(onnxruntime: Answers) -> None:
    assert onnxruntime.to("onnx.Split-13/strings-without-elements").verdict is Verdict.PASS


def test_a_refusal_carries_the_words_of_onnx_runtime(onnxruntime: Answers) -> None:
    record = onnxruntime.to("onnx.Split-13/sum-too-small[cut=one-short]")
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")
    assert "ONNXRuntimeError" in record.message


@pytest.mark.parametrize(("case", "words"), REFUSED.items())
def test_arguments_that_onnx_does_not_have_are_refused_by_onnx_runtime_itself(
    onnxruntime: Answers, case: str, words: str
) -> None:
    record = onnxruntime.to(case)
    assert record.verdict is Verdict.PASS
    assert words in record.message


def test_lengths_that_onnx_forbids_too_are_refused_by_onnx_runtime_itself(onnxruntime: Answers) -> None:
    record = onnxruntime.to("openvino.VariadicSplit-1/two-remainders[lengths=alone]")
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")


@pytest.mark.parametrize("form", [Form.DYNAMIC, Form.SECOND_CALL], ids=lambda form: form.value)
def test_a_rest_that_no_model_knows_is_resolved_by_other_operators(onnxruntime: Answers, form: Form) -> None:
    record = onnxruntime.to("openvino.VariadicSplit-1/remainder[axis=-1,cut=middle]", form)
    assert record.verdict is Verdict.PASS
    assert "-1 resolved by other operators of ONNX" in record.lowered


def test_onnx_runtime_says_its_version(onnxruntime: Answers) -> None:
    assert Version(onnxruntime.target.version) >= Version("1.31")
    assert onnxruntime.target.name == f"onnxruntime@{onnxruntime.target.version}"


def test_a_provider_that_is_not_there_is_no_silent_fallback(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = "onnxruntime[provider=NoSuchExecutionProvider]"
    answers = answers_of(target, [VECTOR], tmp_path_factory.mktemp("provider"))
    assert "this ONNX Runtime has no provider 'NoSuchExecutionProvider'; it has" in answers.target.problem
    assert answers.to(VECTOR).verdict is Verdict.NOT_RUN


def test_a_provider_that_leaves_the_node_to_another_does_not_pass(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = "onnxruntime[provider=AzureExecutionProvider]"
    answers = answers_of(target, [VECTOR], tmp_path_factory.mktemp("azure"))
    if answers.target.problem:
        pytest.skip("this build of ONNX Runtime has no provider that takes no Split")
    record = answers.to(VECTOR)
    assert record.verdict is Verdict.UNSUPPORTED
    assert record.message == "AzureExecutionProvider leaves the operator to CPUExecutionProvider"


def test_without_optimization_it_is_another_target_with_the_same_answers(
    onnxruntime: Answers, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cases = [VECTOR, "onnx.Split-13/sum-too-small[cut=one-short]", "openvino.VariadicSplit-1/remainder[axis=-1,*"]
    answers = answers_of("onnxruntime[optimization=disabled]", cases, tmp_path_factory.mktemp("disabled"))
    assert answers.target.name == f"onnxruntime@{onnxruntime.target.version}[optimization=disabled]"
    assert {record.verdict for record in answers.records.values()} == {Verdict.PASS, Verdict.NOT_EXPRESSIBLE}
