"""How long a framework's call takes, apart from whether it is right.

`effort` says how hard to measure, `sampling` measures a call in the worker, `measurement` holds what came of it,
`median` makes a median with its interval of it, `session` asks one target, and `passes` asks all of them in turn.
Nothing here changes a verdict. The method is told in docs/timing.md.
"""
