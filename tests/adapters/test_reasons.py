"""Every reason for *not expressible* and *unsupported* that stands in an adapter or in the lowering is true.

Each is tried against the framework, without the adapter: what it says cannot be done is done here, and fails. A reason
without an entry fails the test, and so does an entry without a reason.
"""

from __future__ import annotations

import ast
import ctypes
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from conformance.adapter_file import read_adapter
from conformance.dtypes import DTYPES
from conformance.form import Form
from conformance.suite import bundled_folder
from conformance.worker import load_adapter

pytestmark = pytest.mark.frameworks
os.environ["CI"] = "true"  # no telemetry of OpenVINO

RAISES = ("NotExpressible", "Unsupported", "NoLoweringError", "_own_check")
LOWERING = Path(__file__).parents[2] / "conformance" / "lowering"


def reasons_in(folder: Path) -> set[str]:
    """The reasons that are written in the modules of a folder; what is filled in is `{}`."""
    modules = (path for path in folder.glob("*.py") if path.name != "repro.py")  # scripts repeat what adapters say
    calls = (node for path in modules for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    raised = (node for node in calls if isinstance(node.func, ast.Name) and node.func.id in RAISES)
    texts = (text for node in raised for text in (*node.args, *(item.value for item in node.keywords)))
    return {written for text in texts if (written := _written(text))}


def _written(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
        case _:
            return ""  # the framework's own words


def refuses(call: Callable[[], object], words: str | None = None) -> None:
    """The framework raises an error with these words."""
    with pytest.raises(Exception, match=words):
        call()


def torch_split(*arguments: object, **named: object) -> object:
    import torch

    return torch.split(torch.arange(6.0).reshape(2, 3), *arguments, **named)


def openvino_in_pieces() -> None:
    import openvino as ov

    columns = np.asfortranarray(np.arange(6, dtype=np.uint16).reshape(2, 3))
    refuses(lambda: ov.Tensor(columns, [2, 3], ov.Type.bf16), "C contiguous")
    refuses(lambda: ov.Tensor(columns.view(ml_dtypes.bfloat16)), "Unsupported data type")
    refuses(lambda: ov.Tensor(np.asfortranarray([["a", "b"], ["c", "d"]])), "cannot be created as contiguous")


def openvino_drops_a_layer() -> None:
    import openvino as ov

    text = """<net name="case" version="11"><layers>
    <layer id="0" name="data" type="Parameter" version="opset1"><data shape="6" element_type="f32"/>
    <output><port id="0" precision="FP32"><dim>6</dim></port></output></layer>
    <layer id="1" name="relu" type="ReLU" version="opset1"><input><port id="0"><dim>6</dim></port></input></layer>
    </layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
    model = ov.Core().read_model(model=text.encode(), weights=b"")
    assert [item.get_type_name() for item in model.get_ops()] == ["Parameter"]


def openvino_node_without_outputs() -> None:
    import openvino as ov

    data, lengths = (
        ov.op.Parameter(ov.Type.f32, ov.PartialShape([6])),
        ov.op.Parameter(ov.Type.i64, ov.PartialShape([-1])),
    )
    node = ov.opset1.variadic_split(data, np.int64(0), lengths)
    assert not node.outputs()
    refuses(lambda: ov.Model([node], [data, lengths], "case"), "Default output not supported")


def openvino_has_no_place_for_a_text() -> None:
    import openvino as ov
    from openvino.utils.node_factory import NodeFactory

    data, axis = ov.op.Parameter(ov.Type.f32, ov.PartialShape([6])), ov.op.Constant(np.array(0, np.int64))
    refuses(
        lambda: NodeFactory("opset1").create("Split", [data, axis], {"num_splits": "two"}),
        "Unable to cast Python instance",
    )


def openvino_has_no_type(*names: str) -> None:
    import openvino as ov

    known = {name for name in dir(ov.Type) if not name.startswith("_")}
    assert not known & set(names)


def openvino_has_no_strides_of_half_bytes() -> None:
    import openvino as ov

    refuses(lambda: ov.Tensor(ov.Tensor(ov.Type.i4, [2, 4]), [0, 0], [2, 2]), "Could not get strides")


def openvino_drops_nuls() -> None:
    import openvino as ov

    assert ov.Tensor(["a\0"]).bytes_data.tolist() == [b"a"]


def openvino_refuses_other_dialects() -> None:
    from openvino.utils.node_factory import NodeFactory

    refuses(lambda: NodeFactory("onnx"))


def onnxruntime_ignores_strides() -> None:
    import onnxruntime as ort

    gaps = np.arange(8, dtype=np.uint16).view(ml_dtypes.bfloat16)[::2]
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(gaps, 16)
    got = np.frombuffer(ctypes.string_at(value.data_ptr(), 8), np.uint16).tolist()
    assert got != [0, 2, 4, 6]


def onnxruntime_wants_a_model() -> None:
    import onnxruntime as ort

    refuses(lambda: ort.InferenceSession(b"openvino.Split-1"), "INVALID_PROTOBUF")


def onnx_has_no_element_type(*names: str) -> None:
    import onnx

    assert not set(onnx.TensorProto.DataType.keys()) & set(names)


def schema(name: str, opset: int) -> Any:
    import onnx

    return onnx.defs.get_schema(name, opset, "")


def onnx_split_has_no_input_for(name: str) -> None:
    assert [item.name for item in schema("Split", 13).inputs] == ["input", "split"]
    assert name in schema("Split", 13).attributes


def onnx_type_is_not_listed(name: str, opset: int, dtype: str) -> None:
    (listed,) = [item for item in schema(name, opset).type_constraints if item.type_param_str == "T"]
    assert f"tensor({dtype})" not in listed.allowed_type_strs


def at_least_one_output() -> None:
    assert schema("Split", 13).min_output == 1


def attribute_is_not_kept(value: float) -> None:
    from onnx import helper

    assert helper.make_attribute("axis", value).f != value


def attribute(value: object) -> object:
    from onnx import helper

    return helper.make_attribute("axis", value).SerializeToString()


def onnx_keeps_texts_inside() -> None:
    from onnx import TensorProto, external_data_helper, helper

    texts = helper.make_tensor("texts", TensorProto.STRING, [1], [b"a"])
    refuses(lambda: external_data_helper.set_external_data(texts, "model.data"), "raw_data")


def onnxruntime_answers(data: list[int], split: list[int] | None, count: int) -> list[list[int]]:
    import onnxruntime as ort
    from onnx import TensorProto, helper

    ports = [helper.make_tensor_value_info("x", TensorProto.INT64, [len(data)])]
    outputs = [helper.make_tensor_value_info(f"y{index}", TensorProto.INT64, None) for index in range(count)]
    constants = [] if split is None else [helper.make_tensor("split", TensorProto.INT64, [len(split)], split)]
    names = ["x"] if split is None else ["x", "split"]
    node = helper.make_node("Split", names, [item.name for item in outputs], axis=0)
    graph = helper.make_graph([node], "case", ports, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString())
    return [part.tolist() for part in session.run(None, {"x": np.array(data, np.int64)})]


def torch_knows_no_list_of_types() -> None:
    import torch

    data = torch.zeros(3, dtype=torch.uint8).view(torch.float8_e5m2)
    assert len(torch.split(data, [1, 2])) == 2


def torch_makes_no_difference_of_integers() -> None:
    with pytest.raises(TypeError):
        torch_split(np.array([1, 2], np.int32), 1)
    assert len(torch_split([np.int32(1), np.int32(2)], 1)) == len(torch_split([1, 2], 1)) == 2  # type: ignore[arg-type]


def torch_functions_promise_other_parts() -> None:
    import torch

    assert len(torch.chunk(torch.zeros(5), 4)) == 3
    assert [len(part) for part in torch.tensor_split(torch.zeros(7), 3)] == [3, 2, 2]
    assert len(torch.split(torch.zeros(0), 0)) == 1


def torch_functions_have_no_lengths() -> None:
    import torch

    refuses(lambda: torch.chunk(torch.zeros(6), [2, 4]), "must be int, not list")
    assert [len(part) for part in torch.tensor_split(torch.zeros(6), [2, 4])] == [2, 2, 2]  # places, not lengths


def torch_has_no_tensors_of(*names: str) -> None:
    import torch

    assert not [name for name in names if hasattr(torch, name)]


def torch_takes_a_number_for_a_length() -> None:
    assert len(torch_split(1, 1)) == 3  # type: ignore[arg-type]


def numpy_has_no(*names: str) -> None:
    assert not [name for name in names if hasattr(np, name)]


def is_plain(explanation: str) -> Callable[[], None]:
    """There is nothing to try, since the reason speaks of no framework."""
    assert explanation
    return lambda: None


OWN_CHECK = is_plain(
    "what ONNX has no words for, as the axis of two dims, would be refused by the lowering's code alone"
)

TRIED: Mapping[str, Mapping[str, Callable[[], object]]] = {
    "numpy": {
        "the reference takes an argument as an input or as an attribute, not both": is_plain(
            "the reference is a function of arguments by their names"
        ),
    },
    "onnx-backend": {
        "the Backend API takes ONNX models, and this call has none": is_plain("its first argument is a ModelProto"),
        "the Backend API passes NumPy's arrays, and NumPy has no {}": lambda: numpy_has_no("bfloat16", "int4"),
    },
    "onnxruntime": {
        "ONNX Runtime takes ONNX models, and this call has none": onnxruntime_wants_a_model,
        "ONNX Runtime's Python interface takes {} by its address alone": onnxruntime_ignores_strides,
        "{} leaves the operator to {}": is_plain("ONNX Runtime's own record of who got the node"),
    },
    "openvino": {
        "IR cannot tell the list {} from its element": is_plain("both are the same text in XML"),
        "IR cannot tell the string {} from a number": is_plain("both are the same text in XML"),
        "OpenVINO has no element type for {}": lambda: openvino_has_no_type("complex64", "f8e4m3fnuz", "i2", "f6e2m3"),
        "OpenVINO knows no strides of {}, which it packs": openvino_has_no_strides_of_half_bytes,
        "OpenVINO takes operators of {} only in a model, and the call has none": openvino_refuses_other_dialects,
        "OpenVINO's Python binding drops the NULs at the end of a string": openvino_drops_nuls,
        "OpenVINO's Python binding has no place for it: {}": openvino_has_no_place_for_a_text,
        "OpenVINO's Python binding takes no array of {} in pieces, save rows of one": openvino_in_pieces,
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
        "PyTorch has no tensors of {}": lambda: torch_has_no_tensors_of("string", "float6_e2m3fn", "float8_e3m4"),
        "no list of lengths says {} equal parts of {} elements": is_plain("arithmetic"),
        "the adapter has no mapping of {} to torch.split": is_plain("the engine asks declared operators alone"),
        "torch.split has no call without a tensor": lambda: refuses(
            lambda: __import__("torch").split(split_size_or_sections=[1, 2]), "missing 1 required"
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
        "torch.split takes Python's lists, and an empty one has no type {}": is_plain("a list has no type of its own"),
        "torch.split takes Python's numbers, which have no type {} beside {}": torch_makes_no_difference_of_integers,
        "torch.split takes an axis that is left out for 0": lambda: torch_split([1, 1]),
        "torch.split takes one number for the length of each part": torch_takes_a_number_for_a_length,
        "torch.split takes the axis and the lengths as Python numbers, which are constants": lambda: refuses(
            lambda: torch_split(__import__("torch").tensor([1, 2]), 1), "not Tensor"
        ),
        "{} has no place for a list of lengths": torch_functions_have_no_lengths,
        "{} promises other parts than {} of {} elements": torch_functions_promise_other_parts,
    },
}

LOWERED: Mapping[str, Callable[[], object]] = {
    "ONNX Split takes no lengths of {}, and Cast-13 makes no int64 of each": lambda: onnx_type_is_not_listed(
        "Split", 13, "no_type_for_lengths"
    ),
    "ONNX Split takes the axis as an attribute, not at run time": lambda: onnx_split_has_no_input_for("axis"),
    "ONNX keeps texts in the file of the model": onnx_keeps_texts_inside,
    "ONNX Split without lengths makes equal parts": lambda: onnxruntime_answers([1, 2, 3, 4], None, 2),
    "ONNX Split may make more outputs than there are elements; the check would be the lowering's own": lambda: (
        onnxruntime_answers([], None, 2)
    ),
    "ONNX Split-13 has no type {}": lambda: onnx_type_is_not_listed("Split", 13, "float8e5m2"),
    "ONNX has no element type {}": lambda: onnx_has_no_element_type("UINT1", "INT1", "FLOAT8E3M4"),
    "ONNX {} takes {} in opset {}": lambda: onnx_type_is_not_listed("Concat", 13, "float8e5m2"),
    "a model that declares {} outputs is too large to be written": is_plain("a limit of the engine's own"),
    "an ONNX node cannot declare {} outputs": at_least_one_output,
    "an ONNX node has at least one output": at_least_one_output,
    "an attribute of ONNX is a number or a list, and the axis has more dims": lambda: refuses(
        lambda: attribute([[0, 1]])
    ),
    "the attribute {} is {}, and ONNX writes numbers with 32 bits": lambda: attribute_is_not_kept(1e300),
    "the attribute {} is {}, and ONNX writes whole numbers with 64 bits": lambda: refuses(lambda: attribute(1 << 63)),
    "the axis {} does not fit int64, which ONNX writes attributes in": lambda: refuses(lambda: attribute(1 << 63)),
    "the length {} does not fit int64, which ONNX Split takes": lambda: refuses(lambda: np.array([1 << 63], np.int64)),
    "the check that {} would be the lowering's own": OWN_CHECK,
    "there is no lowering of {} to ONNX": is_plain("the engine has none"),
    "axis and split_lengths have no other rank and type": OWN_CHECK,
    "axis may not have the type {}": OWN_CHECK,
    "data is given": OWN_CHECK,
    "num_splits may not be {}": OWN_CHECK,
    "axis is given": OWN_CHECK,
    "{} may not have the surplus {}": OWN_CHECK,
}

EAGER = "eager PyTorch has no model: what is constant, known or computed ahead makes no difference to it"
SPELLED = "only ONNX models spell a call in several ways, and the Backend API or PyTorch takes none of that spelling"
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
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
    },
}


@pytest.mark.parametrize("adapter", ["numpy", "onnx-backend", "onnxruntime", "openvino", "torch"])
def test_every_reason_of_an_adapter_is_tried(adapter: str) -> None:
    assert reasons_in(bundled_folder("adapters") / adapter) == set(TRIED[adapter])


def test_every_reason_of_the_lowering_is_tried() -> None:
    assert reasons_in(LOWERING) == set(LOWERED)


@pytest.mark.parametrize(
    ("adapter", "reason"), [(adapter, reason) for adapter, reasons in TRIED.items() for reason in reasons]
)
def test_what_an_adapter_says_is_not_expressible_cannot_be_done_without_it(adapter: str, reason: str) -> None:
    TRIED[adapter][reason]()


@pytest.mark.parametrize("reason", LOWERED)
def test_what_the_lowering_says_is_not_expressible_cannot_be_done_without_it(reason: str) -> None:
    LOWERED[reason]()


@pytest.mark.parametrize("adapter", ["onnxruntime", "openvino", "torch"])
def test_every_form_that_an_adapter_leaves_out_has_a_reason(adapter: str) -> None:
    folder = bundled_folder("adapters") / adapter
    options = {name: option.default or "" for name, option in read_adapter(folder).manifest.options.items()}
    described = load_adapter(folder, options).describe()
    assert {form.value for form in Form} - {*described.forms} <= set(LEFT_OUT.get(adapter, {}))


def test_negative_strides_are_refused_by_pytorch() -> None:
    import torch

    refuses(lambda: torch.from_numpy(np.arange(3)[::-1]), "negative strides")


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_a_type_that_the_adapter_of_pytorch_does_not_declare_is_none_of_pytorch(dtype: str) -> None:
    """float4_e2m1fn_x2 holds pairs, of which torch.split counts one where the operators count two."""
    import torch

    folder = bundled_folder("adapters") / "torch"
    options = {name: option.default or "" for name, option in read_adapter(folder).manifest.options.items()}
    declared = load_adapter(folder, options).describe().dtypes or ()
    assert (dtype in declared) == isinstance(getattr(torch, dtype, None), torch.dtype)
