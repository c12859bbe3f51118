"""What the forms that write a model in another way put to real frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import answers_of

from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

UNCOUNTED = "openvino.VariadicSplit-1/one-at-run-time-along-each-axis[cut=first]"


@pytest.mark.parametrize("target", ["openvino", "openvino[route=ir]"])
def test_openvino_has_no_outputs_where_it_does_not_know_how_many_lengths_there_are(target: str, tmp_path: Path) -> None:
    import openvino as ov

    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([6]))
    lengths = ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1]))
    assert not ov.opset1.variadic_split(data, 0, lengths).outputs()
    answer = answers_of(target, [UNCOUNTED], tmp_path).to(UNCOUNTED, Form.UNCOUNTED_LENGTHS)
    assert answer.verdict is Verdict.NOT_EXPRESSIBLE


@pytest.mark.parametrize("adapter", ["openvino", "onnxruntime"])
def test_constants_in_a_file_beside_the_model_are_read(adapter: str, tmp_path: Path) -> None:
    case = "onnx.Split-11/external-data-in-equal-parts[dtype=float32,data=of-several-pages]"
    assert answers_of(adapter, [case], tmp_path).to(case, Form.EXTERNAL_DATA).verdict is Verdict.PASS
