"""The ONNX frontend refuses an initializer without elements that lies in a file beside the model.

ONNX IR, "External Tensor Data": the raw data of a tensor may lie in a file, at `offset` and `length` bytes long; of a
tensor with a dim of 0 there are none.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys
import tempfile
from pathlib import Path

import openvino as ov

# Split-11: axis = 1, two outputs; initializer float input[3, 0] in "model.data", offset 0, length 0
MODEL = (
    "CAgSCW9wY29uZm9ybUIECgAQCzquAQovCgVpbnB1dBIIb3V0cHV0XzASCG91dHB1dF8xIgVTcGxpdCoLCgRheGlzGAGgAQISCFNwbGl0LTEx"
    "KkEIAwgAEAFCBWlucHV0ahYKCGxvY2F0aW9uEgptb2RlbC5kYXRhagsKBm9mZnNldBIBMGoLCgZsZW5ndGgSATBwAWIWCghvdXRwdXRfMBIK"
    "CggIARIECgAKAGIWCghvdXRwdXRfMRIKCggIARIECgAKAA=="
)
EXPECTED = [(3, 0), (3, 0)]

with tempfile.TemporaryDirectory() as name:
    path = Path(name) / "model.onnx"
    path.write_bytes(base64.b64decode(MODEL))
    (path.parent / "model.data").write_bytes(b"")
    try:
        core = ov.Core()
        compiled = core.compile_model(core.read_model(path), "CPU")
        outputs = compiled([])
        actual = [outputs[index].shape for index in range(len(outputs))]
    except RuntimeError as error:
        actual = "an error: " + str(error).partition("Summary")[0].strip().splitlines()[-1]
print("expected", EXPECTED)
print("actual  ", actual)
sys.exit(actual != EXPECTED)
