from __future__ import annotations

import numpy as np
import pytest
from asking import Answers, answers_of
from onnx import helper
from packaging.version import Version

from conformance.adapter import Call, Input, Tensor
from conformance.adapter_file import target_from_text
from conformance.form import Form
from conformance.suite import bundled_folder
from conformance.tensor import numpy_dtype
from conformance.verdict import Verdict
from conformance.worker import load_adapter

pytestmark = pytest.mark.frameworks

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
    "openvino.VariadicSplit-1/axis-no-integer[axis=float32]",
    "openvino.VariadicSplit-1/special-values-with-nans[dtype=bfloat16]",
)


@pytest.fixture(scope="module")
def onnxruntime(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return answers_of("onnxruntime", CASES, tmp_path_factory.mktemp("ort"), {"onnx/Split/strings.yaml": STRINGS})


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


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("onnx.Split-1/written-vector", "Could not find an implementation"),
        ("onnx.Split-13/special-values-with-nans[dtype=complex64]", "not currently registered or supported"),
    ],
)
def test_what_it_has_no_kernel_or_type_for_is_unsupported(onnxruntime: Answers, case: str, words: str) -> None:
    record = onnxruntime.to(case)
    assert record.verdict is Verdict.UNSUPPORTED
    assert words in record.message


@pytest.mark.parametrize("dtype", ["int4", "float8_e5m2"])
def test_a_type_that_the_binding_lacks_is_refused_by_the_framework_itself(onnxruntime: Answers, dtype: str) -> None:
    record = onnxruntime.to(f"onnx.Split-13/type-in-no-list[dtype={dtype}]")
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")


@pytest.mark.parametrize(("dtype", "number"), [("uint4", 21), ("int4", 22), ("uint2", 25), ("int2", 26)])
def test_elements_of_less_than_a_byte_go_in_and_out(dtype: str, number: int) -> None:
    """No version of Split takes them, so that a Cast to the type that they have is asked."""
    ports = [helper.make_tensor_value_info(name, number, [3]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Cast", ["x"], ["y"], to=number)], "case", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)
    data = Input(name="x", dtype=dtype, dims=(3,))
    call = Call(
        operator="onnx.Cast-25", attributes={}, inputs=(data,), declared_outputs=1, model=model.SerializeToString()
    )
    options = target_from_text("onnxruntime").all_options
    prepared = load_adapter(bundled_folder("adapters") / "onnxruntime", options).prepare(call)
    (output,) = prepared.run({"x": np.array([1, 0, 1], np.uint8).view(numpy_dtype(dtype))})
    assert output == Tensor(dtype, (3,), b"\1\0\1")


def test_axes_of_half_bytes_are_constants_of_the_model(onnxruntime: Answers) -> None:
    """Only what comes at run time goes through the Python interface."""
    assert onnxruntime.to("openvino.Split-1/axis-of-each-type[axis_type=int4]").verdict is Verdict.PASS


def test_outputs_of_a_call_outlive_the_next_one(onnxruntime: Answers) -> None:
    record = onnxruntime.to("onnx.Split-13/lengths[data=inner,cut=rising]", Form.SECOND_CALL)
    assert (record.verdict, record.aliases_input) == (Verdict.PASS, False)


def test_a_record_names_the_provider_that_got_the_node(onnxruntime: Answers) -> None:
    assert onnxruntime.to(VECTOR).ran_on == "CPUExecutionProvider"


@pytest.mark.parametrize(
    ("case", "lowered"),
    [
        (VECTOR, ""),
        ("openvino.VariadicSplit-1/axis-of-cube[axis=1]", "as ONNX Split-13"),
        (
            "openvino.VariadicSplit-1/remainder[axis=-1,cut=middle]",
            "as ONNX Split-13, -1 resolved by the lowering",
        ),
    ],
)
def test_what_stood_in_between_is_said(onnxruntime: Answers, case: str, lowered: str) -> None:
    record = onnxruntime.to(case)
    assert (record.verdict, record.lowered) == (Verdict.PASS, lowered)


def test_a_check_of_the_lowering_is_not_put_down_to_onnx_runtime(onnxruntime: Answers) -> None:
    record = onnxruntime.to("openvino.VariadicSplit-1/axis-no-integer[axis=float32]")
    assert record.verdict is Verdict.NOT_EXPRESSIBLE


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
