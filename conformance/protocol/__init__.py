"""How a framework's process is asked: calls, requests, outcomes, the messages that carry them, and the worker's side.

The engine and a worker share all of it but the child process: `start` makes it run in any Python, `serve` is its loop.
With `tensors` and `adapter` the package runs in any Python from 3.10 on that has NumPy and ml_dtypes, and imports
nothing else of the engine. It knows no case, no expected output and no verdict. The messages are explained in
docs/reference/protocol.md.
"""
