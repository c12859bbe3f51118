"""Every reason for *not expressible* and *unsupported* that stands in an adapter or in the lowering is true.

Each is tried against the framework, without the adapter: what it says cannot be done is done here, and fails. A reason
without an entry fails the test, and so does an entry without a reason.
"""

from __future__ import annotations

import ast
import ctypes
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from bundled import bundled_operators, cases_of_operators
from gallery import MadeOnce
from oldest import needs_wheels, oldest_python

from conformance.adapter import Description
from conformance.protocol.form import Form
from conformance.protocol.serve import load_adapter
from conformance.spec.lowering.openvino_split import REWRITES
from conformance.spec.operator import is_named
from conformance.suite.adapter_file import read_adapter
from conformance.suite.suite import bundled_folder
from conformance.tensors.dtypes import DTYPES

pytestmark = [pytest.mark.slow, pytest.mark.frameworks]
os.environ["CI"] = "true"  # no telemetry of OpenVINO


class _Framework:
    """A package that is imported when a test uses it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


torch: Any = _Framework("torch")
onnx: Any = _Framework("onnx")
ort: Any = _Framework("onnxruntime")
ov: Any = _Framework("openvino")

RAISES = ("NotExpressible", "NotExpressibleOutcome", "Unsupported", "UnsupportedOutcome", "NoLoweringError")
LOWERING = Path(__file__).parents[2] / "conformance" / "spec" / "lowering"


def reasons_in(folder: Path) -> set[str]:
    """The reasons that are written in the modules of a folder; what is filled in is `{}`."""
    modules = (path for path in folder.rglob("*.py") if path.name != "repro.py")  # scripts repeat what adapters say
    calls = (node for path in modules for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    raised = (node for node in calls if isinstance(node.func, ast.Name) and node.func.id in RAISES)
    texts = (text for node in raised for text in (*node.args, *(item.value for item in node.keywords)))
    return {written for text in texts if (written := _written(text))}


def _written(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case _:
            return ""  # the framework's own words


def case_counts(name: str) -> list[int]:
    """The values of num_splits in the cases of a family."""
    (family,) = [item for item in cases_of_operators("openvino.Split").families if item.id == name]
    return [int(case.value("num_splits")) for case in family.cases()]  # type: ignore[arg-type]


def described_by(folder: Path) -> Description:
    """What an adapter says of itself with its default options."""
    options = {name: option.default or "" for name, option in read_adapter(folder).manifest.options.items()}
    return load_adapter(folder, options).describe()


def refuses(call: Callable[[], object], words: str | None = None) -> None:
    """The framework raises an error with these words."""
    with pytest.raises(Exception, match=words):
        call()


def torch_split(*arguments: object, **named: object) -> object:
    return torch.split(torch.arange(6.0).reshape(2, 3), *arguments, **named)


def torch_permute(*arguments: object, **named: object) -> object:
    return torch.permute(torch.arange(6.0).reshape(2, 3), *arguments, **named)


def torch_cat(*arguments: object, **named: object) -> object:
    data = torch.arange(6.0).reshape(2, 3)
    return torch.cat((data, data), *arguments, **named)


def torch_has_no_place_for_other_names() -> None:
    refuses(lambda: torch_permute([1, 0], axes=[0]), "unexpected keyword")
    refuses(lambda: torch_cat(0, perm=[0]), "unexpected keyword")


def torch_promotes() -> None:
    assert torch.cat((torch.zeros(1), torch.zeros(1, dtype=torch.float64))).dtype is torch.float64


def torch_leaves_out_empty_vectors() -> None:
    assert torch.cat((torch.zeros(0), torch.zeros(2, 3)), 1).shape == (2, 3)
    assert torch.cat((torch.zeros(0), torch.zeros(0)), 5).shape == (0,)


def torch_broadcast_keeps_a_dim() -> None:
    assert torch.broadcast_to(torch.ones(2, 3), (-1, 3)).shape == (2, 3)


def torch_broadcasts_what_is_no_number() -> None:
    assert torch.broadcast_to(torch.tensor([True]), (2,)).tolist() == [True, True]


def torch_select(*arguments: object, **named: object) -> object:
    return torch.index_select(torch.arange(6.0).reshape(2, 3), *arguments, **named)


def torch_selects_by_vectors_of_two_types() -> None:
    for dtype in (torch.int8, torch.int16, torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        refuses(partial(torch_select, 0, torch.ones(1).to(dtype)), "Expected dtype int32 or int64")
    assert torch.index_select(torch.tensor(1.0), 0, torch.tensor([0])).shape == ()
    refuses(lambda: torch_select(0, torch.tensor([[1]])), "supposed to be a vector")
    refuses(lambda: torch_select(0, torch.tensor([2])), "out of range|out of bounds|out of DATA bounds")


def torch_takes_indices_in_brackets() -> None:
    data = torch.arange(6.0).reshape(2, 3)
    assert data[torch.tensor([[-1]])].tolist() == [[[3.0, 4.0, 5.0]]]
    assert data[torch.tensor([True, False])].shape == (1, 3)  # a mask, and no indices
    refuses(lambda: data[torch.tensor([[1.0]])], "must be long, int, byte or bool")
    refuses(lambda: data[torch.tensor([[2]])], "out of bounds")


def torch_fills_in_what_a_range_leaves_out() -> None:
    data = torch.arange(6.0)
    assert torch.equal(data[2:], data[2:6:1])
    assert torch.equal(data[:3], data[0:3:1])
    assert torch.equal(data[np.int16(1) : np.int64(3)], data[1:3])  # numbers of any type
    assert torch.equal(data.reshape(2, 3)[..., 0:1], data.reshape(2, 3)[:, 0:1])
    assert torch.tensor(1.0)[()].shape == ()


def torch_reshape(*arguments: object, **named: object) -> object:
    return torch.reshape(torch.arange(6.0).reshape(2, 3), *arguments, **named)


def torch_reshape_copies_no_dim() -> None:
    refuses(lambda: torch_reshape([0, 2]), "is invalid for input of size 6")


def torch_takes_a_dim_for_a_list_of_one() -> None:
    assert torch.squeeze(torch.ones(2, 1), 1).shape == torch.squeeze(torch.ones(2, 1), [1]).shape == (2,)


def torch_squeezes_what_it_can() -> None:
    assert torch.squeeze(torch.tensor(1.0), 0).shape == ()
    assert torch.squeeze(torch.ones(1, 2), 1).shape == (1, 2)
    assert torch.squeeze(torch.ones(1, 2), []).shape == (1, 2)


def torch_unsqueezes_one_dim() -> None:
    refuses(lambda: torch.unsqueeze(torch.ones(2), [0, 1]), "must be int, not list")
    refuses(lambda: torch.unsqueeze(torch.ones(2)), "missing 1 required")


def torch_makes_no_difference_of_numbers() -> None:
    assert torch_reshape([np.int32(3), np.int64(2)]).shape == (3, 2)  # type: ignore[attr-defined]
    assert torch.squeeze(torch.ones(2, 1), np.int32(1)).shape == (2,)


def torch_has_no_calls_without_data() -> None:
    refuses(torch.squeeze, "invalid combination")
    refuses(lambda: torch.unsqueeze(dim=0), "missing 1 required|missing 2 required")


def torch_takes_no_list_of_dims_as_a_tensor() -> None:
    refuses(lambda: torch.squeeze(torch.ones(1, 1), torch.tensor([0, 1])), "invalid combination")
    refuses(lambda: torch.unsqueeze(torch.ones(2), torch.tensor([0])), "must be int, not Tensor")


def torch_takes_several_ellipses() -> None:
    assert torch.zeros(2, 3)[..., ...].shape == (2, 3)


def torch_counts_from_the_end() -> None:
    assert torch_permute([-1, 0]).shape == (3, 2)  # type: ignore[attr-defined]
    assert torch.equal(torch_cat(-1), torch_cat(1))
    assert torch.squeeze(torch.ones(2, 1), -1).shape == (2,)
    assert torch.unsqueeze(torch.ones(2), -1).shape == (2, 1)


def openvino_takes_no_gap() -> None:
    data, number = ov.opset8.parameter([4], ov.Type.f32), ov.opset8.constant([1], ov.Type.i64)
    refuses(lambda: ov.opset8.slice(data, number, None, number), "Unidentified data type")


def openvino_in_pieces() -> None:
    columns = np.asfortranarray(np.arange(6, dtype=np.uint16).reshape(2, 3))
    refuses(lambda: ov.Tensor(columns, [2, 3], ov.Type.bf16), "C contiguous")
    refuses(lambda: ov.Tensor(columns.view(ml_dtypes.bfloat16)), "Unsupported data type")
    refuses(lambda: ov.Tensor(np.asfortranarray([["a", "b"], ["c", "d"]])), "cannot be created as contiguous")


def openvino_drops_a_layer() -> None:
    text = """<net name="case" version="11"><layers>
    <layer id="0" name="data" type="Parameter" version="opset1"><data shape="6" element_type="f32"/>
    <output><port id="0" precision="FP32"><dim>6</dim></port></output></layer>
    <layer id="1" name="relu" type="ReLU" version="opset1"><input><port id="0"><dim>6</dim></port></input></layer>
    </layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
    model = ov.Core().read_model(model=text.encode(), weights=b"")
    assert [item.get_type_name() for item in model.get_ops()] == ["Parameter"]


def openvino_node_without_outputs() -> None:
    data, lengths = (
        ov.op.Parameter(ov.Type.f32, ov.PartialShape([6])),
        ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])),
    )
    node = ov.opset1.variadic_split(data, np.int64(0), lengths)
    assert not node.outputs()
    refuses(lambda: ov.Model([node], [data, lengths], "case"), "Default output not supported")


def openvino_has_no_place_for_a_text() -> None:
    from openvino.utils.node_factory import NodeFactory

    data, axis = ov.op.Parameter(ov.Type.f32, ov.PartialShape([6])), ov.op.Constant(np.array(0, np.int64))
    refuses(
        lambda: NodeFactory("opset1").create("Split", [data, axis], {"num_splits": "two"}),
        "Unable to cast Python instance",
    )


def openvino_has_no_type(*names: str) -> None:
    known = {name for name in dir(ov.Type) if not name.startswith("_")}
    assert not known & set(names)


def openvino_has_no_strides_of_half_bytes() -> None:
    for element in (ov.Type.i4, ov.Type.nf4):
        whole = ov.Tensor(element, [2, 4])
        refuses(lambda whole=whole: ov.Tensor(whole, [0, 0], [2, 2]), "Could not get strides")  # type: ignore[misc]


def openvino_ir(num_splits: str) -> str:
    """Split of six floats as IR, in a network that OpenVINO reads."""
    dims = "<dim>6</dim>"
    return f"""<net name="case" version="11"><layers>
    <layer id="0" name="data" type="Parameter" version="opset1"><data shape="6" element_type="f32"/>
    <output><port id="0" precision="FP32">{dims}</port></output></layer>
    <layer id="1" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>
    <output><port id="0" precision="I64"/></output></layer>
    <layer id="2" name="split" type="Split" version="opset1"><data num_splits="{num_splits}"/>
    <input><port id="0">{dims}</port><port id="1"/></input>
    <output><port id="2" precision="FP32"/><port id="3" precision="FP32"/></output></layer>
    <layer id="3" name="a" type="Result" version="opset1"><input><port id="0"/></input></layer>
    <layer id="4" name="b" type="Result" version="opset1"><input><port id="0"/></input></layer>
    </layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
    <edge from-layer="2" from-port="3" to-layer="4" to-port="0"/></edges></net>"""


def openvino_reads_digits_as_a_number() -> None:
    """All attributes are text, and the text of a string has no quotes of its own."""
    model = ov.Core().read_model(model=openvino_ir("2").encode(), weights=bytes(8))
    (split,) = [item for item in model.get_ops() if item.get_type_name() == "Split"]
    assert split.get_attributes() == {"num_splits": 2}


def openvino_writes_a_list_of_one_as_its_element() -> None:
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([1, 1, 6]))
    kernel = ov.op.Constant(np.ones((1, 1, 2), np.float32))
    convolution = ov.opset1.convolution(data, kernel, [1], [0], [0], [1])
    assert convolution.get_attributes()["strides"] == [1]
    with TemporaryDirectory() as folder:
        ov.serialize(ov.Model([convolution], [data], "case"), f"{folder}/case.xml")
        assert 'strides="1"' in Path(folder, "case.xml").read_text()


def openvino_drops_nuls() -> None:
    assert ov.Tensor(["a\0"]).bytes_data.tolist() == [b"a"]


def openvino_refuses_other_dialects() -> None:
    from openvino.utils.node_factory import NodeFactory

    refuses(lambda: NodeFactory("onnx"))


def onnxruntime_ignores_strides() -> None:
    gaps = np.arange(8, dtype=np.uint16).view(ml_dtypes.bfloat16)[::2]
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(gaps, 16)
    got = np.frombuffer(ctypes.string_at(value.data_ptr(), 8), np.uint16).tolist()
    assert got != [0, 2, 4, 6]


def onnxruntime_wants_a_model() -> None:
    refuses(lambda: ort.InferenceSession(b"openvino.Split-1"), "INVALID_PROTOBUF")


def onnx_has_no_element_type(*names: str) -> None:
    assert not set(onnx.TensorProto.DataType.keys()) & set(names)


def schema(name: str, opset: int) -> Any:
    return onnx.defs.get_schema(name, opset, "")


def onnx_split_has_no_input_for(name: str) -> None:
    assert [item.name for item in schema("Split", 13).inputs] == ["input", "split"]
    assert name in schema("Split", 13).attributes


def onnx_type_is_not_listed(name: str, opset: int, dtype: str, constraint: str = "T") -> None:
    (listed,) = [item for item in schema(name, opset).type_constraints if item.type_param_str == constraint]
    assert f"tensor({dtype})" not in listed.allowed_type_strs


def onnx_split_13_has_no_number_of_parts() -> None:
    assert list(schema("Split", 13).attributes) == ["axis"]
    assert [len(onnxruntime_answers([1, 2, 3, 4, 5, 6], None, count)) for count in (2, 3)] == [2, 3]


def onnx_models_end_at_2_gigabytes() -> None:
    """Each output is named at the node and at the graph; protobuf writes no message of 2^31 bytes and more."""
    counts = {count for count in case_counts("openvino.Split-1/num-splits-beyond-its-bits") if count > 1 << 17}
    assert counts
    assert min(counts) * len("output_0") > onnx.checker.MAXIMUM_PROTOBUF


def onnx_lists_outputs() -> None:
    assert onnx.NodeProto.DESCRIPTOR.fields_by_name["output"].is_repeated  # a list has no length below 0


def onnx_attributes_have_no_type_of_their_own() -> None:
    numbers = {name for name in onnx.AttributeProto.AttributeType.keys() if not name.endswith("S")}  # noqa: SIM118
    assert numbers == {"UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "SPARSE_TENSOR", "TYPE_PROTO"}
    assert (
        onnx.AttributeProto.DESCRIPTOR.fields_by_name["f"].type
        == onnx.AttributeProto.DESCRIPTOR.fields_by_name["f"].TYPE_FLOAT
    )


def cast_makes_a_remainder_of_the_longest() -> None:
    ports = [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.UINT64, [1])]
    outputs = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT64, [1])]
    node = onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.INT64)
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "case", ports, outputs),
        opset_imports=[onnx.helper.make_opsetid("", 13)],
        ir_version=8,
    )
    session = ort.InferenceSession(model.SerializeToString())
    (made,) = session.run(None, {"x": np.array([(1 << 64) - 1], np.uint64)})
    assert made.tolist() == [-1]
    onnx_type_is_not_listed("Cast", 13, "int4", "T1")


def every_operator_of_openvino_has_a_lowering() -> None:
    """Of those that cut data into parts; nothing asks for the others in another dialect yet."""
    parts = {
        operator.id for operator in bundled_operators().values() if operator.dialect == "openvino" and operator.splits
    }
    assert parts == set(REWRITES)


def attribute_is_not_kept(value: float) -> None:
    assert onnx.helper.make_attribute("axis", value).f != value


def attribute(value: object) -> object:
    return onnx.helper.make_attribute("axis", value).SerializeToString()


def onnx_keeps_texts_inside() -> None:
    texts = onnx.helper.make_tensor("texts", onnx.TensorProto.STRING, [1], [b"a"])
    refuses(lambda: onnx.external_data_helper.set_external_data(texts, "model.data"), "raw_data")


def onnxruntime_answers(data: list[int], split: list[int] | None, count: int, axis: int | None = 0) -> list[list[int]]:
    ports = [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.INT64, [len(data)])]
    outputs = [onnx.helper.make_tensor_value_info(f"y{index}", onnx.TensorProto.INT64, None) for index in range(count)]
    constants = [] if split is None else [onnx.helper.make_tensor("split", onnx.TensorProto.INT64, [len(split)], split)]
    names = ["x"] if split is None else ["x", "split"]
    node = onnx.helper.make_node("Split", names, [item.name for item in outputs], axis=axis)
    graph = onnx.helper.make_graph([node], "case", ports, outputs, constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString())
    return [part.tolist() for part in session.run(None, {"x": np.array(data, np.int64)})]


def onnxruntime_tells_who_got_the_node() -> None:
    """It gives a node that a provider does not take to another one, and says so in the session."""
    assert hasattr(ort.InferenceSession, "get_provider_graph_assignment_info")
    assert hasattr(ort.InferenceSession, "disable_fallback")


def backend_api_takes_a_model() -> None:
    from onnx.backend.base import Backend

    assert next(iter(signature(Backend.prepare).parameters.values())).annotation == "ModelProto"


def evaluator_wants_a_model() -> None:
    from onnx.reference import ReferenceEvaluator

    refuses(lambda: ReferenceEvaluator(None), "NoneType")


def torch_knows_no_list_of_types() -> None:
    data = torch.zeros(3, dtype=torch.uint8).view(torch.float8_e5m2)
    assert len(torch.split(data, [1, 2])) == 2


def torch_makes_no_difference_of_integers() -> None:
    with pytest.raises(TypeError):
        torch_split(np.array([1, 2], np.int32), 1)
    assert len(torch_split([np.int32(1), np.int32(2)], 1)) == len(torch_split([1, 2], 1)) == 2  # type: ignore[arg-type]


def torch_takes_truth_values_in_ranges() -> None:
    assert torch.arange(4)[True:3].tolist() == [1, 2]


def torch_refuses_equal_lengths_of_another_sum() -> None:
    for length in range(7):
        refuses(partial(torch.split, torch.zeros(7), [length] * 3), "split_with_sizes expects")


def torch_declares_every_operator_that_splits() -> None:
    described = described_by(bundled_folder("adapters") / "torch")
    splits = [operator.id for operator in bundled_operators().values() if operator.name in ("Split", "VariadicSplit")]
    assert splits
    assert all(is_named(operator, described.operators) for operator in splits)


def torch_takes_no_empty_array() -> None:
    for dtype in (np.int32, np.float32):
        refuses(partial(torch_split, np.array([], dtype), 1), "must be tuple of ints|not numpy.ndarray")


def torch_functions_promise_other_parts() -> None:
    assert len(torch.chunk(torch.zeros(5), 4)) == 3
    assert [len(part) for part in torch.tensor_split(torch.zeros(7), 3)] == [3, 2, 2]
    assert len(torch.split(torch.zeros(0), 0)) == 1


def torch_functions_have_no_lengths() -> None:
    refuses(lambda: torch.chunk(torch.zeros(6), [2, 4]), "must be int, not list")
    assert [len(part) for part in torch.tensor_split(torch.zeros(6), [2, 4])] == [2, 2, 2]  # places, not lengths


def torch_has_no_tensors_of(*names: str) -> None:
    assert not [name for name in names if hasattr(torch, name)]


def torch_takes_a_number_for_a_length() -> None:
    assert len(torch_split(1, 1)) == 3  # type: ignore[arg-type]


def numpy_has_no(*names: str) -> None:
    assert not [name for name in names if hasattr(np, name)]


def is_plain(explanation: str) -> Callable[[], None]:
    """There is nothing to try, since the reason speaks of no framework."""
    assert explanation
    return lambda: None


TRIED: Mapping[str, Mapping[str, Callable[[], object]]] = {
    "numpy": {
        "the reference does not have {}": is_plain("a bundled operator has a reference, and one of a user need not"),
        "the reference takes an argument as an input or as an attribute, not both": is_plain(
            "the reference is a function of arguments by their names"
        ),
    },
    "onnx-backend": {
        "the Backend API takes ONNX models, and this call has none": backend_api_takes_a_model,
        "the Backend API passes NumPy's arrays, and NumPy has no {}": lambda: numpy_has_no("bfloat16", "int4", "nf4"),
    },
    "onnxruntime": {
        "ONNX Runtime takes ONNX models, and this call has none": onnxruntime_wants_a_model,
        "ONNX Runtime's Python interface takes {} by its address alone": onnxruntime_ignores_strides,
        "{} leaves the operator to {}": onnxruntime_tells_who_got_the_node,
    },
    "onnx-reference": {
        "the evaluator takes ONNX models, and this call has none": evaluator_wants_a_model,
    },
    "openvino": {
        "IR cannot tell the list {} from its element": openvino_writes_a_list_of_one_as_its_element,
        "IR cannot tell the string {} from a number": openvino_reads_digits_as_a_number,
        "OpenVINO has no element type for {}": lambda: openvino_has_no_type("complex64", "f8e4m3fnuz", "i2", "f6e2m3"),
        "OpenVINO knows no strides of {}, which it packs": openvino_has_no_strides_of_half_bytes,
        "OpenVINO takes operators of {} only in a model, and the call has none": openvino_refuses_other_dialects,
        "OpenVINO's Python binding drops the NULs at the end of a string": openvino_drops_nuls,
        "OpenVINO's Python binding has no place for it: {}": openvino_has_no_place_for_a_text,
        "OpenVINO's Python binding takes no array of {} in pieces, save rows of one": openvino_in_pieces,
        "OpenVINO's operators take inputs by position, and one in front of others is missing": openvino_takes_no_gap,
        "OpenVINO's reader of IR leaves out a layer that no output depends on": openvino_drops_a_layer,
        "a node has no outputs where the model does not know how many lengths there are": openvino_node_without_outputs,
    },
    "torch": {
        "PyTorch has no function without lengths and a number of parts": lambda: refuses(
            torch_split, "missing 1 required"
        ),
        "PyTorch has no list of types for {}, which has no {} in its own": torch_knows_no_list_of_types,
        "PyTorch has no nodes that declare a number of outputs": lambda: refuses(
            lambda: torch_split([1, 2], 1, 2), "positional arguments"
        ),
        "PyTorch has no tensors of {}": lambda: torch_has_no_tensors_of(
            *("string", "float6_e2m3fn", "float8_e3m4", "nf4")
        ),
        "no list of lengths says {} equal parts of {} elements": torch_refuses_equal_lengths_of_another_sum,
        "the adapter has no mapping of {} to PyTorch": is_plain("the adapter declares no other operators"),
        "the adapter has no mapping of {} to torch.split": torch_declares_every_operator_that_splits,
        "torch.broadcast_to has no call without a tensor or without a shape": lambda: refuses(
            lambda: torch.broadcast_to(torch.ones(1)), "missing 1 required"
        ),
        "torch.broadcast_to has no mode {}": lambda: refuses(
            lambda: torch.broadcast_to(torch.ones(1), (2,), mode="bidirectional"),
            "unexpected keyword",
        ),
        "torch.broadcast_to moves {}, which is not numeric": torch_broadcasts_what_is_no_number,
        "torch.broadcast_to takes -1 for a dim that stays, and the operator has none": torch_broadcast_keeps_a_dim,
        "torch.broadcast_to takes the shape as Python numbers, which are constants": lambda: refuses(
            lambda: torch.broadcast_to(torch.ones(1), torch.tensor([2])),
            "not Tensor",
        ),
        "torch.cat leaves out vectors without elements, and so does not check them": torch_leaves_out_empty_vectors,
        "torch.cat makes tensors of several types one of them": torch_promotes,
        "torch.cat takes an axis below 0 for one from the end, and {} has none": torch_counts_from_the_end,
        "torch.cat takes an axis that is left out for 0": torch_cat,
        "PyTorch refuses an index beyond the axis, where the operator has zeros": torch_takes_indices_in_brackets,
        "PyTorch takes indices of {} in brackets for something else, or not at all": torch_takes_indices_in_brackets,
        "PyTorch refuses an index beyond the axis, and these are unknown before the call runs": (
            torch_takes_indices_in_brackets
        ),
        "PyTorch counts some indices from the end, and these are unknown before the call runs": (
            torch_takes_indices_in_brackets
        ),
        "an index below 0 in brackets counts from the end, and the operator has none": torch_takes_indices_in_brackets,
        "an index in brackets has no place for the axis {}": is_plain("dims are written as colons, one for each"),
        "an index in brackets has no place for an axis beyond {} dims": is_plain("each dim before it is a colon"),
        "an index in brackets counts its axes from one end": is_plain("an ellipsis stands on one side of it"),
        "brackets stand behind a tensor, and the call has none": is_plain("nothing stands before them"),
        "brackets have no place for {} as one number without an axis": is_plain("its place in them is its axis"),
        "brackets have one place for each axis: none for {}, or not twice": is_plain("its place in them is its axis"),
        "each range in brackets has an axis, a start, an end and a step: their numbers cannot differ": is_plain(
            "they are one expression"
        ),
        "brackets take an end that is left out for the end of the dim, and the operator needs it": (
            torch_fills_in_what_a_range_leaves_out
        ),
        "brackets take a step that is left out for 1, and the operator needs it": (
            torch_fills_in_what_a_range_leaves_out
        ),
        "brackets can count axes from the end, and the operator has no such axis": (
            torch_fills_in_what_a_range_leaves_out
        ),
        "each range in brackets has a start, an end and a step: their numbers cannot differ": is_plain(
            "they are one expression"
        ),
        "PyTorch accepts several ellipses in brackets, and the operator has one": torch_takes_several_ellipses,
        "brackets take whole numbers, and a mask would hide others from PyTorch": is_plain(
            "a number that a mask leaves out does not stand in brackets"
        ),
        "brackets have no masks, which the operator requires": is_plain("brackets hold indices alone"),
        "brackets have no place for a mask that is {}": is_plain("a mask says which kind of index stands there"),
        "a number in brackets has no place for an end": is_plain("it is one number"),
        "Python takes truth values for whole numbers, and {} has them": torch_takes_truth_values_in_ranges,
        "ranges in brackets are Python numbers, which have no type {}": torch_fills_in_what_a_range_leaves_out,
        "PyTorch accepts empty brackets behind a scalar, and the operator has no scalars": (
            torch_fills_in_what_a_range_leaves_out
        ),
        "PyTorch has no ranges that run backwards": lambda: refuses(
            lambda: torch.arange(4)[3:1:-1], "step must be greater than zero"
        ),
        "a range in brackets has no place for {} as a tensor of several numbers": lambda: refuses(
            lambda: torch.arange(4)[torch.tensor([0, 1]) :], "only integer tensors"
        ),
        "torch.index_select has no batches": lambda: refuses(
            lambda: torch_select(0, torch.tensor([0]), batch_dims=1),
            "unexpected keyword",
        ),
        "torch.index_select has no call without an axis": lambda: refuses(
            lambda: torch_select(index=torch.tensor([0])), r"missing \d required"
        ),
        "torch.index_select has no call without data or without indices": lambda: refuses(
            lambda: torch_select(0), r"missing \d required"
        ),
        "torch.index_select takes a scalar for a vector of one element": torch_selects_by_vectors_of_two_types,
        "torch.index_select takes indices of int32 and int64 alone, not of {}": torch_selects_by_vectors_of_two_types,
        "torch.index_select takes the axis as a Python number, which is a constant": lambda: refuses(
            lambda: torch_select(torch.ones(2), torch.tensor([0])),
            "must be int|invalid comb",
        ),
        "torch.permute has no call without a tensor": lambda: refuses(torch.permute, "missing 2 required"),
        "torch.permute has no call without an order": lambda: refuses(torch_permute, "missing 1 required"),
        "torch.permute takes Python's lists, and an empty one has no type {}": lambda: refuses(
            lambda: torch_permute(np.array([], np.float32)), "must be tuple of ints"
        ),
        "torch.permute takes a dim below 0 for one from the end, and the operator has none": torch_counts_from_the_end,
        "torch.permute takes the order as Python numbers, which are constants": lambda: refuses(
            lambda: torch_permute(torch.tensor([1, 0])), "not Tensor"
        ),
        "torch.reshape has no call without a tensor": lambda: refuses(
            lambda: torch.reshape(shape=[2]), r"missing \d required"
        ),
        "torch.reshape has no call without a shape": lambda: refuses(torch_reshape, "missing 1 required"),
        "torch.reshape takes the shape as Python numbers, which are constants": lambda: refuses(
            lambda: torch_reshape(torch.tensor([3, 2])), "not Tensor"
        ),
        "torch.reshape has no allowzero that could be {}": lambda: refuses(
            lambda: torch_reshape([3, 2], allowzero=2), "unexpected keyword"
        ),
        "torch.reshape has no special_zero that could be left out or no truth value": lambda: refuses(
            lambda: torch_reshape([3, 2], special_zero=1), "unexpected keyword"
        ),
        "torch.reshape has no 0 that stands for a dim of the data": torch_reshape_copies_no_dim,
        "torch.squeeze takes a scalar for a vector of one element": torch_squeezes_what_it_can,
        "torch.squeeze keeps a dim of another length than 1, and the operator refuses it": torch_squeezes_what_it_can,
        "torch.squeeze removes nothing for an empty list, and the operator all dims of one": torch_squeezes_what_it_can,
        "torch.unsqueeze inserts one dim, neither several nor none": torch_unsqueezes_one_dim,
        "torch.{} has no call without a tensor": torch_has_no_calls_without_data,
        "torch.{} has no place for allow_axis_skip, true or false": lambda: refuses(
            lambda: torch.squeeze(torch.ones(1), 0, allow_axis_skip=1),
            "invalid combination",
        ),
        "torch.{} takes a dim below 0 for one from the end, and the operator has none": torch_counts_from_the_end,
        "torch.{} takes dims as Python numbers, which are constants": torch_takes_no_list_of_dims_as_a_tensor,
        "torch.{} takes one dim for a list of one, and the operator wants a list": torch_takes_a_dim_for_a_list_of_one,
        "torch.{} takes Python numbers, which have no type {}": torch_makes_no_difference_of_numbers,
        "torch.split has no call without a tensor": lambda: refuses(
            lambda: torch.split(split_size_or_sections=[1, 2]), "missing 1 required"
        ),
        "torch.split has no call without lengths": lambda: refuses(torch_split, "missing 1 required"),
        "torch.split has no place for num_outputs beside lengths": lambda: refuses(
            lambda: torch_split([1, 2], 1, num_outputs=2), "unexpected keyword"
        ),
        "torch.split has no place for {}": lambda: refuses(
            lambda: torch_split([1, 2], 1, extra=2), "unexpected keyword"
        ),
        "torch.split has one place for lengths, and split is given as an input and as an attribute": lambda: refuses(
            lambda: torch_split([1, 2], 1, split=[1, 2]), "unexpected keyword"
        ),
        "torch.split takes Python's lists, and an empty one has no type {}": torch_takes_no_empty_array,
        "torch.split takes Python's numbers, which have no type {} beside {}": torch_makes_no_difference_of_integers,
        "torch.split takes an axis that is left out for 0": lambda: torch_split([1, 1]),
        "torch.split takes one number for the length of each part": torch_takes_a_number_for_a_length,
        "torch.split takes the axis and the lengths as Python numbers, which are constants": lambda: refuses(
            lambda: torch_split(torch.tensor([1, 2]), 1), "not Tensor"
        ),
        "{} has no place for a list of lengths": torch_functions_have_no_lengths,
        "torch.{} has no place for {}": torch_has_no_place_for_other_names,
        "{} promises other parts than {} of {} elements": torch_functions_promise_other_parts,
    },
}

IN_THE_OLDEST: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "onnxruntime": {
        "ONNX Runtime's Python interface makes no values of {} before 1.20": (
            "import onnxruntime; onnxruntime.OrtValue.ortvalue_from_shape_and_type([1], 16)",
            "Not a valid numpy type",
        ),
        "this release does not know this version of ONNX: {}": (
            (
                "import onnxruntime; from onnx.parser import parse_model as model\n"
                "text = '<ir_version: 8, opset_import: [\"\": 25]> graph (float[2] x) => (float[2] y) {y = Relu(x)}'\n"
                "onnxruntime.InferenceSession(model(text).SerializeToString())"
            ),
            "official released onnx opset versions",
        ),
    },
    "onnx-reference": {
        "onnx {} has no arrays of {} as ml_dtypes has them": (
            (
                "import ml_dtypes, numpy; from onnx.helper import np_dtype_to_tensor_dtype\n"
                "np_dtype_to_tensor_dtype(numpy.dtype(ml_dtypes.bfloat16))"
            ),
            "KeyError: dtype\\(bfloat16\\)",
        ),
        "onnx {} knows opsets up to {}, and the call is of opset {}": (
            "import onnx; assert onnx.defs.onnx_opset_version() > 18",
            "AssertionError",
        ),
        "onnx {} knows IR versions up to {}, and the call needs {}": (
            "import onnx; assert onnx.IR_VERSION > 8",
            "AssertionError",
        ),
    },
    "openvino": {
        "OpenVINO {} has no element type {}, as later releases do": (
            "from openvino.runtime import Type; Type.string",
            "has no attribute 'string'",
        ),
        "OpenVINO {} has no {}, as later releases do": (
            "from openvino.runtime.utils.node_factory import NodeFactory; NodeFactory('opset15')",
            "Unsupported opset version",
        ),
        "OpenVINO {}'s Python binding copies {} in pieces in another order": (
            (
                "import numpy; from openvino.runtime import Tensor; given = numpy.arange(4, dtype='float16')[::-1]\n"
                "assert Tensor(given).data.tolist() == given.tolist()"
            ),
            "AssertionError",
        ),
    },
}
"""What only older releases lack: a line of Python that fails in the oldest one, and its words."""

LOWERED: Mapping[str, Callable[[], object]] = {
    "ONNX Split takes no lengths of {}, and Cast-13 makes no int64 of each": cast_makes_a_remainder_of_the_longest,
    "ONNX Split takes the axis as an attribute, not at run time": lambda: onnx_split_has_no_input_for("axis"),
    "ONNX keeps texts in the file of the model": onnx_keeps_texts_inside,
    "ONNX Split without lengths makes equal parts": lambda: onnxruntime_answers([1, 2, 3, 4], None, 2),
    "ONNX Split takes an axis that is left out for 0": lambda: onnxruntime_answers([1, 2], [1, 1], 2, axis=None),
    "ONNX Split has the attribute axis itself": lambda: onnx_split_has_no_input_for("axis"),
    "ONNX Split-13 makes as many parts as it has outputs, not {}": onnx_split_13_has_no_number_of_parts,
    "ONNX Split-13 has no type {}": lambda: onnx_type_is_not_listed("Split", 13, "float8e5m2"),
    "ONNX has no element type {}": lambda: onnx_has_no_element_type(
        *("UINT1", "INT1", "FLOAT8E3M4", "NF4", "UINT3", "UINT6")
    ),
    "ONNX {} takes {} in opset {}": lambda: onnx_type_is_not_listed("Concat", 13, "float8e5m2"),
    "a model that declares {} outputs is too large to write": onnx_models_end_at_2_gigabytes,
    "an ONNX node cannot declare {} outputs": onnx_lists_outputs,
    "an attribute of ONNX has no type {}": onnx_attributes_have_no_type_of_their_own,
    "an attribute of ONNX is a number or a list, and the axis has more dims": lambda: refuses(
        lambda: attribute([[0, 1]])
    ),
    "the attribute {} is {}, and ONNX writes numbers with 32 bits": lambda: attribute_is_not_kept(1e300),
    "the attribute {} is {}, and ONNX writes whole numbers with 64 bits": lambda: refuses(lambda: attribute(1 << 63)),
    "the axis {} does not fit int64, which ONNX writes attributes in": lambda: refuses(lambda: attribute(1 << 63)),
    "the length {} does not fit int64, which ONNX Split takes": lambda: refuses(lambda: np.array([1 << 63], np.int64)),
    "there is no lowering of {} to ONNX": every_operator_of_openvino_has_a_lowering,
}

EAGER = "eager PyTorch has no model: what is constant, known or computed ahead makes no difference to it"
SPELLED = "only ONNX models spell a call in several ways, and the Backend API or PyTorch takes none of that spelling"
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
    "onnx-reference": {"runtime-axis": "the axis is an attribute of the ONNX operator, which no run can give"},
    "onnxruntime": {"runtime-axis": "the axis is an attribute of the ONNX operator, which no run can give"},
    "torch": {
        **dict.fromkeys(
            [form.value for form in Form if "runtime" in form.value or form.has_unknown_dims or form.has_unknown_ranks],
            EAGER,
        ),
        "constant-folded": EAGER,
        "reversed": "PyTorch has no negative strides: torch.from_numpy refuses them",
        "unnamed-outputs": SPELLED,
        "empty-input-name": SPELLED,
        "external-data": SPELLED,
        "shapeless-outputs": SPELLED,
    },
}


@pytest.mark.parametrize("adapter", TRIED)
def test_every_reason_of_an_adapter_is_tried(adapter: str) -> None:
    assert reasons_in(bundled_folder("adapters") / adapter) == {*TRIED[adapter], *IN_THE_OLDEST.get(adapter, {})}


def test_every_reason_of_the_lowering_is_tried() -> None:
    assert reasons_in(LOWERING) == set(LOWERED)


@pytest.mark.parametrize(
    ("adapter", "reason"), [(adapter, reason) for adapter, reasons in TRIED.items() for reason in reasons]
)
def test_what_an_adapter_says_is_not_expressible_cannot_be_done_without_it(adapter: str, reason: str) -> None:
    TRIED[adapter][reason]()


@needs_wheels
@pytest.mark.parametrize(
    ("adapter", "reason"), [(adapter, reason) for adapter, reasons in IN_THE_OLDEST.items() for reason in reasons]
)
def test_what_an_adapter_says_of_older_releases_is_so_in_the_oldest(
    adapter: str, reason: str, made_once: MadeOnce
) -> None:
    script, words = IN_THE_OLDEST[adapter][reason]
    ended = subprocess.run([oldest_python(made_once), "-c", script], check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert re.search(words, ended.stderr), ended.stderr


@pytest.mark.parametrize("reason", LOWERED)
def test_what_the_lowering_says_is_not_expressible_cannot_be_done_without_it(reason: str) -> None:
    LOWERED[reason]()


@pytest.mark.parametrize("adapter", ["onnx-reference", "onnxruntime", "openvino", "torch"])
def test_every_form_that_an_adapter_leaves_out_has_a_reason(adapter: str) -> None:
    folder = bundled_folder("adapters") / adapter
    described = described_by(folder)
    assert {form.value for form in Form} - {*described.forms} <= set(LEFT_OUT.get(adapter, {}))


def test_negative_strides_are_refused_by_pytorch() -> None:
    refuses(lambda: torch.from_numpy(np.arange(3)[::-1]), "negative strides")


def test_a_pair_of_floats_of_4_bits_is_one_element_of_pytorch() -> None:
    data = torch.arange(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    assert [part.view(torch.uint8).tolist() for part in torch.split(data, [1, 2])] == [[0], [1, 2]]
    refuses(lambda: torch.split(data, [1, 5]), "split_with_sizes expects")


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_a_type_that_the_adapter_of_pytorch_does_not_declare_is_none_of_pytorch(dtype: str) -> None:
    """float4_e2m1fn_x2 is none of ours: see the test before."""
    declared = described_by(bundled_folder("adapters") / "torch").dtypes or ()
    assert (dtype in declared) == isinstance(getattr(torch, dtype, None), torch.dtype)
