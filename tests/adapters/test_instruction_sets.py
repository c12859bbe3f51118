"""The options `isa` and `threads`: what is asked for is in force, and an adapter says what is."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import answers_of

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict
from conformance.tensors.machine import InstructionSet, levels_here

pytestmark = [
    pytest.mark.slow,
    pytest.mark.frameworks,
    pytest.mark.skipif(not levels_here(), reason="this system does not tell the features of its processor"),
]
CASE = "openvino.VariadicSplit-1/graphs-of-each-type[dtype=float32]"
# What OpenVINO calls the kernels of a Relu, of the levels that their names tell apart.
KERNELS = {
    InstructionSet.SSE41: "jit_sse42_f32",
    InstructionSet.AVX2: "jit_avx2",
    InstructionSet.AVX512_CORE: "jit_avx512",
}
LEVELS = [level for level in KERNELS if level in levels_here()]
each_level = pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.value)


@each_level
def test_the_kernels_of_openvino_are_those_of_the_level(level: InstructionSet, tmp_path: Path) -> None:
    answers = answers_of(f"openvino[isa={level.value}]", [CASE], tmp_path)
    record = answers.to(CASE, Form.AFTER_RELU)
    assert (answers.target.instruction_set, record.verdict) == (level.value, Verdict.PASS)
    assert KERNELS[level] in record.ran_on


@each_level
def test_pytorch_says_itself_that_the_level_holds(level: InstructionSet, tmp_path: Path) -> None:
    answers = answers_of(f"torch[isa={level.value}]", [CASE], tmp_path)
    assert (answers.target.instruction_set, answers.to(CASE, Form.AFTER_RELU).verdict) == (level.value, Verdict.PASS)


@pytest.mark.parametrize(("variable", "limit"), [("ONEDNN_MAX_CPU_ISA", "avx2"), ("DNNL_MAX_CPU_ISA", "AVX2")])
def test_a_limit_of_the_environment_is_in_force_and_reported(
    variable: str, limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if InstructionSet.AVX2 not in LEVELS:
        pytest.skip("this processor has no AVX2")
    monkeypatch.setenv(variable, limit)
    answers = answers_of("openvino", [CASE], tmp_path)
    assert answers.target.instruction_set == "AVX2"
    assert KERNELS[InstructionSet.AVX2] in answers.to(CASE, Form.AFTER_RELU).ran_on


def test_a_level_that_the_processor_lacks_is_no_target(tmp_path: Path) -> None:
    newest = list(InstructionSet)[-1]
    if newest in levels_here():
        pytest.skip("this processor has every level that there is")
    answers = answers_of(f"openvino[isa={newest.value}]", [CASE], tmp_path)
    assert f"this processor has no instruction set {newest.value}; it has SSE41" in answers.target.problem


def test_what_onnx_runtime_does_not_report_is_empty(tmp_path: Path) -> None:
    answers = answers_of("onnxruntime", [CASE], tmp_path)
    assert answers.target.instruction_set == ""
    assert answers.target.details["instruction set"].startswith("not known: ")


@pytest.mark.parametrize(
    ("target", "detail"),
    [
        ("openvino", "CPU INFERENCE_NUM_THREADS"),
        ("onnxruntime", "intra-op threads"),
        ("torch", "threads"),
    ],
)
def test_as_many_threads_as_requested(target: str, detail: str, tmp_path: Path) -> None:
    answers = answers_of(f"{target}[threads=2]", [CASE], tmp_path)
    assert (answers.target.details[detail], answers.to(CASE, Form.AFTER_RELU).verdict) == ("2", Verdict.PASS)
