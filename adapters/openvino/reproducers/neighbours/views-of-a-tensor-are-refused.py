"""A view of the first half of each row of a tensor is refused as the input of a model without operators, in wide types.

Page Result-1: its output is its input. OpenVINO takes such views of int32 and float32.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov

deviates = False
for kind in (ov.Type.i64, ov.Type.u32, ov.Type.u64, ov.Type.f64, ov.Type.string):
    data = ov.op.Parameter(kind, ov.PartialShape([2, 3]))
    model = ov.Model([data.output(0)], [data], "identity")
    request = ov.Core().compile_model(model, "CPU").create_infer_request()
    whole = ov.Tensor(kind, ov.Shape([2, 6]))
    print(kind, "expected: it runs")
    try:
        request.set_input_tensor(0, ov.Tensor(whole, ov.Coordinate([0, 0]), ov.Coordinate([2, 3])))
        request.start_async()
        request.wait()
        print(kind, "actual:   it runs")
    except RuntimeError as error:
        print(kind, "actual:   refused:", str(error).strip().splitlines()[-1])
        deviates = True
sys.exit(deviates)
