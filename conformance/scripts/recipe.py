"""What the `repro.py` of an adapter imports to describe how a standalone script calls the framework.

Such a module defines `recipe(request, options)`, which takes a request and the target's options and returns a
`Recipe`. It runs in the engine's own process and imports no framework.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.adapter import NotExpressible
from conformance.border.call import Call
from conformance.border.request import Request
from conformance.scripts.onnx_source import ModelSource, model_source

__all__ = ["Call", "ModelSource", "NotExpressible", "Recipe", "Request", "model_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The framework's part of a script.

    `run` are statements that set `actual` to a list with the outputs of each call: arrays of NumPy's or ml_dtypes'
    types, strings as arrays of objects. They read the inputs of each call, as arrays by name, from `RUNS`, the
    constants named in `constants` from `CONSTANTS`, and `files` from the folder `HERE`. `code` defines the functions
    that they call.

    `model` is code that stands before the inputs and makes an ONNX model (`model_source`).

    `rejections` is an expression for the exception types with which the framework rejects a call. Some of these errors
    are not a rejection: the framework has no implementation, or its interface cannot express the request. `no_answer`
    is an expression that is true for such an `error`.
    """

    imports: tuple[str, ...]
    code: str
    run: str
    rejections: str
    no_answer: str
    model: str = ""
    constants: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
