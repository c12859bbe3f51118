"""A Split with an output that has an empty name ends the process when the model runs.

ONNX IR, "Optional Inputs and Outputs": an output that is left out has an empty name. ONNX's checker takes the model.
"""
# ruff: noqa: T201  (a script that prints)

import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

NAMES = {"the middle": ["a", "", "c"], "the end": ["a", "b", ""], "the front": ["", "b", "c"]}


def split(names: list[str], version: int) -> list[list[float]] | str:
    """The outputs that have a name, of six elements in three parts."""
    attributes = {"num_outputs": 3} if version >= 18 else {}
    node = helper.make_node("Split", ["input"], names, **attributes)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [6])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in names if name]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    onnx.checker.check_model(model)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.tolist() for output in session.run(None, {"input": np.arange(6, dtype=np.float32)})]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


if len(sys.argv) > 1:
    print(split(NAMES[sys.argv[1]], int(sys.argv[2])))
    sys.exit()
deviates = False
for version in (2, 11, 13, 18):
    for place, names in NAMES.items():
        command = [sys.executable, __file__, place, str(version)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
        parts = [part for part, name in zip(([0.0, 1.0], [2.0, 3.0], [4.0, 5.0]), names, strict=True) if name]
        actual = done.stdout.strip() if done.returncode == 0 else f"status {done.returncode}"
        print(f"Split-{version}, no name in {place}\n  expected {parts}, or a refusal\n  actual   {actual}")
        deviates |= actual != str(parts) and not actual.startswith("rejected")
sys.exit(int(deviates))
