"""An initializer without elements is refused where it lies behind other tensors in a file beside the model.

ONNX IR, "External Tensor Data": `length` is the number of bytes, and may be 0 at any `offset`.
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

DATA = np.arange(8, dtype=np.int16).reshape(4, 2)
EXPECTED = (0, 2)

deviates = False
for offset in (0, DATA.nbytes):
    data, indices = numpy_helper.from_array(DATA, "data"), numpy_helper.from_array(np.zeros(0, np.int32), "indices")
    set_external_data(data, "beside.bin", offset=0, length=DATA.nbytes)
    set_external_data(indices, "beside.bin", offset=offset, length=0)
    for tensor in (data, indices):
        tensor.ClearField("raw_data")
    node = helper.make_node("Gather", ["data", "indices"], ["output"])
    output = helper.make_tensor_value_info("output", TensorProto.INT16, EXPECTED)
    graph = helper.make_graph([node], "graph", [], [output], [data, indices])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.onnx"
        (path.parent / "beside.bin").write_bytes(DATA.tobytes())
        path.write_bytes(model.SerializeToString())
        onnx.checker.check_model(path)
        try:
            actual = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {})[0].shape
        except Exception as error:  # noqa: BLE001
            actual = f"rejected: {error}"
    print(f"no indices, at byte {offset} of the file\n  expected {EXPECTED}\n  actual   {actual}")
    deviates |= actual != EXPECTED
sys.exit(int(deviates))
