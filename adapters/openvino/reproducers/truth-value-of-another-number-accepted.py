"""A special_zero of 2 is accepted, and so is an allow_axis_skip of 1.0.

Pages Reshape-1 and Squeeze-15, "Attributes": they are true or false.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov
from openvino.utils.node_factory import NodeFactory

data = ov.op.Parameter(ov.Type.i32, ov.PartialShape([1, 4]))
deviates = False
for opset, name, numbers, attribute, value in (
    ("opset1", "Reshape", [4], "special_zero", 2),
    ("opset15", "Squeeze", [0], "allow_axis_skip", 1.0),
):
    try:
        node = NodeFactory(opset).create(
            name, [data, ov.op.Constant(ov.Type.i64, ov.Shape([1]), numbers)], {attribute: value}
        )
        actual = str(node.get_attributes())
        deviates = True
    except RuntimeError as error:
        actual = "an error: " + str(error).strip().splitlines()[-1]
    print(f"{name} with {attribute} {value}\n  expected an error\n  actual   {actual}")
sys.exit(deviates)
