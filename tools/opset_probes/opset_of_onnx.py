"""Prints the newest opset and the newest IR version of the installed ONNX."""

import onnx

print(onnx.defs.onnx_opset_version(), onnx.IR_VERSION)
