"""How long a framework's call takes, apart from whether it is right.

`effort` sets how hard to measure, `sampling` measures a call in the worker, `measurement` holds the result, `median`
computes a median with its interval, and `session` asks one target. Nothing here changes a verdict. docs/timing.md
explains the method.
"""
