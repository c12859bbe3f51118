"""A Relu, or a Concat that reads one tensor twice, flushes the subnormals of bfloat16 on processors with AVX512_BF16.

Pages ReLU-1: elements above 0 stay as they are; Concat-1, "Outputs": the inputs one after the other. Below the level
AVX512_CORE_BF16, to which `ONEDNN_MAX_CPU_ISA` can hold it, all is right.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

bits = np.array([0x0001, 0x007F, 0x3F80], np.uint16)  # the smallest and the greatest subnormal, and 1.0
deviates = False
for operator in ("Relu", "Concat"):
    data = ov.op.Parameter(ov.Type.bf16, ov.PartialShape([3]))
    node = ov.opset1.relu(data) if operator == "Relu" else ov.opset1.concat([data, data], 0)
    model = ov.Model([node.output(0)], [data], operator)
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    request.set_input_tensor(0, ov.Tensor(bits, [3], ov.Type.bf16))
    request.start_async()
    request.wait()
    actual = np.asarray(request.get_output_tensor(0).data).reshape(-1).view(np.uint16).tolist()
    expected = bits.tolist() * (1 if operator == "Relu" else 2)
    print(operator)
    print("expected", expected)
    print("actual  ", actual)
    deviates = deviates or actual != expected
sys.exit(deviates)
