"""The law of an operator: which element of the data stands at each place of an output, as its page says it.

A law is written in `operator.yaml` and knows nothing of the NumPy reference. `expression` reads its language, a small
part of Python's, `values` has its words, and `evaluation` evaluates it for a call.
"""
