from __future__ import annotations

from pathlib import Path

import pytest
from asking import Answers, answers_of, shared_answers
from gallery import MadeOnce
from packaging.version import Version

from conformance.protocol.form import Form
from conformance.protocol.outcome import Stage
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

VARIADIC = "openvino.VariadicSplit-1"
NATIVE, REMAINDER = f"{VARIADIC}/axis-of-cube[axis=1]", f"{VARIADIC}/remainder[axis=-1,cut=middle]"
EQUAL, SUM = "openvino.Split-1/equal-parts[data=columns,parts=three]", "onnx.Split-13/sum-too-small[cut=one-short]"
MANY = "onnx.Split-13/many-lengths[cut=129-single]"
TURNED, JOINED = "onnx.Transpose-13/swapped", "openvino.Concat-1/two-along-each-axis[along=columns]"
SLICED = (
    "openvino.Slice-8/along-several-axes[range=first-and-last]",
    "onnx.Slice-13/along-one-axis[range=inner]",
    "openvino.StridedSlice-1/one-mask[given=ellipsis-first]",
    "openvino.StridedSlice-1/new-axis[given=inner]",
    "openvino.StridedSlice-1/one-mask[given=shrink-from-the-end]",
)
RESHAPED = (
    "onnx.Reshape-13/split-and-merged[data=split]",
    "openvino.Reshape-1/large[dtype=float32]",
)
COPIED = "onnx.Reshape-13/dims-copied[shape=middle]"
GATHERED = ("onnx.Gather-13/examples[data=columns]", "onnx.Gather-13/examples[data=rows]")
SQUEEZED = (
    "onnx.Squeeze-1/written-out",
    "onnx.Squeeze-13/several[data=unsorted]",
    "onnx.Squeeze-25/axes-left-out[data=outer]",
    "openvino.Squeeze-1/dim-of-another-length[data=beside-one]",
    "openvino.Squeeze-15/skip-allowed[data=longer]",
    "onnx.Unsqueeze-1/written-out",
    "onnx.Unsqueeze-13/axes-from-the-end[data=last]",
    "openvino.Unsqueeze-1/scalar-as-axes[data=last]",
)
TRUTHS = """
operator: openvino.Slice
about: Truth values in place of a start.
cases:
  - id: truth-values
    clauses: [types.T_IND]
    arguments: {data: {dtype: float32, shape: [4]}, start: {dtype: bool, values: [true]}, stop: [3], step: [1]}
    rejected: types.T_IND
"""
CASES = (
    "openvino.Slice-8/truth-values",
    TURNED,
    "onnx.Transpose-13/order-that-is-no-list-of-integers[order=number]",
    "onnx.Transpose-13/order-beyond-the-rank[data=from-the-end]",
    "onnx.Transpose-13/order-beyond-the-rank[data=one-too-large]",
    "openvino.Transpose-1/empty-order",
    "openvino.Transpose-1/order-that-is-no-integer[dtype=float32]",
    JOINED,
    "onnx.Concat-1/default-axis",
    "onnx.Concat-1/type-not-in-1[dtype=int32]",
    "onnx.Concat-4/negative-axis-before-11",
    "onnx.Concat-13/other-types[types=widths]",
    "onnx.Concat-13/other-ranks[data=lower]",
    "onnx.Concat-13/no-axis",
    "onnx.Concat-13/two-along-each-axis[along=columns]",
    "onnx.Concat-13/one-tensor[axis=1]",
    "onnx.Gather-13/examples[data=columns]",
    "onnx.Gather-13/indices-from-the-end[integer=int64,data=mixed]",
    "onnx.Gather-13/index-beyond-the-axis[data=one-too-large]",
    "openvino.Gather-8/zeros-for-indices-outside[data=example]",
    "openvino.Gather-8/batches[data=one]",
    "openvino.Gather-8/examples[data=vector]",
    *RESHAPED,
    COPIED,
    "onnx.Reshape-14/allowzero[data=two-zeros]",
    "onnx.Reshape-13/length-below-minus-one[data=product-that-fits]",
    "onnx.Reshape-13/two-dims-of-minus-one[data=square]",
    "onnx.Reshape-13/shape-of-another-type[integer=int32]",
    "onnx.Reshape-13/zero-beyond-the-rank[data=one-beyond]",
    "onnx.Reshape-14/other-values-of-allowzero[allowzero=2]",
    "openvino.Reshape-1/no-special-zero",
    "openvino.Reshape-1/shape-that-is-no-integer[number=float32]",
    *SQUEEZED,
    "onnx.Squeeze-1/axes-from-the-end-of-1[axes=last]",
    "onnx.Squeeze-13/dim-of-another-length[data=two]",
    "onnx.Squeeze-13/axis-beyond-the-rank[data=one-too-large]",
    "onnx.Squeeze-13/axis-beyond-the-rank[data=of-a-scalar]",
    "onnx.Squeeze-13/axes-of-another-type[integer=int32]",
    "onnx.Squeeze-23/number-in-place-of-a-list-of-one",
    "onnx.Unsqueeze-13/several[data=ascending]",
    "onnx.Unsqueeze-13/axis-before-the-first[data=one-too-small]",
    "openvino.Squeeze-1/no-axes[data=outer]",
    *SLICED,
    "openvino.StridedSlice-1/two-ellipses",
    "openvino.StridedSlice-1/no-mask-of-ends",
    "openvino.StridedSlice-1/mask-of-another-number[bit=2]",
    "openvino.StridedSlice-1/removed-dim-with-another-end",
    "openvino.StridedSlice-1/other-numbers[given=begins]",
    "openvino.StridedSlice-1/other-numbers[given=more-than-dims]",
    "onnx.Slice-10/axis-from-the-end-before-11",
    "openvino.Slice-8/in-steps[range=backwards]",
    "openvino.Slice-8/step-of-zero",
    NATIVE,
    REMAINDER,
    EQUAL,
    SUM,
    f"{VARIADIC}/special-values-with-nans[dtype=bfloat16]",
    f"{VARIADIC}/special-values-with-nans[dtype=float16]",
    f"{VARIADIC}/special-values-with-nans[dtype=float8_e5m2]",
    f"{VARIADIC}/data-of-each-type[dtype=float8_e8m0fnu]",
    f"{VARIADIC}/data-of-each-type[dtype=uint64]",
    f"{VARIADIC}/data-of-each-type[dtype=string]",
    f"{VARIADIC}/data-of-each-type[dtype=int4]",
    f"{VARIADIC}/data-of-each-type[dtype=uint?]",
    f"{VARIADIC}/two-remainders[lengths=alone]",
    f"{VARIADIC}/lengths-no-integers[cut=float32]",
    f"{VARIADIC}/lengths-of-wrong-rank[lengths=row]",
    "openvino.Split-1/axis-no-integer[axis=bool]",
    "openvino.Split-1/axis-of-all-ones-is-not-minus-one[axis=uint64]",
    "onnx.Split-1/axis-no-whole-number[axis=two]",
    "onnx.Split-13/lengths-of-rank-0",
    "onnx.Split-1/not-divisible[count=3]",
    "onnx.Split-2/lengths-as-input-too-early",
    f"{VARIADIC}/lengths-beyond-their-type[cut=int32-sum]",
    "onnx.Split-13/special-values-with-nans[dtype=complex64]",
    "onnx.Split-18/uneven[cut=7-into-3]",
    f"{VARIADIC}/graphs-of-each-type[dtype=float32]",
)


@pytest.fixture(scope="module")
def torch(made_once: MadeOnce) -> Answers:
    return shared_answers(made_once, "torch", "torch", CASES, {"openvino/Slice/truths.yaml": TRUTHS})


@pytest.fixture(scope="module")
def compiled(made_once: MadeOnce) -> Answers:
    refused = ["openvino.Split-1/axis-no-integer[axis=bool]", f"{VARIADIC}/lengths-no-integers[cut=bool]"]
    cases = [
        NATIVE,
        REMAINDER,
        SUM,
        MANY,
        TURNED,
        JOINED,
        *GATHERED,
        *RESHAPED,
        COPIED,
        *SLICED,
        "openvino.Transpose-1/empty-order",
        *refused,
    ]
    return shared_answers(made_once, "torch-compiled", "torch[mode=compile-aot_eager]", cases)


@pytest.mark.parametrize(
    "case",
    [
        f"{VARIADIC}/special-values-with-nans[dtype=bfloat16]",
        f"{VARIADIC}/special-values-with-nans[dtype=float16]",
        f"{VARIADIC}/special-values-with-nans[dtype=float8_e5m2]",
        "onnx.Split-13/special-values-with-nans[dtype=complex64]",
    ],
)
def test_nans_keep_every_bit(torch: Answers, case: str) -> None:
    record = torch.to(case)
    assert record.interpretation == "payload-kept", record.explanation


@pytest.mark.parametrize("dtype", ["float8_e8m0fnu", "uint64"])
def test_types_with_few_kernels_are_split_all_the_same(torch: Answers, dtype: str) -> None:
    assert torch.to(f"{VARIADIC}/data-of-each-type[dtype={dtype}]").verdict is Verdict.PASS


def test_views_of_the_input_are_reported_and_judged_by_their_elements(torch: Answers) -> None:
    record = torch.to(NATIVE)
    assert (record.verdict, record.aliases_input) == (Verdict.PASS, True)


def test_outputs_without_elements_alias_nothing(torch: Answers) -> None:
    record = torch.to(f"{VARIADIC}/lengths-beyond-their-type[cut=int32-sum]")
    assert (record.verdict, record.aliases_input) == (Verdict.PASS, False)


def test_outputs_of_a_call_outlive_the_next_one(torch: Answers) -> None:
    assert torch.to(NATIVE, Form.SECOND_CALL).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("case", "lowered"),
    [
        (NATIVE, ""),
        (REMAINDER, "torch.split, -1 resolved by the adapter"),
        (EQUAL, "torch.split, lengths computed by the adapter"),
        ("onnx.Split-18/uneven[cut=7-into-3]", "torch.split, lengths computed by the adapter"),
        (TURNED, ""),
        ("openvino.Transpose-1/empty-order", "torch.permute, order computed by the adapter"),
        (JOINED, ""),
        ("onnx.Concat-1/default-axis", ""),
        ("onnx.Concat-13/two-along-each-axis[along=columns]", ""),
        ("onnx.Gather-13/examples[data=columns]", ""),
        ("onnx.Gather-13/indices-from-the-end[integer=int64,data=mixed]", ""),
        ("openvino.Gather-8/examples[data=vector]", ""),
        *((case, "") for case in (*SLICED, *RESHAPED)),
        (COPIED, "torch.reshape, lengths of 0 copied by the adapter"),
        ("onnx.Reshape-14/allowzero[data=two-zeros]", ""),
    ],
)
def test_what_the_adapter_computed_is_said(torch: Answers, case: str, lowered: str) -> None:
    record = torch.to(case)
    assert (record.verdict, record.lowered) == (Verdict.PASS, lowered)


def test_a_refusal_carries_the_words_of_pytorch(torch: Answers) -> None:
    record = torch.to(SUM)
    assert (record.verdict, record.outcome, record.stage) == (Verdict.PASS, "rejected", Stage.RUNNING)
    assert "split_with_sizes" in record.message


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (f"{VARIADIC}/two-remainders[lengths=alone]", "non-negative entries"),
        (f"{VARIADIC}/lengths-no-integers[cut=float32]", "found element of type float"),
        (f"{VARIADIC}/lengths-of-wrong-rank[lengths=row]", "found element of type list"),
        ("openvino.Split-1/axis-no-integer[axis=bool]", "must be int, not bool"),
        ("openvino.Split-1/axis-of-all-ones-is-not-minus-one[axis=uint64]", "Overflow"),
        ("onnx.Split-1/axis-no-whole-number[axis=two]", "must be int, not list"),
        ("onnx.Transpose-13/order-that-is-no-list-of-integers[order=number]", "must be tuple of ints, not int"),
        ("onnx.Transpose-13/order-beyond-the-rank[data=one-too-large]", "Dimension out of range"),
        ("openvino.Transpose-1/order-that-is-no-integer[dtype=float32]", "found element of type float"),
        ("onnx.Concat-13/other-ranks[data=lower]", "same number of dimensions"),
        ("onnx.Gather-13/index-beyond-the-axis[data=one-too-large]", "index out of range"),
        ("openvino.Slice-8/step-of-zero", "slice step"),
        ("openvino.StridedSlice-1/other-numbers[given=more-than-dims]", "too many indices"),
        ("onnx.Squeeze-13/axis-beyond-the-rank[data=one-too-large]", "Dimension out of range"),
        ("onnx.Unsqueeze-13/axis-before-the-first[data=one-too-small]", "Dimension out of range"),
        ("onnx.Reshape-13/length-below-minus-one[data=product-that-fits]", "invalid shape dimension -2"),
        ("onnx.Reshape-13/two-dims-of-minus-one[data=square]", "only one dimension can be inferred"),
        ("openvino.Reshape-1/shape-that-is-no-integer[number=float32]", "found element of type float"),
    ],
)
def test_what_pytorch_checks_it_refuses_itself(torch: Answers, case: str, words: str) -> None:
    record = torch.to(case)
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")
    assert words in record.message


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("onnx.Split-13/lengths-of-rank-0", "one number for the length of each part"),
        ("onnx.Split-1/not-divisible[count=3]", "no list of lengths says 3 equal parts of 7 elements"),
        ("onnx.Split-2/lengths-as-input-too-early", "no place for split"),
        ("openvino.Slice-8/truth-values", "takes truth values for whole numbers"),
        ("onnx.Transpose-13/order-beyond-the-rank[data=from-the-end]", "a dim below 0 for one from the end"),
        ("openvino.StridedSlice-1/two-ellipses", "several ellipses"),
        ("openvino.StridedSlice-1/no-mask-of-ends", "no masks"),
        ("openvino.StridedSlice-1/mask-of-another-number[bit=2]", "a mask that is"),
        ("openvino.StridedSlice-1/removed-dim-with-another-end", "no place for an end"),
        ("openvino.StridedSlice-1/other-numbers[given=begins]", "their numbers cannot differ"),
        ("onnx.Squeeze-1/axes-from-the-end-of-1[axes=last]", "a dim below 0 for one from the end"),
        ("onnx.Squeeze-13/dim-of-another-length[data=two]", "keeps a dim of another length"),
        ("onnx.Squeeze-13/axis-beyond-the-rank[data=of-a-scalar]", "a scalar for a vector of one element"),
        ("onnx.Squeeze-13/axes-of-another-type[integer=int32]", "have no type int32"),
        ("onnx.Squeeze-23/number-in-place-of-a-list-of-one", "wants a list"),
        ("onnx.Unsqueeze-13/several[data=ascending]", "inserts one dim"),
        ("openvino.Squeeze-1/no-axes[data=outer]", "removes nothing for an empty list"),
        ("onnx.Concat-1/type-not-in-1[dtype=int32]", "no list of types for onnx.Concat-1"),
        ("onnx.Concat-4/negative-axis-before-11", "an axis below 0 for one from the end"),
        ("onnx.Concat-13/other-types[types=widths]", "makes tensors of several types one of them"),
        ("onnx.Concat-13/no-axis", "an axis that is left out for 0"),
        ("openvino.Gather-8/zeros-for-indices-outside[data=example]", "where the operator has zeros"),
        ("openvino.Gather-8/batches[data=one]", "no batches"),
        ("onnx.Slice-10/axis-from-the-end-before-11", "the operator has no such axis"),
        ("openvino.Slice-8/in-steps[range=backwards]", "no ranges that run backwards"),
        ("onnx.Reshape-13/shape-of-another-type[integer=int32]", "no type int32"),
        ("onnx.Reshape-13/zero-beyond-the-rank[data=one-beyond]", "no 0 that stands for a dim of the data"),
        ("onnx.Reshape-14/other-values-of-allowzero[allowzero=2]", "no allowzero that could be 2"),
        ("openvino.Reshape-1/no-special-zero", "no special_zero"),
    ],
)
def test_a_check_of_the_adapter_is_not_put_down_to_pytorch(torch: Answers, case: str, words: str) -> None:
    record = torch.to(case)
    assert record.verdict is Verdict.NOT_EXPRESSIBLE
    assert words in record.message


def test_a_type_that_pytorch_lacks_is_no_wrong_result(torch: Answers) -> None:
    assert torch.to(f"{VARIADIC}/data-of-each-type[dtype=string]").verdict is Verdict.NOT_DECLARED


@pytest.mark.parametrize("dtype", ["int4", "uint2", "uint1"])
def test_elements_of_less_than_a_byte_are_split_in_a_byte_each(torch: Answers, dtype: str) -> None:
    assert torch.to(f"{VARIADIC}/data-of-each-type[dtype={dtype}]").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("function", "verdicts"),
    [
        ("split-size", ("pass", "pass", "not expressible", "not expressible")),
        ("chunk", ("pass", "pass", "pass", "not expressible")),
        ("tensor_split", ("pass", "not expressible", "pass", "not expressible")),
    ],
)
def test_other_functions_run_where_their_pages_agree(function: str, verdicts: tuple[str, ...], tmp_path: Path) -> None:
    cases = [EQUAL, "onnx.Split-18/uneven[cut=7-into-3]", "openvino.Split-1/num-splits-out-of-range[count=0]", NATIVE]
    answers = answers_of(f"torch[function={function}]", cases, tmp_path)
    assert tuple(answers.to(case).verdict.value for case in cases) == verdicts


@pytest.mark.parametrize(
    "case", ["openvino.Split-1/axis-no-integer[axis=bool]", f"{VARIADIC}/lengths-no-integers[cut=bool]"]
)
def test_a_type_error_of_the_compiler_is_a_refusal(compiled: Answers, case: str) -> None:
    record = compiled.to(case)
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")


@pytest.mark.parametrize("form", [Form.RUNTIME, Form.DYNAMIC], ids=lambda form: form.value)
def test_eager_mode_has_no_form_that_makes_no_difference(torch: Answers, form: Form) -> None:
    assert torch.to(NATIVE, form).verdict is Verdict.NOT_DECLARED


@pytest.mark.parametrize("case", [NATIVE, REMAINDER])
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.DYNAMIC, Form.SECOND_CALL], ids=lambda form: form.value)
def test_the_compiler_splits_known_and_unknown_dims(compiled: Answers, case: str, form: Form) -> None:
    record = compiled.to(case, form)
    assert (record.verdict, record.ran_on) == (Verdict.PASS, "cpu, aot_eager")


@pytest.mark.parametrize(
    "case", [TURNED, JOINED, *GATHERED, *SLICED, *RESHAPED, COPIED, "openvino.Transpose-1/empty-order"]
)
@pytest.mark.parametrize("form", [Form.CONSTANT, Form.DYNAMIC], ids=lambda form: form.value)
def test_the_compiler_turns_and_joins(compiled: Answers, case: str, form: Form) -> None:
    assert compiled.to(case, form).verdict is Verdict.PASS


def test_strides_reach_pytorch_through_every_operator(torch: Answers) -> None:
    assert torch.to("onnx.Concat-13/one-tensor[axis=1]", Form.STRIDED).verdict is Verdict.PASS


def test_a_function_that_cuts_equal_parts_runs_no_other_operator(tmp_path: Path) -> None:
    answers = answers_of("torch[function=chunk]", [TURNED], tmp_path)
    assert answers.to(TURNED).verdict is Verdict.NOT_DECLARED


def test_lengths_are_constants_for_the_compiler(compiled: Answers) -> None:
    assert compiled.to(MANY, Form.DYNAMIC).verdict is Verdict.PASS


def test_a_refusal_of_the_compiler_is_the_same_text_each_time(compiled: Answers) -> None:
    record = compiled.to(SUM, Form.DYNAMIC)
    assert (record.verdict, record.outcome) == (Verdict.PASS, "rejected")
    assert " at 0x" not in record.message


def test_strides_reach_pytorch(torch: Answers) -> None:
    record = torch.to(f"{VARIADIC}/graphs-of-each-type[dtype=float32]", Form.STRIDED)
    assert (record.verdict, record.aliases_input) == (Verdict.PASS, True)


@pytest.mark.parametrize("form", [Form.AFTER_RELU, Form.BEFORE_CONCAT], ids=lambda form: form.value)
def test_graphs_are_functions(torch: Answers, form: Form) -> None:
    record = torch.to(f"{VARIADIC}/graphs-of-each-type[dtype=float32]", form)
    assert (record.verdict, record.aliases_input) == (Verdict.PASS, False)


def test_the_mode_is_part_of_the_name(torch: Answers, compiled: Answers) -> None:
    version = torch.target.version
    assert Version(version) >= Version("2.13")
    assert torch.target.name == f"torch@{version}"
    assert compiled.target.name == f"torch@{version}[mode=compile-aot_eager]"


@pytest.mark.parametrize(
    ("device", "problem"),
    [
        ("nowhere", "ValueError: this PyTorch has no device 'nowhere'; it has cpu"),
        ("meta", "ValueError: the device 'meta' holds no data, and so gives no answers"),
    ],
)
def test_a_device_that_cannot_answer_is_no_target(
    device: str, problem: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answers = answers_of(f"torch[device={device}]", [NATIVE], tmp_path_factory.mktemp(device))
    assert problem in answers.target.problem
    assert answers.to(NATIVE).verdict is Verdict.NOT_RUN
