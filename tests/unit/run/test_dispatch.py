"""The request that an adapter gets, by what it says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.adapter import Description
from conformance.protocol.form import Form, Layout
from conformance.protocol.outcome import NotDeclaredOutcome, Produced, Provenance
from conformance.run.dispatch import Dispatch, dispatch
from conformance.run.selection import Selection, checks_of, families_selected
from conformance.spec.check import Check
from conformance.suite.suite import Suite


def description(**fields: Any) -> Description:
    return Description(framework="Toy", version="1", **{"operators": ["*"], **fields})


def check(suite: Suite, form: Form = Form.CONSTANT) -> Check:
    selection = Selection(cases=("openvino.VariadicSplit-1/first",), forms=(Form.CONSTANT,))
    (found,) = checks_of(families_selected(suite, selection), selection)
    return Check(found.case, form)


def test_a_native_question_has_no_model(liars_suite: Suite) -> None:
    posed = dispatch(description(), check(liars_suite))
    assert isinstance(posed, Dispatch)
    assert (posed.request.call.model, posed.lowered) == (None, "")


@pytest.mark.parametrize(
    ("pattern", "is_sent"),
    [("openvino.VariadicSplit", True), ("openvino.VariadicSplit-*", True), ("openvino.Variadic", False)],
)
def test_an_operator_without_a_version_stands_for_all_versions(
    pattern: str, is_sent: object, liars_suite: Suite
) -> None:
    assert isinstance(dispatch(description(operators=[pattern]), check(liars_suite)), Dispatch) is is_sent


@pytest.mark.parametrize(("form", "layout"), [(Form.STRIDED, Layout.STRIDED), (Form.TRANSPOSED, Layout.TRANSPOSED)])
def test_a_lowered_question_keeps_its_layout(liars_suite: Suite, form: Form, layout: Layout) -> None:
    posed = dispatch(description(onnx_models=["openvino"], forms=[form.value]), check(liars_suite, form))
    assert isinstance(posed, Dispatch)
    assert posed.request.call.model is not None
    assert posed.request.layout is layout


def test_a_control_has_no_operator_and_is_sent_to_adapters_that_declare_its_form(liars_suite: Suite) -> None:
    control = replace(check(liars_suite, Form.CONSTANT_FOLDED), is_control=True)
    posed = dispatch(description(forms=["constant-folded"], controls=["constant-folded"]), control)
    assert isinstance(posed, Dispatch)
    assert (posed.request.call.is_control, [item.name for item in posed.request.call.inputs]) == (True, ["data"])
    reason = "the adapter has no control of the form 'constant-folded'"
    assert dispatch(description(forms=["constant-folded"]), control) == NotDeclaredOutcome(message=reason)


def test_a_lowered_answer_is_marked_unless_the_adapter_named_a_lowering(liars_suite: Suite) -> None:
    posed = dispatch(description(onnx_models=["openvino"]), check(liars_suite))
    assert isinstance(posed, Dispatch)
    printed = Produced(runs=(), provenance=Provenance(lowered="by hand"))
    assert posed.marked_lowered(printed) is printed
    marked = posed.marked_lowered(Produced(runs=()))
    assert isinstance(marked, Produced)
    assert marked.provenance.lowered == posed.lowered != ""


@pytest.mark.parametrize(
    ("fields", "declined"),
    [
        (
            {"operators": ["onnx.*"]},
            NotDeclaredOutcome(message="the adapter does not declare openvino.VariadicSplit-1"),
        ),
        ({"forms": ["dynamic"]}, NotDeclaredOutcome(message="the adapter does not declare the form 'constant'")),
        ({"dtypes": ["int8"]}, NotDeclaredOutcome(message="the adapter does not declare the type float32")),
    ],
)
def test_what_a_description_leaves_out_does_not_run(
    liars_suite: Suite, fields: dict[str, Any], declined: object
) -> None:
    assert dispatch(description(**fields), check(liars_suite)) == declined
