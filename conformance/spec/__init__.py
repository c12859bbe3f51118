"""What the pages say: operators, clauses, laws and references, and what a case means in a form.

It owns cases, checks and verdicts as plain immutable data, the calls that are made from classes (`making`), the forms
(`form_rules`), the request that a check becomes, a call in the terms of ONNX (`lowering`), and the NumPy reference,
which computes the outputs of a call as its page says. It reads no file, starts no process and judges no answer.
"""
