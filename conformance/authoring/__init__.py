"""Writes cases and the tables of their values: from answers to questions, from a model, from a parameter space.

`case_answers` reads what a user answers, `case_draft` is the case that is being written, `proposed_outputs` writes what
the reference computes for it, `operator_skeleton` writes the page of a new operator, `model_cases` reads the calls of
an ONNX model, `covering_array` builds combinations of parameters, and `coverage_upkeep` keeps the tables of a suite
true to its cases. The package runs nothing on a target.
"""
