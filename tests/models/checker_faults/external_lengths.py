"""ONNX's checker does not read the lengths of a Split from external data, though it has the path of the model."""
# ruff: noqa: T201  (a script that prints)

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

data = helper.make_tensor_value_info("input", TensorProto.FLOAT, [6])
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in ("a", "b")]
split = numpy_helper.from_array(np.array([2, 4], np.int64), "split")
node = helper.make_node("Split", ["input", "split"], ["a", "b"])
graph = helper.make_graph([node], "graph", [data], outputs, [split])
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    onnx.save(model, path, save_as_external_data=True, size_threshold=0, location="model.data")
    try:
        onnx.checker.check_model(path, full_check=True)
    except onnx.shape_inference.InferenceError as error:
        print(error)
        sys.exit(1)
