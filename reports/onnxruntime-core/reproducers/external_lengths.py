"""Split is refused where its lengths lie in a file beside the model.

ONNX IR, "External Tensor Data": the raw data of a constant tensor may lie in a file of its own, of any tensor.
"""
# ruff: noqa: T201  (a script that prints)

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

LENGTHS = np.array([2, 4], np.int64)
EXPECTED = [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]

deviates = False
for version in (13, 18):
    lengths = numpy_helper.from_array(LENGTHS, "split")
    set_external_data(lengths, "lengths.bin", offset=0, length=LENGTHS.nbytes)
    lengths.ClearField("raw_data")
    node = helper.make_node("Split", ["input", "split"], ["output_0", "output_1"])
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [6])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in node.output]
    graph = helper.make_graph([node], "graph", inputs, outputs, [lengths])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.onnx"
        (path.parent / "lengths.bin").write_bytes(LENGTHS.tobytes())
        path.write_bytes(model.SerializeToString())
        onnx.checker.check_model(path)
        try:
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            actual = [output.tolist() for output in session.run(None, {"input": np.arange(6, dtype=np.float32)})]
        except Exception as error:  # noqa: BLE001
            actual = f"rejected: {error}"
    print(f"Split-{version}\n  expected {EXPECTED}\n  actual   {actual}")
    deviates |= actual != EXPECTED
sys.exit(int(deviates))
