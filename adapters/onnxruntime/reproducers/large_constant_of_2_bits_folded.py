"""A Transpose of a constant of 509 elements of int2 or uint2 is rejected once it is folded; one of 508 is not.

Page Transpose 25: int2 and uint2 are in the list of types.

Exits with 1 if ONNX Runtime deviates, with 0 if it does not. It needs the package onnx.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import onnxruntime
from onnx import TensorProto, helper

deviates = False
for name in ("INT2", "UINT2", "INT4"):
    for count in (508, 509):
        raw = bytes(-(-count * int(name[-1]) // 8))
        data = TensorProto(name="data", data_type=getattr(TensorProto, name), dims=[count], raw_data=raw)
        output = helper.make_tensor_value_info("output", data.data_type, [count])
        graph = helper.make_graph([helper.make_node("Transpose", ["data"], ["output"])], "g", [], [output], [data])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)
        try:
            onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            actual = "built"
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
            actual, deviates = f"rejected: {error}".strip()[-90:], True
        print(f"{count} elements of {name}\n  expected built\n  actual   {actual}")
sys.exit(deviates)
