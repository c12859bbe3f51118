"""ONNX Split-18 with a `num_outputs` far beyond the data: it is refused, after gigabytes of memory were filled.

The page (Split - 18, `num_outputs`): the number of outputs to split into. The data has six elements and the node two
outputs, and both are known while the session is built: that the number is neither takes no memory to see.
"""
# ruff: noqa: T201  (a script that prints)

import resource
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

LIMIT_MIB = 512


def peak_mib() -> float:
    """The most memory that the process has had so far; Linux counts in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def split(num_outputs: int) -> list[tuple[int, ...]] | str:
    """Shapes of the two outputs of one Split node, or what ONNX Runtime says against it."""
    node = helper.make_node("Split", ["input"], ["first", "second"], axis=0, num_outputs=num_outputs)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [6])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in ("first", "second")]
    graph = helper.make_graph([node], "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return [output.shape for output in session.run(None, {"input": np.zeros(6, np.float32)})]
    except Exception as error:  # noqa: BLE001
        return f"rejected: {error}"


split(2)  # what is set up once does not count
before = peak_mib()
actual = split(100_000_000)
grown = peak_mib() - before
print("6 elements, num_outputs 100,000,000, node has 2")
print(f"  expected rejected, with less than {LIMIT_MIB:,} MiB\n  actual   {actual}\n  which took {grown:,.0f} MiB")
sys.exit(int(grown > LIMIT_MIB))
