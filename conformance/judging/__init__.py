"""From an outcome to a verdict: pure functions, bit for bit.

`judge` compares an outcome with its case, `explain` names the fault of a wrong answer, and `deviation` decides whether
a record covers it. It reads no file and no log, and does not know who was asked.
"""
