"""A Slice of three inputs ends the process while the node is made: it needs data, starts, stops and steps.

Page Slice-8, "Inputs": the first four inputs are required.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import os
import sys

import numpy as np
import openvino as ov
from openvino.utils.node_factory import NodeFactory


def make() -> None:
    """One node of three inputs."""
    data = ov.op.Parameter(ov.Type.f32, ov.PartialShape([4]))
    start, stop = (ov.opset8.constant(np.array([index], np.int64)) for index in (0, 2))
    try:
        NodeFactory("opset8").create("Slice", [data, start, stop], {})
    except RuntimeError as error:
        print("actual   an error:", str(error).strip().splitlines()[-1])


print("expected an error", flush=True)
child = os.fork()
if not child:
    make()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("actual   the process ended with", status)
sys.exit(status != 0)
