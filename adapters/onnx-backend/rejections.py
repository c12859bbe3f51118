"""The meaning of errors of an unknown backend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.adapter import Rejected, Unsupported

_GAPS = ("NotImplemented", "NotImplementedError", "Unsupported", "BackendIsNotSupposedToImplementIt")
_REJECTIONS = (RuntimeError, ValueError, IndexError)
"""Python's own errors with which backends reject calls. All others, such as TypeError, count as faults of the code."""


@contextmanager
def errors_of_backend(module: str, missing: str) -> Iterator[None]:
    """Around a call of the backend: errors of its own package, of onnx, and some of Python's own are rejections.

    Raises:
        Unsupported: the error's name, or the words `missing` in it, say that something is not implemented.
        Rejected: any other of these errors.
    """
    packages = {module.partition(".")[0], "onnx"}
    try:
        yield
    except Exception as error:
        if type(error).__name__ in _GAPS or (missing and missing in str(error)):
            raise Unsupported(str(error)) from error
        if isinstance(error, _REJECTIONS) or type(error).__module__.partition(".")[0] in packages:
            raise Rejected(str(error)) from error
        raise
