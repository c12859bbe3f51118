from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from asking import Answers, answers_of, shared_answers
from gallery import MadeOnce
from packaging.version import Version

from conformance.adapter import NotExpressible, Rejected, Unsupported
from conformance.protocol.form import Form
from conformance.protocol.outcome import Stage
from conformance.spec.verdict import Verdict
from conformance.suite.suite import bundled_folder

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

VARIADIC, SPLIT = "openvino.VariadicSplit-1", "openvino.Split-1"
NF4 = f"{VARIADIC}/nf4-without-elements"
ELEMENTS = """
operator: openvino.VariadicSplit
about: Strings and other elements that go in and out, and some that cannot.
cases:
  - id: strings-whole
    clauses: [types.T1]
    arguments: {data: {dtype: string, values: ["naïve", "漢字", ""]}, axis: 0, split_lengths: [3]}
    outputs: [["naïve", "漢字", ""]]
  - id: strings-without-characters
    clauses: [types.T1]
    arguments: {data: {dtype: string, values: [""]}, axis: 0, split_lengths: [1]}
    outputs: [[""]]
  - id: strings-without-elements
    clauses: [types.T1]
    arguments: {data: {dtype: string, shape: [0, 3]}, axis: 0, split_lengths: [0, 0]}
    outputs: ["0:0", "0:0"]
  - id: string-with-nul
    clauses: [types.T1]
    arguments: {data: {dtype: string, values: ["a\\0"]}, axis: 0, split_lengths: [1]}
    outputs: [["a\\0"]]
  - id: data-in-pieces
    clauses: [outputs.values]
    forms: [strided, transposed]
    arguments: {data: {dtype: $dtype, shape: [3, 4]}, axis: 1, split_lengths: [1, 3]}
    matrix: {dtype: [float32, int64, string, int4, bfloat16]}
    outputs: ["0:1", "1:4"]
  - id: nf4-without-elements
    clauses: [outputs.values]
    forms: [runtime-dynamic]
    arguments: {data: {dtype: nf4, shape: [0, 1, 1, 1, 1, 1, 1, 1, 2]}, axis: 0, split_lengths: [0]}
    outputs: ["0:0"]
"""
NEGATIVE = """
operator: onnx.Reshape
about: A length below -1 for data without elements.
cases:
  - id: negative-length-for-no-elements
    versions: "==14"
    clauses: [shape.range]
    forms: [runtime]
    arguments: {data: {dtype: $dtype, shape: [0, 3]}, shape: [0, -2]}
    matrix: {dtype: [float32, string, bfloat16]}
    rejected: shape.range
"""
CASES = (
    f"{VARIADIC}/special-values-with-nans[dtype=bfloat16]",
    f"{VARIADIC}/special-values-with-nans[dtype=float32]",
    f"{VARIADIC}/special-values-with-nans[dtype=float8_e5m2]",
    f"{VARIADIC}/data-of-each-type[dtype=float8_e8m0fnu]",
    f"{VARIADIC}/data-of-each-type[dtype=int4]",
    f"{VARIADIC}/data-of-each-type[dtype=uint1]",
    f"{VARIADIC}/written-half-bytes",
    f"{VARIADIC}/strings-*",
    f"{VARIADIC}/string-with-nul",
    f"{VARIADIC}/data-in-pieces[*",
    f"{VARIADIC}/empty-list-of-lengths",
    f"{VARIADIC}/sum-differs[cut=one-short]",
    f"{VARIADIC}/axis-of-cube[axis=1]",
    f"{VARIADIC}/remainder[axis=-1,cut=middle]",
    f"{VARIADIC}/lengths-of-each-type[integer=int4]",
    f"{SPLIT}/num-splits-no-whole-number[count=fraction]",
    f"{SPLIT}/written-half-bytes",
    "onnx.Split-18/lengths-and-num-outputs[lengths=other]",
    "onnx.Split-13/written-middle-axis",
    f"{VARIADIC}/graphs-of-each-type[dtype=float32]",
    f"{SPLIT}/raw-bits-folded-in-one-part[*",
    f"{SPLIT}/raw-bits-written-out[data=u*",
    NF4,
    "onnx.Reshape-14/negative-length-for-no-elements[*",
)


@pytest.fixture(scope="module")
def openvino(made_once: MadeOnce) -> Answers:
    more = {"openvino/VariadicSplit/elements.yaml": ELEMENTS, "onnx/Reshape/negative.yaml": NEGATIVE}
    return shared_answers(made_once, "openvino", "openvino", CASES, more)


@pytest.fixture(scope="module")
def openvino_ir(made_once: MadeOnce) -> Answers:
    cases = [case for case in CASES if not any(word in case for word in ("string", "pieces", "negative", "nf4"))]
    return shared_answers(made_once, "openvino-ir", "openvino[route=ir]", cases)


@pytest.fixture(scope="module")
def rejections() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "rejections", bundled_folder("adapters") / "openvino" / "rejections.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float8_e5m2"])
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.RUNTIME_DYNAMIC], ids=lambda form: form.value)
def test_nans_keep_every_bit(openvino: Answers, dtype: str, form: Form) -> None:
    """The binding calls a bfloat16 output float16, and an 8-bit one uint8."""
    record = openvino.to(f"{VARIADIC}/special-values-with-nans[dtype={dtype}]", form)
    assert record.interpretation == "payload-kept", record.explanation


def test_a_type_that_numpy_lacks_comes_back_as_what_it_is(openvino: Answers) -> None:
    assert openvino.to(f"{VARIADIC}/data-of-each-type[dtype=float8_e8m0fnu]").verdict is Verdict.PASS


@pytest.mark.parametrize("case", [f"{VARIADIC}/written-half-bytes", f"{SPLIT}/written-half-bytes"])
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.RUNTIME_DYNAMIC], ids=lambda form: form.value)
def test_half_bytes_are_packed_and_unpacked_in_order(openvino: Answers, case: str, form: Form) -> None:
    assert openvino.to(case, form).verdict is Verdict.PASS


@pytest.mark.parametrize("dtype", ["nf4", "uint3", "uint6"])
@pytest.mark.parametrize("size", ["within", "whole"])
@pytest.mark.parametrize("target", ["openvino", "openvino_ir"])
def test_raw_bits_go_in_and_come_out_as_they_are(
    target: str, dtype: str, size: str, request: pytest.FixtureRequest
) -> None:
    answers: Answers = request.getfixturevalue(target)
    record = answers.to(f"{SPLIT}/raw-bits-folded-in-one-part[dtype={dtype},size={size}]", Form.CONSTANT_FOLDED)
    assert record.verdict is Verdict.PASS, record.explanation


@pytest.mark.parametrize(("dtype", "name"), [("uint3", "u3"), ("uint6", "u6")])
def test_u3_and_u6_are_none_of_the_cpus_inputs(openvino: Answers, dtype: str, name: str) -> None:
    record = openvino.to(f"{SPLIT}/raw-bits-written-out[data={dtype}]")
    assert record.verdict is Verdict.UNSUPPORTED
    assert f"Input image format {name} is not supported yet" in record.explanation


def test_nf4_without_elements_is_split(openvino: Answers) -> None:
    assert openvino.to(NF4, Form.RUNTIME_DYNAMIC).verdict is Verdict.PASS


def test_the_unused_bits_of_an_odd_number_of_half_bytes_do_not_count(openvino: Answers) -> None:
    assert openvino.to(f"{VARIADIC}/data-of-each-type[dtype=int4]").verdict is Verdict.PASS


def test_strings_go_in_and_out_whatever_they_are_written_in(openvino: Answers) -> None:
    for case in ("strings-whole", "strings-without-characters"):
        assert openvino.to(f"{VARIADIC}/{case}").verdict is Verdict.PASS


@pytest.mark.parametrize("form", [Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC], ids=lambda form: form.value)
def test_no_strings_at_all_are_read_without_the_binding(openvino: Answers, form: Form) -> None:
    """It divides by zero when it is asked for them."""
    assert openvino.to(f"{VARIADIC}/strings-without-elements", form).verdict is Verdict.PASS


def test_a_string_that_the_binding_would_cut_is_not_expressible(openvino: Answers) -> None:
    record = openvino.to(f"{VARIADIC}/string-with-nul")
    assert record.verdict is Verdict.NOT_EXPRESSIBLE
    assert record.message == "OpenVINO's Python binding drops the NULs at the end of a string"


@pytest.mark.parametrize("dtype", ["float32", "string", "bfloat16"])
def test_a_negative_dim_is_what_openvino_answered(openvino: Answers, dtype: str) -> None:
    record = openvino.to(f"onnx.Reshape-14/negative-length-for-no-elements[dtype={dtype}]", Form.RUNTIME)
    assert record.explanation == f"the call violates shape.range; the framework returned {dtype}[0, -2]"


def test_an_error_of_a_kernel_is_not_lost_with_one_thread(openvino: Answers) -> None:
    assert openvino.target.details["CPU INFERENCE_NUM_THREADS"] == "1"
    record = openvino.to(f"{VARIADIC}/sum-differs[cut=one-short]", Form.RUNTIME)
    assert (record.outcome, record.stage) == ("rejected", Stage.RUNNING)


def test_an_input_that_the_frontend_drops_is_not_fed(openvino: Answers) -> None:
    assert openvino.to("onnx.Split-18/lengths-and-num-outputs[lengths=other]", Form.RUNTIME).outcome == "produced"


@pytest.mark.parametrize("case", [f"{VARIADIC}/axis-of-cube[axis=1]", f"{VARIADIC}/remainder[axis=-1,cut=middle]"])
def test_outputs_of_a_call_outlive_the_next_one(openvino: Answers, case: str) -> None:
    assert openvino.to(case, Form.SECOND_CALL).verdict is Verdict.PASS


def test_a_record_names_the_device_and_the_kernel(openvino: Answers) -> None:
    assert openvino.to(f"{VARIADIC}/axis-of-cube[axis=1]").ran_on.startswith("CPU: Split ")


def test_minus_one_is_left_to_openvino(openvino: Answers) -> None:
    assert openvino.to(f"{VARIADIC}/remainder[axis=-1,cut=middle]").lowered == ""


def test_what_openvino_has_no_code_for_is_unsupported(openvino: Answers) -> None:
    record = openvino.to(f"{VARIADIC}/data-of-each-type[dtype=uint1]")
    assert record.verdict is Verdict.UNSUPPORTED
    assert "u1 is not supported" in record.message


def test_a_value_that_the_binding_has_no_place_for_is_not_expressible(openvino: Answers) -> None:
    record = openvino.to(f"{SPLIT}/num-splits-no-whole-number[count=fraction]")
    assert record.verdict is Verdict.NOT_EXPRESSIBLE


def test_in_ir_it_is_expressible(openvino_ir: Answers) -> None:
    assert openvino_ir.to(f"{SPLIT}/num-splits-no-whole-number[count=fraction]").outcome == "produced"


def test_what_lies_behind_a_constant_is_the_same_each_time(openvino: Answers, openvino_ir: Answers) -> None:
    """OpenVINO reads beyond constants of half bytes."""
    for answers in (openvino, openvino_ir):
        record = answers.to(f"{VARIADIC}/lengths-of-each-type[integer=int4]")
        assert "Invalid value -128" in record.message


@pytest.mark.parametrize(
    "case",
    [
        f"{VARIADIC}/written-half-bytes",
        f"{VARIADIC}/remainder[axis=-1,cut=middle]",
        "onnx.Split-13/written-middle-axis",
    ],
)
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.RUNTIME, Form.DYNAMIC], ids=lambda form: form.value)
def test_the_route_through_ir_gives_the_same(openvino_ir: Answers, case: str, form: Form) -> None:
    assert openvino_ir.to(case, form).verdict is Verdict.PASS


@pytest.mark.parametrize("form", [Form.AFTER_RELU, Form.BEFORE_CONCAT, Form.CONSTANT_FOLDED], ids=lambda f: f.value)
def test_graphs_are_built_by_both_routes(openvino: Answers, openvino_ir: Answers, form: Form) -> None:
    for answers in (openvino, openvino_ir):
        assert answers.to(f"{VARIADIC}/graphs-of-each-type[dtype=float32]", form).verdict is Verdict.PASS


def test_other_arguments_in_the_second_call_are_heeded(openvino: Answers) -> None:
    record = openvino.to(f"{VARIADIC}/graphs-of-each-type[dtype=float32]", Form.SECOND_ARGUMENTS)
    assert record.verdict is Verdict.PASS


@pytest.mark.parametrize("form", [Form.STRIDED, Form.TRANSPOSED], ids=lambda form: form.value)
def test_memory_in_pieces_reaches_openvino(openvino: Answers, form: Form) -> None:
    """As a view, or by the constructor of a tensor that copies."""
    assert openvino.to(f"{VARIADIC}/data-in-pieces[dtype=float32]", form).verdict is Verdict.PASS


@pytest.mark.parametrize("dtype", ["int64", "string"])
def test_a_view_that_openvino_refuses_is_not_copied_in_its_place(openvino: Answers, dtype: str) -> None:
    record = openvino.to(f"{VARIADIC}/data-in-pieces[dtype={dtype}]", Form.STRIDED)
    assert (record.outcome, record.stage) == ("rejected", Stage.RUNNING)


@pytest.mark.parametrize(("dtype", "form"), [("int4", Form.STRIDED), ("bfloat16", Form.TRANSPOSED)])
def test_what_has_no_tensor_in_pieces_is_not_expressible(openvino: Answers, dtype: str, form: Form) -> None:
    assert openvino.to(f"{VARIADIC}/data-in-pieces[dtype={dtype}]", form).verdict is Verdict.NOT_EXPRESSIBLE


def test_a_node_without_outputs_is_refused_by_openvino_itself(openvino: Answers) -> None:
    record = openvino.to(f"{VARIADIC}/empty-list-of-lengths")
    assert (record.interpretation, record.stage) == ("at-least-one", Stage.PREPARING)


def test_options_are_part_of_the_name(openvino: Answers, openvino_ir: Answers) -> None:
    version = openvino.target.version
    assert openvino.target.name == f"openvino@{version}"
    assert openvino_ir.target.name == f"openvino@{version}[route=ir]"


def test_openvino_says_its_version_devices_and_settings(openvino: Answers) -> None:
    assert Version(openvino.target.version) >= Version("2026.4")
    assert openvino.target.devices == ["CPU"]
    assert openvino.target.details["CPU INFERENCE_PRECISION_HINT"] == "f32"


def test_a_device_that_is_not_there_is_no_refusal_of_a_case(tmp_path_factory: pytest.TempPathFactory) -> None:
    case = f"{VARIADIC}/written-half-bytes"
    answers = answers_of("openvino[device=NOWHERE]", [case], tmp_path_factory.mktemp("nowhere"))
    assert "ValueError: OpenVINO cannot use the device 'NOWHERE' here; it has CPU" in answers.target.problem
    assert answers.to(case).verdict is Verdict.NOT_RUN


@pytest.mark.parametrize("device", ["AUTO:CPU", "HETERO:CPU"])
def test_a_device_that_chooses_says_which_one_ran(device: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    case = f"{VARIADIC}/written-vector"
    answers = answers_of(f"openvino[device={device}]", [case], tmp_path_factory.mktemp("chosen"))
    assert answers.target.devices == ["CPU"]
    assert answers.to(case).verdict is Verdict.PASS
    assert answers.to(case).ran_on.startswith("CPU: ")


@pytest.mark.parametrize(
    ("raised", "shown"),
    [
        (RuntimeError("Check 'a == b' failed"), Rejected),
        (RuntimeError("Element not supported"), Unsupported),
        (RuntimeError("Unable to cast Python instance of type <class 'float'>"), NotExpressible),
        (ValueError("cannot create std::vector larger than max_size()"), Rejected),
        (MemoryError("std::bad_alloc"), MemoryError),
    ],
)
def test_what_openvino_raises_is_reported_apart(
    rejections: ModuleType, raised: Exception, shown: type[Exception]
) -> None:
    with pytest.raises(shown), rejections.rejections_of_openvino():
        raise raised


@pytest.mark.parametrize("raised", [TypeError("an integer is needed"), ValueError("shapes differ"), KeyError("data")])
def test_a_fault_of_the_adapter_is_not_put_down_to_openvino(rejections: ModuleType, raised: Exception) -> None:
    with pytest.raises(type(raised)) as caught, rejections.rejections_of_openvino():
        raise raised
    assert caught.value is raised
