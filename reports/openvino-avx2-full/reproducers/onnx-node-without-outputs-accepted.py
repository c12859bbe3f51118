"""A Split without outputs is accepted; it is dropped, and what remains is an empty model, which compiles and runs.

Page Split-13, "Outputs": there is at least one.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import base64
import sys

import openvino as ov

# Split-13: float input[6], constant split = [2, 4], axis = 0, no outputs
MODEL = (
    "CAgSADpNCiIKBWlucHV0CgVzcGxpdCIFU3BsaXQqCwoEYXhpcxgAoAECEgFnKg8IAhAHOgICBEIFc3BsaXRaEwoFaW5wdXQSCgoICAES"
    "BAoCCAZCBAoAEA0="
)
try:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(base64.b64decode(MODEL)), "CPU")
    compiled.create_infer_request().infer()
    actual = f"a model with {len(compiled.inputs)} inputs and {len(compiled.outputs)} outputs, which runs"
except RuntimeError as error:
    actual = "an error: " + str(error).strip().splitlines()[-1]
print("expected an error")
print("actual  ", actual)
sys.exit(not actual.startswith("an error"))
