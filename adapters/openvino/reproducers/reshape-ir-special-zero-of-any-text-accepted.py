"""A Reshape in IR whose special_zero is "yes" or "1,0" is read.

Page Reshape-1, "Attributes": special_zero is false or true.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

IR = """<net name="case" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="shape" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/>
<output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="Reshape" type="Reshape" version="opset1"><data special_zero="yes"/>
<input><port id="0"><dim>2</dim><dim>3</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"/></output></layer>
<layer id="3" name="output_0" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
weights = ov.Tensor(np.frombuffer(np.array([3, 2], np.int64).tobytes(), np.uint8).copy())
accepted = []
for text in ("yes", "1,0"):
    try:
        ov.Core().read_model(model=IR.replace("yes", text).encode(), weights=weights)
        accepted.append(text)
    except RuntimeError as error:
        print(repr(text), "an error: " + str(error).strip().splitlines()[-1])
print("expected an error for each")
print("accepted", accepted)
sys.exit(bool(accepted))
