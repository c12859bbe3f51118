"""The deviations that the bundled adapters record are as exact as a certificate asks."""

from __future__ import annotations

import pytest
from bundled import bundled_operators

from conformance.adapter import ALL_FORMS
from conformance.certificate.review import inexactness
from conformance.judge.deviation import read_deviations
from conformance.suite.suite import bundled_folder

pytestmark = pytest.mark.slow

ADAPTERS = ("openvino", "onnxruntime", "torch")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_no_recorded_deviation_is_broader_than_a_certificate_allows(adapter: str) -> None:
    operators = dict(bundled_operators())
    entries = read_deviations(bundled_folder("adapters") / adapter)
    problems = [(entry.id, problem) for entry in entries for problem in inexactness(entry, ALL_FORMS, operators)]
    assert entries
    assert problems == []
