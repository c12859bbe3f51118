"""Classifies the errors of calls into OpenVINO: a rejection, a missing implementation, or the binding's refusal.

Only calls of the framework belong inside the guard, never this adapter's creation of tensors, whose errors are the
adapter's fault. The framework's C++ exceptions arrive as RuntimeError, except a few of the standard library, for which
pybind11 has its own Python types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from conformance.adapter import NotExpressible, Rejected, Unsupported

NOT_IMPLEMENTED = re.compile(
    r"Not Implemented\b"
    r"|is not supported yet"
    r"|Element not supported"  # core has no code for the element type of an axis or of lengths
    r"|plug-in doesn't support"
    r"|[Uu]nsupported (?:data|element) type"
    r"|Loading input model\s+Unsupported type"  # a constant whose elements lie in a file beside the model
    r"|Unsupported transpose order for"  # folding has code for one order of 4-bit elements
    r"|Transpose for i4/u4 dtype is supported only"
    r"|No conversion rule found for operations"
    r"|Couldn't create operation"
    r"|could not create reorder primitive: unsupported"
    r"|doesn't contain the operation"
    r"|[Uu]nsupported opset",
)
"""OpenVINO's ways to say that it has no implementation."""

OF_THE_BINDING = "Unable to cast Python instance"
"""How pybind11 says that C++ has no such type; such a call does not reach the framework."""

OF_THE_STANDARD_LIBRARY = re.compile(r"std::|vector|out-of-range dimension")
"""Errors that arrive as a ValueError or IndexError: of C++'s standard library, or of one of its types."""


@contextmanager
def rejections_of_openvino() -> Iterator[None]:
    """Turn OpenVINO's errors into `Rejected`, `Unsupported` or `NotExpressible`; all other errors propagate.

    Raises:
        Rejected: the framework rejected the call.
        Unsupported: the framework says that it has no implementation.
        NotExpressible: its Python binding cannot pass the value.
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
