"""A Concat of float8 data with seven dims of unknown length turns -0.0 into 0.0; with six dims it does not.

Page Concat-1: the output has the elements of the inputs. It happens below the level AVX512_CORE_FP16; this script asks
for a lower one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints, and sets the level before OpenVINO is imported)

import os
import sys

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"

import numpy as np
import openvino as ov

deviates = False
for rank in (6, 7):
    data = ov.op.Parameter(ov.Type.f8e4m3, ov.PartialShape([-1] * rank))
    request = ov.Core().compile_model(ov.Model([ov.opset1.concat([data], 0)], [data], "concat"), "CPU")
    request = request.create_infer_request()
    request.set_input_tensor(0, ov.Tensor(np.full(4, 0x80, np.uint8), [4, *[1] * (rank - 1)], ov.Type.f8e4m3))
    request.start_async()
    request.wait()
    actual = np.asarray(request.get_output_tensor(0).data).reshape(-1).view(np.uint8).tolist()
    print(f"{rank} dims\n  expected {[0x80] * 4}\n  actual   {actual}")
    deviates |= actual != [0x80] * 4
sys.exit(deviates)
