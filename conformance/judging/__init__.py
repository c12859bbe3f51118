"""From an outcome to a verdict: pure functions, bit for bit.

`judge` compares an outcome with its case, `explain` names the fault behind a wrong answer, and `deviation` decides
whether a recorded deviation covers it. The package reads no file and no log, and does not know the target.
"""
