"""Writes cases and the tables of their values, and says what is wrong with cases.

`drafts` writes a new case or operator from options, `made_rows` the tables of made cases, and keeps the
tables of a suite true to its cases. `model_file` and `model_cases` read the calls of an ONNX model. `lint` compares the
cases with the oracles. The package runs nothing on a target.
"""
