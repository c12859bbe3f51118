"""Tells apart who refused, and why, when a call into OpenVINO raises.

Only calls of the framework stand inside the guard, never the making of tensors by this adapter: what those raise is
the adapter's fault. The framework's C++ exceptions arrive as RuntimeError, save the few of the standard library that
pybind11 gives a Python type of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from conformance.adapter import NotExpressible, Rejected, Unsupported

NOT_IMPLEMENTED = re.compile(
    r"Not Implemented:"
    r"|is not supported yet"
    r"|Element not supported"  # core has no code for the element type of an axis or of lengths
    r"|plug-in doesn't support"
    r"|Unsupported (?:data|element) type"
    r"|Loading input model\s+Unsupported type"  # a constant whose elements lie in a file beside the model
    r"|No conversion rule found for operations"
    r"|Couldn't create operation"
    r"|could not create reorder primitive: unsupported"
    r"|doesn't contain the operation"
    r"|[Uu]nsupported opset",
)
"""OpenVINO's ways to say that it has no implementation."""

OF_THE_BINDING = "Unable to cast Python instance"
"""How pybind11 says that C++ has no such type; it never gets to the framework."""

OF_THE_STANDARD_LIBRARY = re.compile(r"std::|vector")
"""What escapes from OpenVINO's C++ without a check of its own, such as `std::length_error` as a ValueError."""


@contextmanager
def refusals_of_openvino() -> Iterator[None]:
    """Turn what OpenVINO raises into `Rejected`, `Unsupported` or `NotExpressible`; let all else pass.

    Raises:
        Rejected: the framework refused.
        Unsupported: it says that it has no implementation.
        NotExpressible: its Python binding has no place for the value.
    """
    try:
        yield
    except RuntimeError as error:
        raise _refusal(str(error).strip()) from error
    except (ValueError, IndexError) as error:
        if not OF_THE_STANDARD_LIBRARY.search(str(error)):
            raise
        raise Rejected(f"{type(error).__name__}: {error}") from error


def _refusal(message: str) -> Exception:
    if OF_THE_BINDING in message:
        return NotExpressible(f"OpenVINO's Python binding has no place for it: {message.splitlines()[0]}")
    return Unsupported(message) if NOT_IMPLEMENTED.search(message) else Rejected(message)
