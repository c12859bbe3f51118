"""ONNX Split-18 with `num_outputs` 0, an empty axis, and dims that the model does not know: the process dies.

The page (Split - 18, `num_outputs` and Outputs): the number of outputs, of which there is at least 1. With known dims
ONNX Runtime rejects the model, too.
"""
# ruff: noqa: T201  (a script that prints)

import subprocess
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def split(
    data: np.ndarray, dims: list[int | None], declared_outputs: int, **attributes: int
) -> list[tuple[int, ...]] | str:
    """Shapes of the outputs of one Split node, or what ONNX Runtime says against it."""
    names = [f"output_{index}" for index in range(declared_outputs)]
    node = helper.make_node("Split", ["input"], names, **attributes)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * data.ndim) for name in names]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.shape for output in session.run(None, {"input": data})]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


if len(sys.argv) > 1:
    data = np.zeros((2, 0), dtype=np.float32)
    print(split(data, [2, 0] if sys.argv[1] == "known" else [None, None], 1, axis=1, num_outputs=0))
    sys.exit()
deviates = False
for dims in ("known", "unknown"):
    done = subprocess.run([sys.executable, __file__, dims], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    actual = done.stdout.strip() if done.returncode == 0 else f"exit status {done.returncode}"
    print(f"num_outputs 0 of an empty axis, dims {dims}\n  expected rejected\n  actual   {actual}")
    deviates |= not actual.startswith("rejected")
sys.exit(int(deviates))
