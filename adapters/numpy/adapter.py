"""The suite's own NumPy reference as a backend.

It is the second oracle, so its verdicts are about the suite and the cases, not about NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from conformance.adapter import ALL_FORMS, Call, Description, Graph, NotExpressible, Prepared, Rejected, Tensor
from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.reference import OPERATORS, evaluate
from conformance.tensors.tensor import array_from_tensor, tensor_from_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Adapter:
    """Evaluates calls; there is nothing to prepare."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Ignore the options: there are none."""

    def describe(self) -> Description:
        """NumPy's version."""
        return Description(
            framework="NumPy",
            version=np.__version__,
            devices=("CPU",),
            operators=("openvino.*", "onnx.*"),
            forms=[form for form in ALL_FORMS if not Form(form).is_of_onnx],
            controls=("after-relu", "before-concat", "constant-folded"),
        )

    def prepare(self, call: Call) -> Prepared:
        """Keep the constants for the run."""
        if call.operator not in OPERATORS and not call.is_control:
            raise NotExpressible(f"the reference does not have {call.operator}")
        names = [item.name for item in call.inputs]
        if len({*names, *call.attributes}) < len(names) + len(call.attributes):
            raise NotExpressible("the reference takes an argument as an input or as an attribute, not both")
        constants = {item.name: item.constant for item in call.inputs if item.constant is not None}

        def bind(inputs: Mapping[str, NDArray[Any]]) -> Callable[[], Sequence[Tensor]]:
            given = {name: tensor_from_array(array) for name, array in inputs.items()}
            return partial(_outputs, call, {**constants, **given})

        def run(inputs: Mapping[str, NDArray[Any]]) -> Sequence[Tensor]:
            given = {name: tensor_from_array(array) for name, array in inputs.items()}
            if call.graph is Graph.AFTER_RELU:
                data = call.inputs[0].name
                given[data] = tensor_from_array(_rectified(inputs[data]))
            try:
                outputs = _outputs(call, {**constants, **given})
            except BrokenClauseError as error:
                raise Rejected(str(error)) from error
            if call.concat_axis is not None:
                return [_joined(outputs, call.concat_axis)]
            return outputs[call.graph_outputs]

        is_alone = call.graph is Graph.NONE
        return Prepared(run=run, ran_on="NumPy reference", bind=bind if is_alone else None)


def _rectified(array: NDArray[Any]) -> NDArray[Any]:
    """The Relu; a type that has no zero, as float8_e8m0fnu, has nothing below it either."""
    zero = array.dtype.type(0)
    return np.maximum(array, zero) if zero == 0 else array


def _outputs(call: Call, tensors: Mapping[str, Tensor]) -> Sequence[Tensor]:
    if call.is_control:
        return [tensors[item.name] for item in call.passed_on]
    return evaluate(call.operator, {**tensors, **call.attributes}, call.declared_outputs)


def _joined(parts: Sequence[Tensor], axis: int) -> Tensor:
    return tensor_from_array(np.concatenate([array_from_tensor(part) for part in parts], axis))
