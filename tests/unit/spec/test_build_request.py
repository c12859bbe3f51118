from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import VARIADIC

from conformance.protocol.form import Form, Graph, Layout
from conformance.spec.case import Argument, Case, Parts, Value
from conformance.spec.check import Check
from conformance.spec.operator import Operator, OutputRule, Parameter, Role
from conformance.tensors.tensor import array_from_tensor

SPLIT = Operator(
    dialect="onnx",
    name="Split",
    version=13,
    parameters=(
        Parameter(name="input", role=Role.INPUT),
        Parameter(name="axis", role=Role.ATTRIBUTE),
        Parameter(name="split", role=Role.INPUT),
    ),
    constraints={},
    clauses={},
    data=("input",),
    outputs=OutputRule(type_of="input", ranks=("rank(input)",)),
    split_axis="axis",
    default_axis=0,
    takes_negative_axis=True,
    lengths="split",
    num_outputs="num_outputs",
)
CASE = Case(
    id="onnx.Split-13/a",
    operator=SPLIT,
    clauses=(),
    arguments=(
        Argument("input", Role.INPUT, Value(dtype="int8", shape=(2, 3))),
        Argument("axis", Role.ATTRIBUTE, 1),
        Argument("split", Role.INPUT, Value(dtype="int64", shape=(2,), data=b"\1" + b"\0" * 7 + b"\2" + b"\0" * 7)),
    ),
    declared_outputs=2,
    expectation=Parts(((0, 1), (1, 3))),
    where="a.yaml:1",
)
VARIADIC_CASE = replace(
    CASE,
    operator=VARIADIC,
    arguments=(
        Argument("data", Role.INPUT, Value(dtype="int8", shape=(2, 3))),
        Argument("axis", Role.INPUT, Value(dtype="int8", shape=(), data=b"\1")),
        Argument("split_lengths", Role.INPUT, Value(dtype="int8", shape=(2,), data=b"\1\2")),
    ),
)


@pytest.mark.parametrize(
    ("form", "runtime"),
    [
        (Form.CONSTANT, ["data"]),
        (Form.RUNTIME, ["data", "axis", "split_lengths"]),
        (Form.RUNTIME_AXIS, ["data", "axis"]),
        (Form.RUNTIME_LENGTHS, ["data", "split_lengths"]),
        (Form.EXTERNAL_DATA, []),
    ],
)
def test_form_decides_which_inputs_come_at_run_time(form: Form, runtime: list[str]) -> None:
    assert list(Check(VARIADIC_CASE, form).request.runs[-1]) == runtime


@pytest.mark.parametrize(
    ("form", "dims"),
    [
        (Form.RUNTIME_LENGTHS, (2,)),
        (Form.RUNTIME_DYNAMIC, (2,)),
        (Form.RUNTIME_DYNAMIC_RANK, (2,)),
        (Form.SECOND_ARGUMENTS, (2,)),
        (Form.UNCOUNTED_LENGTHS, (None,)),
    ],
)
def test_model_knows_how_many_lengths_there_are_where_they_alone_determine_the_number_of_outputs(
    form: Form, dims: tuple[int | None, ...]
) -> None:
    lengths = Check(VARIADIC_CASE, form).request.call.input("split_lengths")
    assert lengths is not None
    assert lengths.dims == dims


def test_form_decides_how_a_model_is_written() -> None:
    encodings = [Form.UNNAMED_OUTPUTS, Form.EMPTY_INPUT_NAME, Form.EXTERNAL_DATA]
    assert [Check(CASE, form).request.call.encoding.value for form in encodings] == [form.value for form in encodings]


@pytest.mark.parametrize("form", [Form.UNUSED_OUTPUTS, Form.UNNAMED_OUTPUTS], ids=lambda form: form.value)
def test_every_second_output_is_left_out_of_the_graph(form: Form) -> None:
    assert ["first", "second", "third"][Check(CASE, form).request.call.graph_outputs] == ["first", "third"]


@pytest.mark.parametrize(
    ("form", "dims", "constants", "runtime"),
    [
        (Form.CONSTANT, {"input": (2, 3), "split": (2,)}, ["split"], [["input"]]),
        (Form.RUNTIME, {"input": (2, 3), "split": (2,)}, [], [["input", "split"]]),
        (Form.DYNAMIC, {"input": (None, None), "split": (2,)}, ["split"], [["input"]]),
        (Form.RUNTIME_DYNAMIC, {"input": (None, None), "split": (None,)}, [], [["input", "split"]]),
        (Form.AXIS_FROM_END, {"input": (2, 3), "split": (2,)}, ["split"], [["input"]]),
        (Form.SECOND_CALL, {"input": (None, None), "split": (2,)}, ["split"], [["input"]] * 3),
        (Form.SECOND_RANK, {"input": None, "split": (2,)}, ["split"], [["input"]] * 3),
        (Form.DYNAMIC_RANK, {"input": None, "split": (2,)}, ["split"], [["input"]]),
        (Form.RUNTIME_DYNAMIC_RANK, {"input": None, "split": None}, [], [["input", "split"]]),
        (Form.SAME_CALL_TWICE, {"input": (2, 3), "split": (2,)}, ["split"], [["input"]] * 3),
        (Form.SECOND_ARGUMENTS, {"input": (None, None), "split": (None,)}, [], [["input", "split"]] * 5),
        (Form.BEFORE_CONCAT, {"input": (2, 3), "split": (2,)}, ["split"], [["input"]] * 2),
        (Form.CONSTANT_FOLDED, {"input": (2, 3), "split": (2,)}, ["input", "split"], [[]] * 2),
    ],
)
def test_form_decides_what_the_model_knows(
    form: Form, dims: dict[str, tuple[int | None, ...] | None], constants: list[str], runtime: list[list[str]]
) -> None:
    request = Check(CASE, form).request
    assert {item.name: item.dims for item in request.call.inputs} == dims
    assert [item.name for item in request.call.inputs if item.constant is not None] == constants
    assert [list(run) for run in request.runs] == runtime


def test_a_call_as_it_is_in_a_model_has_the_inputs_and_dims_of_that_model() -> None:
    case = replace(CASE, in_model={"input": (2, None)})
    data, lengths = Check(case, Form.AS_IN_THE_MODEL).request.call.inputs
    assert (data.dims, data.constant) == ((2, None), None)
    assert lengths.constant is not None
    constant, _ = Check(replace(CASE, in_model={}), Form.AS_IN_THE_MODEL).request.call.inputs
    assert constant.constant is not None


@pytest.mark.parametrize(("known", "dims"), [(None, None), ((5, 3), (None, 3)), ((None,), None)])
def test_dims_of_a_model_that_another_call_does_not_have_are_unknown(
    known: tuple[int | None, ...] | None, dims: tuple[int | None, ...] | None
) -> None:
    case = replace(CASE, in_model={"input": known})
    assert Check(case, Form.AS_IN_THE_MODEL).request.call.inputs[0].dims == dims


def test_attributes_and_declared_outputs_are_part_of_the_call() -> None:
    call = Check(CASE, Form.CONSTANT).request.call
    assert (call.operator, call.dialect, call.attributes, call.declared_outputs) == (
        "onnx.Split-13",
        "onnx",
        {"axis": 1},
        2,
    )


def test_axis_from_the_end_is_written_into_the_attribute() -> None:
    assert Check(CASE, Form.AXIS_FROM_END).request.call.attributes == {"axis": -1}


def test_constant_has_a_value_and_a_runtime_input_has_none() -> None:
    call = Check(CASE, Form.CONSTANT).request.call
    data, split = call.input("input"), call.input("split")
    assert data is not None
    assert split is not None
    assert split.array.tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"^input 'input' comes at run time and has no value yet$"):
        _ = data.array
    assert call.input("axis") is None


def test_run_with_another_shape_comes_between_those_of_the_case() -> None:
    first, second, third = Check(CASE, Form.SECOND_CALL).request.runs
    assert third == first
    assert array_from_tensor(first["input"]).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert array_from_tensor(second["input"]).shape == (3, 3)


def test_size_counts_constants_and_runs() -> None:
    assert Check(CASE, Form.CONSTANT).request.nbytes == 16 + 6
    assert Check(CASE, Form.SECOND_CALL).request.nbytes == 16 + 6 + 9 + 6


def test_graphs_and_layouts_are_reported() -> None:
    relu, concat, strided = (Check(CASE, f).request for f in (Form.AFTER_RELU, Form.BEFORE_CONCAT, Form.STRIDED))
    assert relu.call.graph is Graph.AFTER_RELU
    assert (concat.call.graph, concat.call.concat_axis) == (Graph.BEFORE_CONCAT, 1)
    assert (strided.layout, strided.call.graph) == (Layout.STRIDED, Graph.NONE)
