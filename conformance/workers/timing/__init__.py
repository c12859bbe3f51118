"""Measures how long a framework's call takes, whether it is correct or not.

`effort` sets how hard to measure, `sampling` measures a call in the worker, `measurement` holds the result, `median`
computes a median with its interval, and `timing_session` measures one target. Nothing here changes a verdict.
docs/timing.md explains the method.
"""
