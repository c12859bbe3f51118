from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import onnx
import pytest
from bundled import bundled_operators
from onnx import AttributeProto, ModelProto, TensorProto, defs, helper, numpy_helper

from conformance.protocol.call import Attribute, Call, Input
from conformance.protocol.form import Encoding, Graph
from conformance.protocol.outcome import NotExpressibleOutcome
from conformance.spec.check import declared
from conformance.spec.lowering.onnx_model import Lowered, lower
from conformance.spec.lowering.onnx_proto import ELEMENT_TYPES
from conformance.spec.lowering.openvino_split import TARGET_LAST_OPSET, TARGET_VERSION
from conformance.suite.suite import bundled_folder
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import (
    Tensor,
    array_from_tensor,
    mask_unused_bits,
    numpy_dtype,
    pack_integers,
    pack_strings,
    tensor_from_array,
)


def constant(name: str, values: list[int], shape: tuple[int, ...] | None = None, dtype: str = "int64") -> Input:
    shape = (len(values),) if shape is None else shape
    return Input(name=name, dtype=dtype, dims=shape, constant=pack_integers(values, dtype, shape))


def runtime(name: str, dims: tuple[int | None, ...], dtype: str = "float32") -> Input:
    return Input(name=name, dtype=dtype, dims=dims)


def call(operator: str, *inputs: Input, outputs: int = 2, **attributes: Attribute) -> Call:
    return as_declared(Call(operator=operator, attributes=attributes, inputs=inputs, declared_outputs=outputs))


OPERATORS = bundled_operators()


def as_declared(made: Call) -> Call:
    operator = OPERATORS.get(made.operator)
    shapes = {item.name: tuple(dim or 1 for dim in item.dims or ()) for item in made.inputs}
    return made if operator is None else declared(made, operator, shapes)


def parsed(request: Call) -> ModelProto:
    answer = lower(request)
    assert isinstance(answer, Lowered)
    return ModelProto.FromString(answer.model)


def control(graph: Graph, *inputs: Input, operator: str = "onnx.Split-13") -> Call:
    made = Call(
        operator=operator,
        attributes={},
        inputs=inputs,
        declared_outputs=1,
        graph=graph,
        concat_axis=1 if graph is Graph.BEFORE_CONCAT else None,
        is_control=True,
    )
    return as_declared(made)


def reason(request: Call) -> str:
    answer = lower(request)
    assert isinstance(answer, NotExpressibleOutcome)
    return answer.message


def lowered(request: Call) -> str:
    answer = lower(request)
    assert isinstance(answer, Lowered)
    return answer.lowered


def lengths_of(model: ModelProto) -> list[int]:
    lengths: list[int] = numpy_helper.to_array(model.graph.initializer[0]).tolist()
    return lengths


def model_by_onnx_helper(
    node: onnx.NodeProto,
    opset: int,
    inputs: list[onnx.ValueInfoProto],
    output_dims: dict[str, list[int | str]],
    initializers: list[TensorProto],
) -> ModelProto:
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in output_dims.items()]
    graph = helper.make_graph([node], f"Split-{opset}", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="opconform")


def beside(dim: int | str) -> dict[str, list[int | str]]:
    """The dims of two parts along axis 1: the first dim is that of the data."""
    return {name: [dim, f"{name}_dim_1"] for name in ("output_0", "output_1")}


def test_a_constant_split_is_an_initializer_as_onnx_helper_writes_it() -> None:
    request = call("onnx.Split-13", runtime("input", (2, 6)), constant("split", [2, 4]), axis=-1)
    node = helper.make_node("Split", ["input", "split"], ["output_0", "output_1"], axis=-1)
    split = numpy_helper.from_array(np.array([2, 4], dtype=np.int64), "split")
    data = helper.make_tensor_value_info("input", TensorProto.FLOAT, [2, 6])
    assert parsed(request) == model_by_onnx_helper(node, 13, [data], beside(2), [split])


def test_a_runtime_split_with_unknown_dims_is_a_graph_input_as_onnx_helper_writes_it() -> None:
    request = call("onnx.Split-18", runtime("input", (None, None)), runtime("split", (None,), "int64"), axis=1)
    node = helper.make_node("Split", ["input", "split"], ["output_0", "output_1"], axis=1)
    data = helper.make_tensor_value_info("input", TensorProto.FLOAT, ["input_dim_0", "input_dim_1"])
    split = helper.make_tensor_value_info("split", TensorProto.INT64, ["split_dim_0"])
    assert parsed(request) == model_by_onnx_helper(node, 18, [data, split], beside("input_dim_0"), [])


def test_an_attribute_with_lengths_is_written_as_onnx_helper_writes_it() -> None:
    request = call("onnx.Split-2", runtime("input", (300,)), outputs=3, split=[100, 0, 200])
    outputs = ["output_0", "output_1", "output_2"]
    node = helper.make_node("Split", ["input"], outputs, split=[100, 0, 200])
    data = helper.make_tensor_value_info("input", TensorProto.FLOAT, [300])
    assert parsed(request) == model_by_onnx_helper(node, 2, [data], {name: [f"{name}_dim_0"] for name in outputs}, [])


@pytest.mark.parametrize("version", [1, 2, 11, 13, 18])
def test_the_model_of_a_valid_call_passes_the_checker_of_onnx(version: int) -> None:
    attributes: dict[str, Any] = {"num_outputs": 2} if version == 18 else {}
    request = call(f"onnx.Split-{version}", runtime("input", (2, 6)), axis=1, **attributes)
    onnx.checker.check_model(parsed(request), full_check=True)
    assert parsed(request).opset_import[0].version == version


@pytest.mark.parametrize("dtype", sorted(set(ELEMENT_TYPES) - {"string"}))
@pytest.mark.parametrize("count", [0, 1, 3, 21])
def test_a_constant_of_every_type_keeps_its_bits(dtype: str, count: int) -> None:
    content = filled(dtype, (count,), Fill.SPECIAL)
    request = call("onnx.Split-18", Input(name="input", dtype=dtype, dims=(count,), constant=content))
    initializer = parsed(request).graph.initializer[0]
    given_back = tensor_from_array(numpy_helper.to_array(initializer))
    assert (given_back.dtype, given_back.shape) == (dtype, (count,))
    assert bytes(mask_unused_bits(given_back)) == bytes(mask_unused_bits(content))


def test_strings_keep_their_text() -> None:
    content = filled("string", (8,), Fill.SPECIAL)
    request = call("onnx.Split-18", Input(name="input", dtype="string", dims=(8,), constant=content))
    given_back = numpy_helper.to_array(parsed(request).graph.initializer[0])
    assert given_back.tolist() == array_from_tensor(content).tolist()


@pytest.mark.parametrize("dtype", sorted(ELEMENT_TYPES))
def test_element_types_are_numbered_as_in_onnx_proto(dtype: str) -> None:
    assert helper.np_dtype_to_tensor_dtype(numpy_dtype(dtype)) == ELEMENT_TYPES[dtype]


@pytest.mark.parametrize("dtype", sorted(set(DTYPES) - set(ELEMENT_TYPES)))
def test_a_type_without_a_number_in_onnx_proto_is_not_expressible(dtype: str) -> None:
    assert reason(call("onnx.Split-18", runtime("input", (2,), dtype))) == f"ONNX has no element type {dtype}"


@pytest.mark.parametrize(
    ("dtype", "ir_version"),
    [
        ("float32", 8),
        ("float8_e5m2", 9),
        ("int4", 10),
        ("float4_e2m1fn", 11),
        ("float8_e8m0fnu", 12),
        ("uint2", 13),
        ("float6_e2m3fn", 14),
    ],
)
def test_the_ir_version_is_the_lowest_that_has_the_type(dtype: str, ir_version: int) -> None:
    assert parsed(call("onnx.Split-18", runtime("input", (2,), dtype))).ir_version == ir_version


def test_attributes_and_inputs_of_another_version_are_carried_verbatim() -> None:
    request = call("onnx.Split-2", runtime("input", (6,)), constant("split", [3, 3]), num_outputs=2, split=[-1, 7])
    node = parsed(request).graph.node[0]
    assert list(node.input) == ["input", "split"]
    assert {item.name: helper.get_attribute_value(item) for item in node.attribute} == {
        "num_outputs": 2,
        "split": [-1, 7],
    }


def test_an_input_that_no_version_has_follows_the_known_ones() -> None:
    request = call("onnx.Split-18", constant("axis", [0]), constant("split", [3, 3]), runtime("input", (6,)))
    assert list(parsed(request).graph.node[0].input) == ["input", "split", "axis"]


def test_a_missing_input_before_a_given_one_is_an_empty_name() -> None:
    assert list(parsed(call("onnx.Split-13", constant("split", [3, 3]))).graph.node[0].input) == ["", "split"]


def test_lengths_of_a_wrong_type_and_rank_are_carried_verbatim() -> None:
    request = call("onnx.Split-13", runtime("input", (6,)), constant("split", [3, 3], (1, 2), "int32"))
    initializer = parsed(request).graph.initializer[0]
    assert (initializer.data_type, list(initializer.dims)) == (TensorProto.INT32, [1, 2])


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (-3, AttributeProto.INT),
        (0.5, AttributeProto.FLOAT),
        ("one", AttributeProto.STRING),
        ([], AttributeProto.INTS),
        ([1, -2], AttributeProto.INTS),
        ([1.5, 2.0], AttributeProto.FLOATS),
        (["é", "b"], AttributeProto.STRINGS),
    ],
)
def test_an_attribute_has_the_type_of_its_value(value: Attribute, kind: int) -> None:
    attribute = parsed(call("onnx.Split-18", runtime("input", (6,)), axis=value)).graph.node[0].attribute[0]
    assert attribute == helper.make_attribute("axis", value, attr_type=kind)


def test_an_attribute_beyond_64_bits_is_not_expressible() -> None:
    request = call("onnx.Split-18", runtime("input", (6,)), axis=1 << 63)
    assert reason(request) == "the attribute axis is 9223372036854775808, and ONNX writes whole numbers with 64 bits"


def test_outputs_have_the_rank_of_the_data_and_the_dims_beside_the_axis() -> None:
    output = parsed(call("onnx.Split-18", runtime("input", (2, 6)), num_outputs=2)).graph.output[1]
    assert output == helper.make_tensor_value_info("output_1", TensorProto.FLOAT, ["output_1_dim_0", 6])


def test_variadic_split_becomes_split_13_with_the_axis_as_an_attribute() -> None:
    request = call(
        "openvino.VariadicSplit-1",
        runtime("data", (None, 6)),
        constant("axis", [-1], ()),
        constant("split_lengths", [2, 4]),
    )
    model = parsed(request)
    assert (model.opset_import[0].version, lengths_of(model)) == (13, [2, 4])
    assert list(model.graph.node[0].input) == ["data", "split_lengths"]
    assert model.graph.node[0].attribute[0] == helper.make_attribute("axis", -1)
    assert lowered(request) == "as ONNX Split-13"


def test_a_single_minus_one_is_resolved_and_said() -> None:
    data, axis = runtime("data", (2, 6)), constant("axis", [1], (1,), "uint8")
    request = call("openvino.VariadicSplit-1", data, axis, constant("split_lengths", [1, -1, 2], dtype="int8"))
    assert lengths_of(parsed(request)) == [1, 3, 2]
    assert lowered(request) == "as ONNX Split-13, lengths converted from int8, -1 resolved by the lowering"


def test_lengths_that_do_not_add_up_and_an_axis_out_of_range_are_left_to_the_framework() -> None:
    data, lengths = runtime("data", (6,)), constant("split_lengths", [9, 9, 9])
    model = parsed(call("openvino.VariadicSplit-1", data, constant("axis", [7], ()), lengths))
    assert lengths_of(model) == [9, 9, 9]
    assert model.graph.node[0].attribute[0].i == 7
    assert len(model.graph.output) == 3


AXIS = constant("axis", [0], ())
DATA = runtime("data", (6,))
LENGTHS = constant("split_lengths", [2, 4])


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ((DATA, runtime("axis", (), "int64")), "ONNX Split takes the axis as an attribute, not at run time"),
        (
            (DATA, AXIS, runtime("split_lengths", (2,), "uint64")),
            "ONNX Split takes no lengths of uint64, and Cast-13 makes no int64 of each",
        ),
        (
            (DATA, constant("axis", [0, 0], (1, 2)), constant("split_lengths", [2, 4])),
            "an attribute of ONNX is a number or a list, and the axis has more dims",
        ),
        (
            (DATA, Input(name="axis", dtype="float16", dims=(), constant=Tensor("float16", (), b"\0\0"))),
            "an attribute of ONNX has no type float16",
        ),
        ((DATA, LENGTHS), "ONNX Split takes an axis that is left out for 0"),
        ((DATA, AXIS), "ONNX Split without lengths makes equal parts"),
        ((runtime("data", (6,), "int4"), AXIS, AXIS), "ONNX Split-13 has no type int4"),
        (
            (DATA, AXIS, constant("split_lengths", [1 << 63], dtype="uint64")),
            "the length 9223372036854775808 does not fit int64, which ONNX Split takes",
        ),
    ],
)
def test_what_onnx_split_cannot_say_of_variadic_split_is_not_expressible(inputs: tuple[Input, ...], why: str) -> None:
    assert reason(call("openvino.VariadicSplit-1", *inputs)) == why


@pytest.mark.parametrize(
    ("axis", "lengths"),
    [([0], [-1, -1]), ([0], [-2, 8]), ([0], [-1, 7]), ([3], [2, -1]), ([0, 0], [2, 4])],
)
def test_what_onnx_forbids_too_is_written_down_as_it_is(axis: list[int], lengths: list[int]) -> None:
    given = constant("axis", axis, () if len(axis) == 1 else None), constant("split_lengths", lengths)
    model = parsed(call("openvino.VariadicSplit-1", DATA, *given))
    (written,) = model.graph.node[-1].attribute
    assert list(written.ints) or [written.i] == axis
    if axis != [3]:  # where the model does not know the length of the axis, other operators make something of a -1
        assert lengths_of(model) == lengths


def test_lengths_at_run_time_are_resolved_by_other_operators() -> None:
    request = call("openvino.VariadicSplit-1", DATA, AXIS, runtime("split_lengths", (2,), "int32"), outputs=2)
    model = parsed(request)
    assert [item.name for item in model.graph.input] == ["data", "split_lengths"]
    assert [item.op_type for item in model.graph.node] == [
        "Cast", "Shape", "Gather", "ReduceSum", "Sub", "Add", "Equal", "Where", "Split",
    ]  # fmt: skip
    assert list(model.graph.node[-1].input) == ["data", "resolved"]


def test_split_1_becomes_split_13_without_lengths() -> None:
    model = parsed(call("openvino.Split-1", runtime("data", (6,)), AXIS, outputs=9, num_splits=3))
    assert list(model.graph.node[0].input) == ["data"]
    assert list(model.graph.node[0].output) == ["output_0", "output_1", "output_2"]


@pytest.mark.parametrize(
    ("num_splits", "why"),
    [
        (-1, "an ONNX node cannot declare -1 outputs"),
        (1 << 40, "a model that declares 1099511627776 outputs is too large to write"),
        (2.0, "ONNX Split-13 makes as many parts as it has outputs, not 2.0"),
    ],
)
def test_a_number_of_splits_that_no_node_can_declare_is_not_expressible(num_splits: Attribute, why: str) -> None:
    assert reason(call("openvino.Split-1", runtime("data", (6,)), AXIS, num_splits=num_splits)) == why


def test_an_operator_of_another_dialect_has_no_lowering() -> None:
    assert reason(call("openvino.Concat-1")) == "there is no lowering of openvino.Concat-1 to ONNX"


@pytest.mark.parametrize(
    ("operator", "inputs", "written"),
    [
        ("openvino.Split-1", (DATA, AXIS, constant("extra", [1])), ["data", "", "extra"]),
        ("openvino.VariadicSplit-1", (DATA, AXIS, LENGTHS, constant("extra", [1])), ["data", "split_lengths", "extra"]),
        ("openvino.VariadicSplit-1", (AXIS, LENGTHS), ["", "split_lengths"]),
        ("openvino.Split-1", (AXIS,), []),
    ],
)
def test_surplus_inputs_and_missing_data_are_left_to_the_framework(
    operator: str, inputs: tuple[Input, ...], written: list[str]
) -> None:
    attributes: dict[str, Any] = {"num_splits": 2} if operator == "openvino.Split-1" else {}
    assert list(parsed(call(operator, *inputs, **attributes)).graph.node[0].input) == written


def test_surplus_attributes_are_left_to_the_framework() -> None:
    model = parsed(call("openvino.Split-1", DATA, AXIS, num_splits=2, num_outputs=2))
    assert {item.name for item in model.graph.node[0].attribute} == {"axis", "num_outputs"}


def test_an_attribute_with_the_name_of_the_axis_is_right_in_onnx() -> None:
    assert reason(call("openvino.Split-1", DATA, axis=0, num_splits=2)) == "ONNX Split has the attribute axis itself"


@pytest.mark.parametrize(
    ("axis", "field"),
    [(Tensor("float32", (), b"\0\0\x80?"), "f"), (pack_strings([b"1"], ()), "s")],
)
def test_an_axis_of_another_type_is_an_attribute_of_that_type(axis: Tensor, field: str) -> None:
    given = Input(name="axis", dtype=axis.dtype, dims=(), constant=axis)
    (written,) = parsed(call("openvino.VariadicSplit-1", DATA, given, LENGTHS)).graph.node[0].attribute
    assert getattr(written, field) == {"f": 1.0, "s": b"1"}[field]


def test_a_node_may_declare_no_outputs() -> None:
    assert list(parsed(call("openvino.Split-1", DATA, AXIS, num_splits=0)).graph.node[0].output) == []


def test_lengths_at_run_time_of_a_wrong_rank_are_left_to_the_framework() -> None:
    model = parsed(call("openvino.VariadicSplit-1", DATA, AXIS, runtime("split_lengths", (), "int32"), outputs=2))
    assert [item.op_type for item in model.graph.node] == ["Cast", "Split"]


def test_lengths_at_run_time_that_are_no_integers_are_left_to_the_framework() -> None:
    model = parsed(call("openvino.VariadicSplit-1", DATA, AXIS, runtime("split_lengths", (2,), "float32"), outputs=2))
    assert list(model.graph.node[0].input) == ["data", "split_lengths"]


def test_a_model_is_written_without_numpy_and_onnx() -> None:
    program = (
        "import sys, conformance.spec.lowering.onnx_model; print(sys.modules.keys() & {'numpy', 'onnx', 'google'})"
    )
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_input_of_unknown_rank_has_a_type_and_no_shape() -> None:
    graph = parsed(call("onnx.Split-13", Input(name="input", dtype="float32", dims=None))).graph
    for value in (*graph.input, *graph.output):
        assert value.type.tensor_type.elem_type == TensorProto.FLOAT
        assert not value.type.tensor_type.HasField("shape")


def test_a_relu_stands_before_the_operator() -> None:
    request = call("onnx.Split-2", runtime("input", (2, 6)), axis=1)
    model = parsed(replace(request, graph=Graph.AFTER_RELU))
    assert [(n.op_type, list(n.input)) for n in model.graph.node] == [("Relu", ["input"]), ("Split", ["rectified"])]
    assert model.opset_import[0].version == 10


def test_a_concat_stands_behind_the_operator_and_gives_the_only_output() -> None:
    request = call("onnx.Split-13", runtime("input", (2, 6)), constant("split", [2, 4]), axis=-1)
    model = parsed(replace(request, graph=Graph.BEFORE_CONCAT, concat_axis=1))
    split, concat = model.graph.node
    assert list(split.output) == list(concat.input) == ["part_0", "part_1"]
    assert [output.name for output in model.graph.output] == list(concat.output) == ["output_0"]
    assert concat.attribute[0].i == 1
    onnx.checker.check_model(model)


def test_outputs_that_nothing_takes_have_names() -> None:
    request = call("onnx.Split-13", runtime("input", (6,)), constant("split", [1, 2, 3]), outputs=3)
    graph = parsed(replace(request, graph=Graph.UNUSED_OUTPUTS)).graph
    assert list(graph.node[0].output) == ["output_0", "output_1", "output_2"]
    assert [output.name for output in graph.output] == ["output_0", "output_2"]


def test_every_second_output_has_an_empty_name() -> None:
    request = call("onnx.Split-13", runtime("input", (6,)), outputs=4)
    model = parsed(replace(request, encoding=Encoding.UNNAMED_OUTPUTS))
    assert list(model.graph.node[0].output) == ["output_0", "", "output_2", ""]
    assert [output.name for output in model.graph.output] == ["output_0", "output_2"]
    onnx.checker.check_model(model)


def test_an_optional_input_that_is_left_out_has_an_empty_name() -> None:
    request = call("onnx.Split-18", runtime("input", (6,)), num_outputs=2)
    model = parsed(replace(request, encoding=Encoding.EMPTY_INPUT_NAME))
    assert list(model.graph.node[0].input) == ["input", ""]
    onnx.checker.check_model(model)


def test_constants_of_external_data_are_read_from_the_file_beside_the_model(tmp_path: Path) -> None:
    data = filled("float32", (2, 3), Fill.DISTINCT)
    given = Input(name="input", dtype="float32", dims=(2, 3), constant=data)
    request = call("onnx.Split-13", given, constant("split", [1, 1]))
    answer = lower(replace(request, encoding=Encoding.EXTERNAL_DATA))
    assert isinstance(answer, Lowered)
    assert answer.model_data is not None
    (tmp_path / "model.onnx").write_bytes(answer.model)
    (tmp_path / "model.data").write_bytes(answer.model_data)
    read, lengths = onnx.load(tmp_path / "model.onnx").graph.initializer
    assert numpy_helper.to_array(read).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert numpy_helper.to_array(lengths).tolist() == [1, 1]
    onnx.checker.check_model(tmp_path / "model.onnx")


def test_texts_do_not_lie_outside_a_model() -> None:
    given = Input(name="input", dtype="string", dims=(2,), constant=filled("string", (2,), Fill.DISTINCT))
    request = replace(call("onnx.Split-13", given), encoding=Encoding.EXTERNAL_DATA)
    assert reason(request) == "ONNX keeps texts in the file of the model"


def test_a_relu_that_does_not_take_the_type_makes_no_model() -> None:
    request = replace(call("onnx.Split-2", runtime("input", (6,), "int32")), graph=Graph.AFTER_RELU)
    assert reason(request) == "ONNX Relu takes no int32 in opset 10"


@pytest.mark.parametrize(("graph", "op_type"), [(Graph.NONE, "Identity"), (Graph.AFTER_RELU, "Relu")])
def test_a_control_is_what_stands_around_the_operator_alone(graph: Graph, op_type: str) -> None:
    built = parsed(control(graph, runtime("a", (2, 3)))).graph
    (only,) = built.node
    assert (only.op_type, list(only.input)) == (op_type, ["a"])
    assert ([item.name for item in built.input], [item.name for item in built.output]) == (["a"], ["output_0"])


def test_the_concat_of_a_control_reads_everything_twice() -> None:
    model = parsed(control(Graph.BEFORE_CONCAT, runtime("a", (2, 3)), runtime("b", (2, 1))))
    (only,) = model.graph.node
    assert (only.op_type, list(only.input)) == ("Concat", ["a", "b", "a", "b"])
    assert helper.get_attribute_value(only.attribute[0]) == 1


@pytest.mark.parametrize(
    ("operator", "opset"), [("onnx.Split-2", 10), ("onnx.Split-18", 18), ("openvino.VariadicSplit-1", 17)]
)
def test_a_control_has_the_opset_of_the_graph_that_it_is_of(operator: str, opset: int) -> None:
    model = parsed(control(Graph.AFTER_RELU, runtime("a", (2, 3)), operator=operator))
    assert model.opset_import[0].version == opset


def test_a_constant_stays_one_in_a_control() -> None:
    graph = parsed(control(Graph.NONE, constant("a", [1, 2]))).graph
    assert (list(graph.input), [item.name for item in graph.initializer]) == ([], ["a"])


def test_a_neighbour_that_does_not_take_the_type_leaves_no_control() -> None:
    request = control(Graph.AFTER_RELU, runtime("a", (2,), "string"))
    assert reason(request) == "ONNX Relu takes no string in opset 17"


def test_an_input_left_out_in_the_middle_keeps_its_place_as_an_empty_name() -> None:
    given = (runtime("data", (4,)), constant("starts", [0]), constant("ends", [4]), constant("steps", [2]))
    request = replace(
        call("onnx.Slice-13", *given, outputs=1),
        signature=("data", "starts", "ends", "axes", "steps"),
        output_dtype="float32",
        output_rank=1,
    )
    assert list(parsed(request).graph.node[0].input) == ["data", "starts", "ends", "", "steps"]


def test_outputs_have_the_type_and_rank_of_the_page_and_not_those_of_the_first_input() -> None:
    request = replace(call("onnx.Shape-13", runtime("data", (4, 2)), outputs=1), output_dtype="int64")
    output = parsed(request).graph.output[0].type.tensor_type
    assert (output.elem_type, output.HasField("shape")) == (TensorProto.INT64, False)


@pytest.mark.parametrize(
    "name", sorted({path.parent.name for path in (bundled_folder("cases") / "onnx").glob("*/operator.yaml")})
)
def test_each_version_lasts_until_the_next_one_of_onnx(name: str) -> None:
    since = sorted({schema.since_version for schema in defs.get_all_schemas_with_history() if schema.name == name})
    known = [OPERATORS.get(f"onnx.{name}-{version}") for version in since]
    versions = [operator for operator in known if operator is not None]
    assert [operator.version for operator in versions] == since[: len(versions)]
    assert [operator.last_opset for operator in versions[:-1]] == [later - 1 for later in since[1 : len(versions)]]


def test_a_lowered_split_is_in_the_last_opset_of_its_version() -> None:
    later = defs.get_schema("Split", TARGET_LAST_OPSET + 1).since_version
    assert (defs.get_schema("Split", TARGET_LAST_OPSET).since_version, later) == (TARGET_VERSION, TARGET_LAST_OPSET + 1)
