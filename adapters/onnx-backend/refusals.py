"""What the errors of a backend of which nothing is known mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.adapter import Rejected, Unsupported

_GAPS = ("NotImplemented", "NotImplementedError", "Unsupported", "BackendIsNotSupposedToImplementIt")
_REFUSALS = (RuntimeError, ValueError, IndexError)
"""Python's own errors with which backends refuse. All others, as a TypeError, are taken for a fault of the code."""


@contextmanager
def errors_of_backend(module: str, missing: str) -> Iterator[None]:
    """Nothing but the backend runs in here: errors of its own package, of onnx, and some of Python's are refusals.

    Raises:
        Unsupported: by its name, or by the words `missing` in it, the error says that something is not implemented.
        Rejected: any other of those errors.
    """
    packages = {module.partition(".")[0], "onnx"}
    try:
        yield
    except Exception as error:
        if type(error).__name__ in _GAPS or (missing and missing in str(error)):
            raise Unsupported(str(error)) from error
        if isinstance(error, _REFUSALS) or type(error).__module__.partition(".")[0] in packages:
            raise Rejected(str(error)) from error
        raise
