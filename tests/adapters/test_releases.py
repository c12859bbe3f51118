"""The bundled adapters on the oldest releases that they take, in a Python with a NumPy of that time."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from asking import Answers, answers_in, ask
from gallery import MadeOnce
from oldest import NUMPY, needs_wheels, oldest_python

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict
from conformance.suite.suite import bundled_folder

pytestmark = [pytest.mark.slow, needs_wheels]

ADAPTERS = {"onnxruntime": "1.15.0", "openvino": "2023.0.0", "onnx-reference": "1.13.0"}
NANS = "onnx.Split-13/special-values-with-nans[dtype={}]"
INT4 = "onnx.Split-13/type-in-no-list[dtype=int4]"
NEWER = "onnx.Reshape-25/split-and-merged[data=split]"
EMPTY = "onnx.Split-13/zero-length*"
VECTOR = "onnx.Split-18/written-vector"
OF_OPENVINO = "openvino.VariadicSplit-1/data-of-each-type[dtype={}]"
OPSET15 = "openvino.ScatterNDUpdate-15/from-the-end"
PIECES = "openvino.Split-1/halves-in-pieces"
MORE = """
operator: openvino.Split
about: Elements that are not contiguous in memory.
cases:
  - id: halves-in-pieces
    clauses: [outputs.values]
    forms: [transposed]
    arguments: {data: {dtype: float16, shape: [4, 3]}, axis: 0, num_splits: 2}
    outputs: ["0:2", "2:4"]
"""
CASES = (
    *(NANS.format(dtype) for dtype in ("float16", "float32", "bfloat16")),
    *(OF_OPENVINO.format(dtype) for dtype in ("float32", "int4", "nf4")),
    *("onnx.Split-13/written-strings", "onnx.Split-13/sum-too-small[cut=one-short]"),
    *(INT4, NEWER, EMPTY, VECTOR, OPSET15, PIECES),
)


@pytest.fixture(scope="module")
def oldest(made_once: MadeOnce) -> Mapping[str, Answers]:
    """What each adapter answers in that Python."""

    def fill(folder: Path) -> None:
        for adapter in ADAPTERS:
            copy = folder / adapter / "adapter"
            shutil.copytree(bundled_folder("adapters") / adapter, copy)
            with (copy / "adapter.yaml").open("a", encoding="utf-8") as manifest:
                manifest.write(f"python: {oldest_python(made_once)}\n")
            ask(str(copy), CASES, folder / adapter, {"openvino/Split/pieces.yaml": MORE})

    folder = made_once("oldest-answers", fill)
    return {adapter: answers_in(folder / adapter) for adapter in ADAPTERS}


def reason(answers: Answers, case: str, form: Form = Form.CONSTANT) -> str:
    """Why a call is not expressible, without the framework's own words."""
    record = answers.to(case, form)
    assert record.verdict is Verdict.NOT_EXPRESSIBLE, record.explanation
    return record.message.partition(":")[0]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_runs_the_oldest_release_without_errors_of_its_own(
    adapter: str, oldest: Mapping[str, Answers]
) -> None:
    answers = oldest[adapter]
    assert (answers.target.version, answers.target.numpy) == (ADAPTERS[adapter], NUMPY)
    assert not {record.verdict for record in answers.records.values()} & {Verdict.HARNESS_ERROR, Verdict.NOT_RUN}
    assert answers.to(VECTOR).verdict is Verdict.PASS
    assert answers.to(NANS.format("float32")).interpretation == "payload-kept"


def test_onnx_runtime_made_no_values_of_types_that_numpy_lacks(oldest: Mapping[str, Answers]) -> None:
    said = reason(oldest["onnxruntime"], NANS.format("bfloat16"))
    assert said == "ONNX Runtime's Python interface makes no values of bfloat16 before 1.20"


@pytest.mark.parametrize("case", [INT4, NEWER])
def test_a_version_of_onnx_that_a_release_does_not_know_is_not_expressible(
    case: str, oldest: Mapping[str, Answers]
) -> None:
    assert reason(oldest["onnxruntime"], case) == "this release does not know this version of ONNX"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (NANS.format("bfloat16"), "onnx 1.13.0 has no arrays of bfloat16 as ml_dtypes has them"),
        (NEWER, "onnx 1.13.0 knows opsets up to 18, and the call is of opset 25"),
    ],
)
def test_what_an_older_onnx_does_not_have_is_not_expressible(
    case: str, said: str, oldest: Mapping[str, Answers]
) -> None:
    assert reason(oldest["onnx-reference"], case) == said


@pytest.mark.parametrize(
    ("case", "form", "said"),
    [
        (OF_OPENVINO.format("nf4"), Form.CONSTANT, "OpenVINO 2023.0.0 has no element type nf4, as later releases do"),
        (OPSET15, Form.CONSTANT, "OpenVINO 2023.0.0 has no opset15, as later releases do"),
        (PIECES, Form.TRANSPOSED, "OpenVINO 2023.0.0's Python binding copies float16 in pieces in another order"),
    ],
)
def test_what_an_older_openvino_does_not_have_is_not_expressible(
    case: str, form: Form, said: str, oldest: Mapping[str, Answers]
) -> None:
    assert reason(oldest["openvino"], case, form) == said
