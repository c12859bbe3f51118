"""IR with num_splits="2.5" or "2,3" is read as 2.

Page Split-1, "Attributes": num_splits is of type int.

Exits with 1 if OpenVINO deviates, with 0 if it does not.
"""
# ruff: noqa: T201  (a script that prints)

import sys

import numpy as np
import openvino as ov


def port(number: int, element: str, *dims: int) -> str:
    """A port of a layer."""
    return f'<port id="{number}" precision="{element}">{"".join(f"<dim>{dim}</dim>" for dim in dims)}</port>'


def split_layer(num_splits: str) -> str:
    """IR that splits 6 elements."""
    return f"""<net name="split" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="6" element_type="f32"/>
  <output>{port(0, "f32", 6)}</output></layer>
<layer id="1" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>
  <output>{port(0, "i64")}</output></layer>
<layer id="2" name="split" type="Split" version="opset1"><data num_splits="{num_splits}"/>
  <input>{port(0, "f32", 6)}{port(1, "i64")}</input><output>{port(2, "f32", 3)}</output></layer>
<layer id="3" name="part" type="Result" version="opset1"><input>{port(0, "f32", 3)}</input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""


deviates = False
for text in ("2.5", "2,3"):
    try:
        model = ov.Core().read_model(model=split_layer(text).encode(), weights=np.int64(0).tobytes())
        actual = f"a model whose first part has the shape {model.outputs[0].shape}"
    except RuntimeError as error:
        actual = "an error: " + str(error).strip().splitlines()[-1]
    print(f"num_splits {text}: expected an error")
    print(f"num_splits {text}: actual  ", actual)
    deviates |= not actual.startswith("an error")
sys.exit(deviates)
