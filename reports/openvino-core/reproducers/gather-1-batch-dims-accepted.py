"""Gather-1 with an attribute batch_dims is accepted, and the attribute ignored.

Page Gather-1, "Attributes": Gather has no attributes.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov

XML = """<net name="gather" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="2,2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>2</dim></port></output></layer>
<layer id="1" name="indices" type="Parameter" version="opset1"><data shape="2,1" element_type="i64"/>
<output><port id="0" precision="I64"><dim>2</dim><dim>1</dim></port></output></layer>
<layer id="2" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>
<output><port id="0" precision="I64"/></output></layer>
<layer id="3" name="gather" type="Gather" version="opset1"><data batch_dims="1"/><input><port id="0" precision="FP32">
<dim>2</dim><dim>2</dim></port><port id="1" precision="I64"><dim>2</dim><dim>1</dim></port>
<port id="2" precision="I64"/></input><output><port id="3" precision="FP32"/></output></layer>
<layer id="4" name="result" type="Result" version="opset1"><input><port id="0" precision="FP32"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/></edges></net>"""
try:
    model = ov.Core().read_model(model=XML.encode(), weights=ov.Tensor(np.frombuffer(np.int64(1).tobytes(), np.uint8)))
    actual = str(model.output(0).get_partial_shape())
    has_deviated = True
except RuntimeError as error:
    actual, has_deviated = "an error: " + " ".join(str(error).split())[-80:], False
print("expected an error")
print("actual  ", actual)
sys.exit(has_deviated)
