"""The model that a script makes is the one that a run sends."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from bundled import cases_of_operators

from conformance.protocol.outcome import NotExpressibleOutcome
from conformance.report.sources import model_source
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.lowering.onnx_model import lower

EVERY = 13
"""Of the checks of an operator, one of so many."""


@pytest.mark.parametrize("operator", ["onnx.Split-18", "onnx.Gather-13", "onnx.Squeeze-1", "openvino.VariadicSplit-1"])
def test_the_helpers_make_the_model_of_the_run(operator: str) -> None:
    suite, selection = (
        cases_of_operators(operator.rpartition("-")[0]),
        Selection(operators=(operator,)),
    )
    found = 0
    for number, check in enumerate(checks_of(families_selected(suite, selection), selection)):
        lowered = lower(check.request.call) if number % EVERY == 0 else None
        if lowered is None or isinstance(lowered, NotExpressibleOutcome):
            continue
        source = model_source(check.request.call)
        if source.code:
            wanted = onnx.load_model_from_string(lowered.model)
            wanted.ClearField("producer_name")  # onnx sets none
            for node in wanted.graph.node:
                node.attribute.sort(key=lambda attribute: attribute.name)  # as the helpers do
            assert made_by(source.imports, source.code) == wanted, check.case.id
            found += 1
    assert found > 5


def made_by(imports: tuple[str, ...], code: str) -> onnx.ModelProto:
    names: dict[str, Any] = {}
    exec("\n".join(["import ml_dtypes", "import numpy as np", *imports, code]), names)
    model: onnx.ModelProto = names["model"]
    return model
