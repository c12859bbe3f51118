"""A Split of ONNX of float4e2m1 writes behind the memory of its parts: the C library finds it.

Page Split-18, "Type Constraints": `T` has no float4e2m1, so that a model of it is to be refused; OpenVINO splits it.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: S603, T201  (a script that starts itself, and prints)

import os
import subprocess
import sys

import numpy as np
import openvino as ov
from onnx import TensorProto, helper

CHECKED = {"LD_PRELOAD": "libc_malloc_debug.so.0", "MALLOC_CHECK_": "3"}

if "MALLOC_CHECK_" not in os.environ:
    print("expected a refusal, and a process that ends with 0 while the GNU C library checks its heap", flush=True)
    ended = subprocess.run([sys.executable, "-I", __file__], env={**os.environ, **CHECKED}, check=False)
    print("actual   the process ended with", ended.returncode)
    sys.exit(ended.returncode != 0)

TYPE = TensorProto.FLOAT4E2M1
node = helper.make_node("Split", ["data"], ["first", "second"], axis=1, num_outputs=2)
graph = helper.make_graph(
    [node],
    "split",
    [helper.make_tensor_value_info("data", TYPE, [2, 6])],
    [helper.make_tensor_value_info(name, TYPE, [2, 3]) for name in ("first", "second")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=11)
request = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU").create_infer_request()
request.set_input_tensor(ov.Tensor(np.full(6, 0x5A, np.uint8), [2, 6], ov.Type.f4e2m1))
request.start_async()
request.wait()
