"""ONNX Concat of tensors of several ranks that the model does not know: the process dies if the first is empty.

The page (Concat - 13, "inputs"): all tensors have the same shape, except along the axis.
"""
# ruff: noqa: T201  (a script that prints)

import subprocess
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def concat(first: np.ndarray, second: np.ndarray) -> tuple[int, ...] | str:
    """Shape of the output, or what ONNX Runtime says against the call."""
    node = helper.make_node("Concat", ["first", "second"], ["output"], axis=-1)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, None) for name in ("first", "second")]
    outputs = [helper.make_tensor_value_info("output", TensorProto.INT64, None)]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    try:
        return session.run(None, {"first": first, "second": second})[0].shape
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


if len(sys.argv) > 1:
    print(concat(np.empty((1, 0), np.int64), np.zeros((1, 1, 3), np.int64)))
    sys.exit()
done = subprocess.run([sys.executable, __file__, "here"], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
actual = done.stdout.strip() if done.returncode == 0 else f"status {done.returncode}"
print(f"expected rejected\nactual   {actual}")
sys.exit(int(not actual.startswith("rejected")))
