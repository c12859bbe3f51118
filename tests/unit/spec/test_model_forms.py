"""What is known of a framework in the forms of bundled cases is known of it in a user's model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bundled import cases_of_operators
from split_cases import VARIADIC

from conformance.judge.deviation import deviations_of
from conformance.protocol.form import Form
from conformance.spec.case import Case
from conformance.spec.check import MODEL_FORMS, Check, forms_in_model, forms_of
from conformance.suite.suite import bundled_folder
from conformance.tensors.tensor import KnownShape

DATA, AXIS, LENGTHS = "data", "axis", "split_lengths"


@pytest.mark.parametrize(
    ("given", "forms"),
    [
        ({}, {Form.CONSTANT_FOLDED}),
        ({DATA: (2, 3)}, {Form.CONSTANT}),
        ({DATA: (None, None)}, {Form.DYNAMIC}),
        ({DATA: (None, 3)}, {Form.DYNAMIC, Form.SOME_DIMS}),
        ({DATA: None}, {Form.DYNAMIC_RANK}),
        ({DATA: ()}, {Form.CONSTANT, Form.DYNAMIC}),
        ({DATA: (2, 3), AXIS: (), LENGTHS: (2,)}, {Form.RUNTIME}),
        ({DATA: (2, 3), LENGTHS: (2,)}, {Form.RUNTIME, Form.RUNTIME_LENGTHS}),
        ({DATA: (2, 3), AXIS: ()}, {Form.RUNTIME, Form.RUNTIME_AXIS}),
        ({DATA: (None, 3), LENGTHS: (2,)}, {Form.RUNTIME_DYNAMIC}),
        ({DATA: (2, 3), LENGTHS: None}, {Form.RUNTIME_DYNAMIC_RANK}),
        ({LENGTHS: (2,)}, {Form.RUNTIME, Form.RUNTIME_LENGTHS}),
    ],
)
def test_a_model_is_like_the_forms_that_give_and_know_the_same(given: dict[str, KnownShape], forms: set[Form]) -> None:
    assert forms_in_model(VARIADIC, given) == forms


def in_model(case: Case, form: Form) -> Check:
    """The check of a case of a model that gives and knows what a form does."""
    given = {item.name: item.dims for item in Check(case, form).request.call.inputs if item.constant is None}
    return Check(replace(case, in_model=given), Form.AS_IN_THE_MODEL)


@pytest.mark.parametrize("operator", ["onnx.Expand", "onnx.Squeeze", "openvino.Split"])
def test_every_record_of_some_forms_covers_the_same_call_in_a_model(operator: str) -> None:
    suite = cases_of_operators(operator)
    recorded = [entry for entry in deviations_of(bundled_folder("adapters") / "openvino", suite) if entry.forms]
    covered: dict[tuple[str, Form], bool] = {}
    for case in (case for family in suite.families for case in family.cases()):
        for form in forms_of(case, MODEL_FORMS):
            for entry in recorded:
                if (entry.id, form) not in covered and entry.covers(Check(case, form)):
                    covered[entry.id, form] = entry.covers(in_model(case, form))
    assert len(covered) > 5
    assert all(covered.values()), [name for name, is_covered in covered.items() if not is_covered]
