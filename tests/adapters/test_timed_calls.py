"""Each bundled adapter of a framework binds the framework's own call, and is timed by it."""

from __future__ import annotations

import threading

import pytest
from bundled import cases_of_operators

from conformance.protocol.outcome import Measurement, Produced
from conformance.run.dispatch import EFFORTS, TimingMode
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.run.session import TimingSession
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import target_from_text

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]


@pytest.mark.parametrize("operator", ["openvino.VariadicSplit-1", "onnx.Split-18"])
@pytest.mark.parametrize("target", ["numpy", "onnxruntime", "openvino", "torch", "torch[mode=compile-eager]"])
def test_the_call_of_the_framework_alone_is_timed(target: str, operator: str) -> None:
    selection = Selection(cases=(f"{operator}/time-by-size[size=16KiB,axis=1]",), sets=(CaseSet.TIMING,))
    (check,) = checks_of(families_selected(cases_of_operators(operator.partition("-")[0]), selection), selection)
    session = TimingSession(target_from_text(target), 60.0, threading.Event())
    outcome, measured = session.outcome_of(check), session.measure(EFFORTS[TimingMode.QUICK])
    session.kill()
    assert isinstance(outcome, Produced)
    assert outcome.provenance.aliases_input == target.startswith("torch")
    assert isinstance(measured, Measurement), measured
    assert measured.is_framework_alone
