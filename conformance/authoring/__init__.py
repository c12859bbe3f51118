"""Writes cases and the tables of their values: from a user's options, from a model, from a parameter space.

`drafts` writes a new case or operator from options, `made_rows` the tables of made cases, and `coverage_upkeep` keeps
the tables of a suite true to its cases. `model_file`, `model_values` and `model_cases` read the calls of an ONNX model.
The package runs nothing on a target.
"""
