"""ScatterNDUpdate-3 with an attribute reduction is accepted, and the attribute ignored.

Page ScatterNDUpdate-3, "Attributes": ScatterNDUpdate has no attributes.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import openvino as ov

XML = """<net name="scatter" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>3</dim></port></output></layer>
<layer id="1" name="indices" type="Parameter" version="opset1"><data shape="1,1" element_type="i64"/>
<output><port id="0" precision="I64"><dim>1</dim><dim>1</dim></port></output></layer>
<layer id="2" name="updates" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="3" name="scatter" type="ScatterNDUpdate" version="opset4"><data reduction="max"/><input>
<port id="0" precision="FP32"><dim>3</dim></port><port id="1" precision="I64"><dim>1</dim><dim>1</dim></port>
<port id="2" precision="FP32"><dim>1</dim></port></input><output><port id="3" precision="FP32"/></output></layer>
<layer id="4" name="result" type="Result" version="opset1"><input><port id="0" precision="FP32"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/></edges></net>"""
try:
    actual = str(ov.Core().read_model(model=XML.encode()).output(0).get_partial_shape())
    has_deviated = True
except RuntimeError as error:
    actual, has_deviated = "an error: " + " ".join(str(error).split())[-80:], False
print("expected an error")
print("actual  ", actual)
sys.exit(has_deviated)
