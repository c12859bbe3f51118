"""A call in the terms of ONNX, for frameworks that take models and not calls.

It owns the ONNX model of each call and form, written to bytes without the `onnx` package. It knows no framework and no
expected outputs.
"""
