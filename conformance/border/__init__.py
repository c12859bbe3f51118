"""What the engine and a worker share: calls, requests, outcomes and measurements, and the messages that carry them.

With `values`, `worker` and `adapter` it runs in any Python from 3.10 on that has NumPy and ml_dtypes, and imports
nothing else of the engine. It knows no case, no expected output and no verdict. The messages are explained in
docs/reference/protocol.md.
"""
