"""Controls on the real frameworks: the graph without its operator gives what went in, or departs as the check does."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from asking import answers_of
from bundled import cases_of_operators

from conformance.log.build_record import control_entry, record_of
from conformance.protocol.form import Form
from conformance.run.selection import Selection, checks_of, families_selected, sets_included
from conformance.run.session import Session
from conformance.spec.check import Check
from conformance.spec.choices import CaseSet
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import target_from_text

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]

SATURATING = """
operator: openvino.VariadicSplit
about: Values that a constant of OpenVINO does not keep.
cases:
  - id: saturating
    clauses: [outputs.values]
    forms: [constant-folded]
    arguments: {data: {dtype: uint32, shape: [6, 5], fill: special}, axis: [0], split_lengths: [3, 3]}
    outputs: ["0:3", "3:6"]
"""
FORMS = (
    *(Form.AFTER_RELU, Form.BEFORE_CONCAT, Form.CONSTANT_FOLDED),
    *(Form.SAME_CALL_TWICE, Form.STRIDED, Form.EXTERNAL_DATA),
)
CASES = (
    "openvino.VariadicSplit-1/graphs-of-each-type[dtype=float32]",
    "openvino.Split-1/zeros-of-both-signs[dtype=float32]",
    "onnx.Split-13/graphs-of-each-type[dtype=float32]",
)


def controls(forms: tuple[Form, ...]) -> list[Check]:
    suite = cases_of_operators("onnx.Split", "openvino.Split", "openvino.VariadicSplit")
    selection = Selection(cases=CASES, forms=forms, sets=sets_included(CaseSet.FULL))
    found = checks_of(families_selected(suite, selection), selection)
    return [Check(check.case, check.form, is_control=True) for check in found]


def right_controls(target: str) -> Iterator[tuple[str, Form]]:
    """The checks whose control is right, of all that the adapter takes."""
    session = Session(target_from_text(target), 120.0, threading.Event())
    try:
        for check in controls(FORMS):
            control = session.outcome_of(check)
            entry = control_entry(check, record_of(check, target, control, []), control)
            if entry.judged not in (Verdict.NOT_EXPRESSIBLE, Verdict.NOT_DECLARED):
                assert (entry.judged, entry.explanation) == (Verdict.PASS, "")
                yield check.case.id, check.form
    finally:
        session.kill()


@pytest.mark.parametrize(
    ("target", "forms"),
    [
        ("numpy", FORMS[:3]),
        ("openvino", (*FORMS[:3], Form.STRIDED, Form.EXTERNAL_DATA)),
        ("openvino[route=ir]", (*FORMS[:3], Form.STRIDED, Form.EXTERNAL_DATA)),
        ("onnxruntime", (*FORMS[:3], Form.EXTERNAL_DATA)),
        ("onnx-backend[module=onnxruntime.backend]", FORMS[:3]),
        ("torch", FORMS[:2]),
        ("torch[mode=compile-eager]", (*FORMS[:2], Form.STRIDED)),
        ("torch[mode=compile-aot_eager]", (*FORMS[:2], Form.STRIDED)),
    ],
)
def test_a_control_gives_what_went_in_where_no_neighbour_changes_it(target: str, forms: tuple[Form, ...]) -> None:
    right = list(right_controls(target))
    assert {form for _, form in right} == set(forms)
    dialects = {case.partition(".")[0] for case, _ in right}
    assert dialects == {"openvino", "onnx"}


@pytest.mark.parametrize("target", ["openvino", "openvino[route=ir]"])
def test_a_constant_that_saturates_is_not_put_down_to_the_split(
    target: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    case, folder = "openvino.VariadicSplit-1/saturating", tmp_path_factory.mktemp("saturated")
    answers = answers_of(target, [case], folder, {"openvino/VariadicSplit/saturating.yaml": SATURATING})
    record = answers.to(case, Form.CONSTANT_FOLDED)
    assert (record.judged, record.verdict) == (Verdict.WRONG_RESULT, Verdict.NEIGHBOUR)
    assert record.control is not None
    assert record.control.outputs == record.outputs != ""
