"""Elements that do not follow each other in memory reach ONNX Runtime as they lie, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import answers_of

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

LAYOUTS = """
operator: onnx.Split
about: Data that does not lie in one piece.
cases:
  - id: in-pieces
    versions: ">=18"
    clauses: [outputs.values]
    forms: [strided, transposed]
    arguments: {input: {dtype: $dtype, shape: [3, 4]}, axis: 1, num_outputs: 2}
    matrix: {dtype: [float32, bfloat16]}
    outputs: ["0:2", "2:4"]
"""


def test_a_type_that_goes_in_by_its_address_alone_is_not_put_in_pieces(tmp_path: Path) -> None:
    """Else its gaps would be taken for elements, and ONNX Runtime be accused of it."""
    answers = answers_of("onnxruntime", ["onnx.Split-18/in-pieces"], tmp_path, {"onnx/Split/layouts.yaml": LAYOUTS})
    verdicts = {
        dtype: {
            answers.to(f"onnx.Split-18/in-pieces[dtype={dtype}]", form).verdict
            for form in (Form.STRIDED, Form.TRANSPOSED)
        }
        for dtype in ("float32", "bfloat16")
    }
    assert verdicts == {"float32": {Verdict.PASS}, "bfloat16": {Verdict.NOT_EXPRESSIBLE}}
