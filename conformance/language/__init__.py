"""The vocabulary: operators, cases, calls, forms, requests, outcomes and verdicts, as plain immutable data.

It owns what a case means in a form (`check`, `form_rules`), the request that a check becomes, and the NumPy reference,
which computes the outputs of a call as its spec page says. It reads no file, starts no process and judges no answer.
"""
