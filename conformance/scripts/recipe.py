"""What the `repro.py` of an adapter imports to describe how a standalone script calls the framework.

Such a module defines `recipe(request, options)`, which takes a request and the target's options and returns a
`Recipe`. It runs in the engine's own process and imports no framework.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.adapter import NotExpressible
from conformance.border.call import MODEL_DATA_FILE, Call
from conformance.border.outcome import NotExpressibleOutcome
from conformance.border.request import Request
from conformance.lowering.onnx_model import lower

__all__ = ["Call", "NotExpressible", "Recipe", "Request", "onnx_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The framework's part of a script.

    `code` defines the function `run_calls()`, which returns a list with the outputs of each call: arrays of NumPy's or
    ml_dtypes' types, strings as arrays of objects. It reads the inputs of each call, as arrays by name, from `RUNS`,
    the constants named in `constants` from `CONSTANTS`, and `files` from the folder `HERE`.

    It also defines `REJECTIONS`, the exception types with which the framework rejects a call, and the predicate
    `cannot_answer(error)`, which is true for those of them that are not rejections: the framework has no
    implementation, or its interface cannot express the request.
    """

    imports: tuple[str, ...]
    code: str
    constants: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


def onnx_files(call: Call) -> dict[str, bytes]:
    """The call as an ONNX model in `model.onnx`, and the files that the model reads.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    lowered = lower(call)
    if isinstance(lowered, NotExpressibleOutcome):
        raise NotExpressible(lowered.message)
    files = {"model.onnx": lowered.model}
    return files if lowered.model_data is None else {**files, MODEL_DATA_FILE: lowered.model_data}
