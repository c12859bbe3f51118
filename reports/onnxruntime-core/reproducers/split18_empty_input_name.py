"""Split-18 with `num_outputs` is refused where the input `split` stands with an empty name instead of not at all.

ONNX IR, "Optional Inputs and Outputs": an optional input may be left out by an empty name, too.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

deviates = False
for version, attributes in ((13, {}), (18, {"num_outputs": 2})):
    for given in (["input"], ["input", ""]):
        node = helper.make_node("Split", given, ["output_0", "output_1"], **attributes)
        inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [6])]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in node.output]
        graph = helper.make_graph([node], "graph", inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
        onnx.checker.check_model(model)
        expected = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            actual = [output.tolist() for output in session.run(None, {"input": np.arange(6, dtype=np.float32)})]
        except Exception as error:  # noqa: BLE001
            actual = f"rejected: {error}"
        print(f"Split-{version} of the inputs {given}\n  expected {expected}\n  actual   {actual}")
        deviates |= actual != expected
sys.exit(int(deviates))
