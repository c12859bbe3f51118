"""What each form is, as a table that the engine and adapters rely on."""

from __future__ import annotations

import pytest

from conformance.adapter import PLAIN_FORMS
from conformance.protocol.form import AtRunTime, Encoding, Form, Graph, Layout


def names(forms: set[Form]) -> set[str]:
    return {form.value for form in forms}


def test_an_adapter_that_names_no_forms_gets_those_that_need_no_name() -> None:
    assert set(PLAIN_FORMS) == {form.value for form in Form if not form.must_be_declared}
    assert "after-relu" not in PLAIN_FORMS
    assert "strided" not in PLAIN_FORMS


def test_models_without_ranks_which_onnx_requires_are_asked_only_of_an_adapter_that_names_them() -> None:
    assert not {"dynamic-rank", "runtime-dynamic-rank", "second-rank"} & set(PLAIN_FORMS)
    assert Form.DYNAMIC_RANK.is_usual


def test_what_must_be_declared_is_not_usual_or_adds_something_to_the_graph_or_the_memory() -> None:
    assert all(form.must_be_declared for form in Form if form.is_of_onnx or form is Form.UNUSED_OUTPUTS)
    assert not any(form.must_be_declared and form.is_usual and not form.has_unknown_ranks for form in Form)


def test_a_form_has_the_name_of_each_layout_graph_and_encoding() -> None:
    rows = [form.properties for form in Form if form is not Form.RUNTIME_STRIDED]
    for default, used in (
        (Layout.CONTIGUOUS, [row.layout for row in rows]),
        (Graph.NONE, [row.graph for row in rows]),
        (Encoding.PLAIN, [row.encoding for row in rows]),
    ):
        named = [value for value in used if value is not default]
        assert sorted(value.value for value in named) == sorted(v.value for v in type(default) if v is not default)
        assert {value.value for value in named} <= {form.value for form in Form}


def test_all_inputs_can_be_views_with_strides() -> None:
    runtime, views = Form.RUNTIME.properties, Form.RUNTIME_STRIDED.properties
    assert (views.at_run_time, views.known, views.layout) == (runtime.at_run_time, runtime.known, Layout.STRIDED)
    assert Form.RUNTIME_STRIDED.must_be_declared


def test_a_form_knows_dims_ranks_or_neither() -> None:
    assert names({form for form in Form if form.has_unknown_ranks}) == {
        "dynamic-rank",
        "runtime-dynamic-rank",
        "second-rank",
    }
    assert not any(form.has_unknown_dims and form.has_unknown_ranks for form in Form)


def test_constant_data_leaves_nothing_for_run_time() -> None:
    folded = {form for form in Form if form.has_constant_data}
    assert names(folded) == {"constant-folded", "external-data"}
    assert {form.properties.at_run_time for form in folded} == {AtRunTime.NOTHING}


@pytest.mark.parametrize(
    ("form", "neighbour"),
    [
        (Form.AFTER_RELU, "the Relu"),
        (Form.BEFORE_CONCAT, "the Concat"),
        (Form.CONSTANT_FOLDED, "the constant"),
        (Form.STRIDED, "the input"),
        (Form.DYNAMIC, ""),
    ],
)
def test_the_neighbour_is_the_other_node_of_the_graph(form: Form, neighbour: str) -> None:
    assert form.neighbour == neighbour
