"""ONNX's reference evaluator: Python code for each operator, on NumPy's arrays.

It checks next to nothing, so it is one more backend to test, and no oracle. Everything inside it is its own code, so
each error that it raises is its answer to the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from conformance.adapter import (
    ALL_FORMS,
    Call,
    Description,
    NotExpressible,
    Prepared,
    Rejected,
    Unsupported,
    model_source,
)
from conformance.tensors.tensor import numpy_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NO_CODE = "No implementation for operator"
"""The evaluator's words, with a RuntimeError, for a version of an operator that it does not have."""


class Adapter:
    """One evaluator for each model."""

    is_forkable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        """Ignore the options: there are none."""

    def describe(self) -> Description:
        """Version of onnx, and the newest opset and format that it knows."""
        return Description(
            framework="ONNX reference evaluator",
            version=onnx.__version__,
            devices=("CPU",),
            forms=[form for form in ALL_FORMS if form != "runtime-axis"],  # in ONNX, the axis is an attribute
            operators=("onnx.*", "openvino.Split-1", "openvino.VariadicSplit-1"),  # those of OpenVINO arrive lowered
            onnx_models=("onnx", "openvino"),
            controls=("after-relu", "before-concat", "constant-folded", "external-data"),
            details={
                "newest opset": str(onnx.defs.onnx_opset_version()),
                "newest IR version": str(onnx.IR_VERSION),
                "instruction set": "not known: the evaluator computes with NumPy",
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Load the model into an evaluator.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. `run` may raise them, too.
        """
        if call.model is None:
            raise NotExpressible("the evaluator takes ONNX models, and this call has none")
        for dtype in (*(item.dtype for item in call.inputs), call.output_dtype):
            if dtype is not None:
                _require_arrays_of(dtype)
        with model_source(call) as source:
            model = onnx.load(str(source)) if isinstance(source, Path) else onnx.load_from_string(source)
        _require_known_format(model)
        with _rejections():
            evaluator = ReferenceEvaluator(model)

        def bind(inputs: Mapping[str, NDArray[Any]]) -> Callable[[], Sequence[NDArray[Any]]]:
            return partial(evaluator.run, None, dict(inputs))

        def run(inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
            with _rejections():
                values = bind(inputs)()
            return [_array(value) for value in values]

        return Prepared(run=run, ran_on="NumPy", bind=bind)


def _array(value: object) -> NDArray[Any]:
    """An output as an array. One of objects holds texts; anything else in it, such as None, is shown as text."""
    array = np.asarray(value)
    if array.dtype != object:
        return array
    texts = [item if isinstance(item, str | bytes) else str(item) for item in array.reshape(-1).tolist()]
    return np.array(texts, object).reshape(array.shape)


def _require_arrays_of(dtype: str) -> None:
    """Refuse a type whose arrays are not the evaluator's: before 1.19, onnx had types of its own beside NumPy's.

    Raises:
        NotExpressible: onnx does not know the arrays of NumPy or ml_dtypes that hold this type.
    """
    try:
        onnx.helper.np_dtype_to_tensor_dtype(np.dtype(numpy_dtype(dtype)))
    except (KeyError, ValueError):
        raise NotExpressible(f"onnx {onnx.__version__} has no arrays of {dtype} as ml_dtypes has them") from None


def _require_known_format(model: onnx.ModelProto) -> None:
    """Refuse a model that is newer than this release: the evaluator would run it by older definitions.

    Raises:
        NotExpressible: the model needs a newer opset or IR version.
    """
    newest, needed = onnx.defs.onnx_opset_version(), max(item.version for item in model.opset_import)
    if needed > newest:
        raise NotExpressible(f"onnx {onnx.__version__} knows opsets up to {newest}, and the call is of opset {needed}")
    if model.ir_version > onnx.IR_VERSION:
        raise NotExpressible(
            f"onnx {onnx.__version__} knows IR versions up to {onnx.IR_VERSION}, and the call needs {model.ir_version}"
        )


@contextmanager
def _rejections() -> Iterator[None]:
    """Turn an error of the evaluator's code into its answer; to run out of memory is not an answer.

    Raises:
        Unsupported: the evaluator has no code for the operator.
        Rejected: any other error.
    """
    try:
        yield
    except MemoryError:
        raise
    except NotImplementedError as error:
        raise Unsupported(str(error)) from error
    except Exception as error:
        if _NO_CODE in str(error):
            raise Unsupported(str(error)) from error
        raise Rejected(f"{type(error).__name__}: {error}") from error
